import { expect, test } from 'vitest'
import { z } from 'zod'
import { scripted } from '../../src/testing/index.ts'
import { workflow } from '../../src/workflow/index.ts'

const identity = workflow({
  id: 'identity',
  entry: 'match',
  board: { verdict: z.string() },
  nodes: { match: { spec: { writes: { verdict: 'confirmed' } } } },
  edges: [],
})
const order = { id: 'A-1042', total: 84 }

// experience.md, section 4, word for word.
export const refund = workflow({ id: 'refund', entry: 'read',
  board: { order: z.object({ id: z.string(), total: z.number() }), identity: z.string() },
  nodes: {
    read:    { spec: { tool: 'orders.get', writes: 'order' } },
    verify:  { invokes: { workflow: identity, returnMap: [{ parentKey: 'identity', childKey: 'verdict' }] } },
    decide:  { spec: { prompt: 'Refund this order in full, or decline?' } },
    approve: { spec: { ask: 'Refund it?', due: '3d', otherwise: 'NO' } },
    pay:     { spec: { tool: 'payments.refund' } }, decline: {},
  },
  edges: [{ from: 'read', to: 'verify' }, { from: 'verify', to: 'decide' },
    { from: 'decide', to: 'approve', event: 'FULL', guard: { type: 'exists', key: 'identity' } }, { from: 'decide', to: 'decline', event: 'NO' },
    { from: 'approve', to: 'pay', event: 'YES' }, { from: 'approve', to: 'decline', event: 'NO' }],
})

test('the transcript of the kit works as it is written', async () => {
  const t = scripted(refund, { decide: { decide: 'FULL' }, tools: { 'orders.get': () => order } })   // from 'reflex/testing'
  await t.run({ order_id: 'A-1042' })                      // suspended at approve
  const end = await t.after('3d')                          // the virtual clock passes the deadline, in microseconds
  expect(end.path).toEqual(['read', 'verify', 'decide', 'approve', 'decline'])
  await t.crashEverywhere()                                // again, stopped at every record boundary: the same end, nothing twice
  expect(end.get('order')?.total).toBe(84)
  console.log(end.effects, await t.crashEverywhere())
})
