import { expect, test } from 'vitest'
import { scripted } from '../../src/testing/index.ts'
import { order, refund } from './refund.ts'

// biome-ignore format: word for word as in experience.md, section 4
test('the transcript of experience.md works as it is written', async () => {
  const t = scripted(refund, { decide: { decide: 'FULL' }, tools: { 'orders.get': () => order } })   // from 'reflex-runtime/testing'
  await t.run({ order_id: 'A-1042' })                      // suspended at approve
  const end = await t.after('3d')                          // the virtual clock passes the deadline, in microseconds
  expect(end.path).toEqual(['read', 'verify', 'decide', 'approve', 'decline'])
  await t.crashEverywhere()                                // again, stopped at every record boundary: the same end, nothing twice
})
