import { expect, test } from 'vitest'
import { HandlerRegistry } from '../../src/kinds/pipeline/index.ts'
import { scripted } from '../../src/testing/index.ts'
import { workflow } from '../../src/kinds/workflow/index.ts'
import { order, refund } from './refund.ts'

const script = { decide: { decide: 'FULL' }, answers: { approve: 'YES' } } as const
const receipt = { receipt: 'rf_1' }

test('an effect that must not be repeated becomes a question, and an effect that can be repeated does not', async () => {
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
  const { points, asked, repeated } = await safe.crashEverywhere()
  expect(points).toBeGreaterThan(40)
  expect(asked).toBe(0)
  // The report names each effect that a crash can repeat, so that a test can require that there is no other.
  expect(repeated).toEqual(['refund/pay', 'refund/read'])
  expect((await unsafe.crashEverywhere()).repeated).toEqual(['refund/read'])
})

test('a tool that declares keys and forgets them is found', async () => {
  let paid = 0
  const tools = { 'orders.get': () => order, 'payments.refund': { repeat: 'keyed', run: () => ({ receipt: `rf_${++paid}` }) } } as const
  const t = scripted(refund, { ...script, tools })
  await t.run()
  await expect(t.crashEverywhere()).rejects.toThrow(
    /^payments\.refund answered \{"receipt":"rf_1"\} under the key probe-1:\d+, but \{"receipt":"rf_2"\} when it was called again/,
  )
})

test('a deadline of days has a hundred moments, not thousands', async () => {
  const t = scripted(refund, { decide: { decide: 'FULL' }, tools: { 'orders.get': () => order } })
  await t.run()
  await t.after('3d')
  const { points } = await t.crashEverywhere()
  expect(points).toBeGreaterThan(30)
  expect(points).toBeLessThan(100)
})

test('no function of the test is called again: the outside gives its earlier answers', async () => {
  let paid = 0
  const t = scripted(refund, { ...script, tools: { 'orders.get': () => order, 'payments.refund': () => ({ receipt: ++paid }) } })
  await t.run()
  await t.crashEverywhere()
  expect(paid).toBe(1)
})

test('other faults than a crash can be injected', async () => {
  const t = scripted(refund, { ...script, tools: { 'orders.get': () => order, 'payments.refund': () => receipt } })
  await t.run()
  const all = await t.crashEverywhere({ faults: ['tear', 'room'], circumstances: ['slow', 'leaves'] })
  expect(all.points).toBeGreaterThan(10)
})

test('a program that decides by state of its process is found', async () => {
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
  await expect(soon.crashEverywhere()).rejects.toThrow(
    /^the undisturbed run of workflow:forgetful breaks a rule: the run waits for answer engine:error \(.*\n.*guards and handlers must not read them/,
  )
  const later = scripted(forgetful(40), { decide: { work: 'FEW' } })
  expect((await later.run()).path).toEqual(['work', 'few'])
  await expect(later.crashEverywhere()).rejects.toThrow(
    /^workflow:forgetful, with a fault at moment \d+ \(die (before|after) .*; point \d+ die\):/,
  )
})

test('a run that has not ended says what it waits for', async () => {
  const t = scripted(refund, { decide: { decide: 'FULL' }, tools: { 'orders.get': () => order } })
  await t.run()
  await expect(t.crashEverywhere()).rejects.toThrow('it waits for answer approve')
})

test('a run that stopped because of a fault names the fault', async () => {
  const t = scripted(refund, { decide: { decide: 'FULL' }, tools: { 'orders.get': () => ({ total: 'much' }) } })
  await t.run()
  await expect(t.crashEverywhere()).rejects.toThrow(/it waits for answer engine:error \(refund\/read wrote order as/)
})

test('the effects of a handler are reported under its node', async () => {
  const handlers = new HandlerRegistry()
  handlers.register('mine', { idempotency: 'idempotent_with_key', execute: () => ({ status: 'success' }) })
  const t = scripted('digraph p { s [shape=Mdiamond]; e [shape=Msquare]; a [type="mine"]; s -> a -> e }', { pipeline: { handlers } })
  expect((await t.run()).effects.map(({ what, name }) => [what, name])).toEqual([['handler', 'a']])
  expect((await t.crashEverywhere()).repeated).toEqual(['a'])
})
