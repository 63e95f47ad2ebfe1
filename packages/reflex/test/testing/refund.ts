import { z } from 'zod'
import { workflow } from '../../src/kinds/workflow/index.ts'

export const order = { id: 'A-1042', total: 84 }

const identity = workflow({
  id: 'identity',
  entry: 'match',
  board: { verdict: z.string() },
  nodes: { match: { spec: { writes: { verdict: 'confirmed' } } } },
  edges: [],
})

/** The program of experience.md, section 4, with the values of its board. */
export const refund = workflow({
  id: 'refund',
  entry: 'read',
  board: { order_id: z.string(), order: z.object({ id: z.string(), total: z.number() }), identity: z.string() },
  nodes: {
    read: { spec: { tool: 'orders.get', writes: 'order' } },
    verify: { invokes: { workflow: identity, returnMap: [{ parentKey: 'identity', childKey: 'verdict' }] } },
    decide: { spec: { prompt: 'Refund this order in full, or decline?' } },
    approve: { spec: { ask: 'Refund it?', due: '3d', otherwise: 'NO' } },
    pay: { spec: { tool: 'payments.refund' } },
    decline: {},
  },
  edges: [
    { from: 'read', to: 'verify' },
    { from: 'verify', to: 'decide' },
    { from: 'decide', to: 'approve', event: 'FULL', guard: { type: 'exists', key: 'identity' } },
    { from: 'decide', to: 'decline', event: 'NO' },
    { from: 'approve', to: 'pay', event: 'YES' },
    { from: 'approve', to: 'decline', event: 'NO' },
  ],
})
