import { expect, test } from 'vitest'
import { scripted } from '../../src/testing/index.ts'
import { workflow } from '../../src/workflow/index.ts'
import { order, refund } from './refund.ts'

const script = { decide: { decide: 'FULL' }, answers: { approve: 'YES' } } as const
const receipt = { receipt: 'rf_1' }

test('what may not be repeated becomes a question, and what may be repeated does not', async () => {
  const unsafe = scripted(refund, {
    ...script,
    tools: { 'orders.get': { repeat: 'free', run: () => order }, 'payments.refund': () => receipt },
  })
  await unsafe.run()
  expect((await unsafe.crashEverywhere()).asked).toBeGreaterThan(0)
  const safe = scripted(refund, {
    ...script,
    tools: { 'orders.get': { repeat: 'free', run: () => order }, 'payments.refund': { repeat: 'keyed', run: () => receipt } },
  })
  await safe.run()
  const { points, asked } = await safe.crashEverywhere()
  expect(points).toBeGreaterThan(40)
  expect(asked).toBe(0)
})

test('nothing of the test is called again: the outside answers as it did', async () => {
  let paid = 0
  const t = scripted(refund, { ...script, tools: { 'orders.get': () => order, 'payments.refund': () => ({ receipt: ++paid }) } })
  await t.run()
  await t.crashEverywhere()
  expect(paid).toBe(1)
})

test('other blows than death may fall', async () => {
  const t = scripted(refund, { ...script, tools: { 'orders.get': () => order, 'payments.refund': () => receipt } })
  await t.run()
  const all = await t.crashEverywhere({ blows: ['tear', 'room'], under: ['slow', 'leaves'] })
  expect(all.points).toBeGreaterThan(10)
})

test('a program that decides by what only its process knows is found out', async () => {
  const forgetful = (most: number) => {
    let looks = 0
    return workflow({
      id: 'forgetful',
      entry: 'work',
      nodes: { work: {}, few: {}, many: {} },
      edges: [
        { from: 'work', to: 'few', event: 'FEW', guard: { type: 'custom', name: 'few', version: '1', evaluate: () => ++looks <= most } },
        { from: 'work', to: 'many', event: 'MANY', guard: { type: 'custom', name: 'many', version: '1', evaluate: () => looks > most } },
      ],
    })
  }
  const soon = scripted(forgetful(3), { decide: { work: 'FEW' } })
  await soon.run()
  await expect(soon.crashEverywhere()).rejects.toThrow('workflow:forgetful has no sound run')
  const later = scripted(forgetful(40), { decide: { work: 'FEW' } })
  expect((await later.run()).path).toEqual(['work', 'few'])
  await expect(later.crashEverywhere()).rejects.toThrow(
    /^workflow:forgetful, struck at moment \d+ \(die (before|after) .*; point \d+ die\):/,
  )
})

test('a run that has not ended says what it waits for', async () => {
  const t = scripted(refund, { decide: { decide: 'FULL' }, tools: { 'orders.get': () => order } })
  await t.run()
  await expect(t.crashEverywhere()).rejects.toThrow('it waits for answer approve')
})
