import { expect, test } from 'vitest'
import { replay } from '../../src/kernel/run/replay.ts'
import { dumpState } from '../../src/kernel/state/snapshot.ts'
import { memoryStore } from '../../src/store/index.ts'
import { beat } from './probes/beat.ts'
import { codeOf, failure, kindOf, type Step, worldOf } from './world.ts'

/** Long enough that a few hundred of them are worth a snapshot. */
const LONG = 'x'.repeat(500)

test('the board of a run that never ends holds what can be read, live as after a restart', async () => {
  const store = memoryStore()
  const { start, host, runtime } = worldOf([beat], { store })
  const run = await start('beat', { id: 'otter', source: { leaves: 50, changing: 10, everyMs: 50 } })
  for (let tick = 0; tick < 2_000; tick++) await host.advance(50)
  await run.idle()
  expect(run.state.n).toBeGreaterThanOrEqual(2_000)
  expect(run.state.root.scope.size).toBeLessThan(1_500)
  expect(run.state.root.reader().entry('seen')).toMatchObject({
    value: `tick ${run.state.n - 2}`,
    label: `leaf${((run.state.n - 2) * 10) % 50}`,
  })
  const live = dumpState(run.state, () => false)
  await run.leave()
  const { state } = await runtime.peek('otter')
  expect(dumpState(state, () => false)).toEqual(live)
  await runtime.close()
})

test('a strand sees its spawner as of its spawning, however long ago that was', async () => {
  const step: Step = (x, input) => {
    if (x.args === 'strand') {
      if (input === undefined) return void x.wait('message', 'look')
      return x.done(x.get('n'))
    }
    if (input?.[0] === 'end') return x.done([x.strandResult(input[1])?.value ?? null, x.get('n') ?? null])
    const n = Number(x.get('n') ?? 0) + 1
    x.set('n', n)
    x.set('text', LONG)
    if (n === 3) x.spawn(null, { args: 'strand', sees: 'past' })
    x.wait('message', 'go')
  }
  const { start, host, runtime } = worldOf([kindOf('spawns', step)])
  const run = await start('spawns')
  for (let i = 0; i < 600; i++) {
    void run.message('go', null)
    await host.advance(20)
  }
  expect(run.state.root.scope.size).toBeLessThan(1_200)
  await run.message('look', null)
  await run.idle()
  expect(run.state.ended?.value).toEqual([3, 601])
  await runtime.close()
})

test('the limit of a board counts what can be read, also after the log has shrunk', async () => {
  const step: Step = (x, input) => {
    const size = input?.[0] === 'message' ? Number(input[2]) : 500
    x.set('text', 'x'.repeat(size))
    x.wait('message', 'go')
  }
  const { start, host, runtime } = worldOf([kindOf('writes', step, { board: { limit: 1_000 } })])
  const run = await start('writes')
  for (let i = 0; i < 600; i++) {
    void run.message('go', 500)
    await host.advance(20)
  }
  expect(run.state.root.scope.size).toBeLessThan(600)
  await run.message('go', 900)
  expect(run.state.ended).toBeUndefined()
  await run.message('go', 1_100)
  await run.idle()
  expect([failure(run).code, await codeOf(run.message('go', 1))]).toEqual(['R2008', 'R2001'])
  await runtime.close()
})

test.each([
  ['a text', 'a', 'a'],
  ['a list', ['a', 1], ['a', 1]],
  ['the node of an object', { node: 'a', phase: 'enter' }, 'a'],
  ['nothing of an object without one', { leaf: 'a' }, undefined],
] as const)('an entry is labelled by %s', async (_, position, label) => {
  const step: Step = (x, input) => {
    if (input === undefined) {
      x.go(position)
      return void x.wait('answer', 'q')
    }
    x.set('key', 1)
    return void x.wait('answer', 'q')
  }
  const { start } = worldOf([kindOf('goes', step)])
  const run = await start('goes')
  await run.idle()
  await run.answer('2w', 'on')
  expect(run.state.root.reader().entry('key')?.label).toEqual(label)
})

test('a write can say where it comes from, also to an inner scope, and a replay agrees', async () => {
  const step: Step = (x, input) => {
    if (input !== undefined) return void x.wait('answer', 'q')
    x.go({ leaves: 2 })
    const inner = x.open()
    x.set('a', 1, { from: 'leaf1' })
    x.set('a', 2, { from: ['leaf', 2] })
    x.set('b', 1)
    x.setIn(inner, 'a', 3, { from: 'leaf3' })
    return void x.wait('answer', 'q')
  }
  const store = memoryStore()
  const { start, runtime } = worldOf([kindOf('writes', step, { board: { scopes: true } })], { store })
  const run = await start('writes')
  await run.idle()
  const labels = ({ root }: typeof run.state) => [
    root.reader().entry('a')?.label,
    root.reader().entry('b')?.label,
    [...(root.subs?.values() ?? [])].map(({ scope }) => scope.liveEntries().get('a')?.label),
  ]
  expect(labels(run.state)).toEqual([['leaf', 2], undefined, ['leaf3']])
  expect(labels((await runtime.peek(run.id)).state)).toEqual(labels(run.state))
  expect(replay(await runtime.journal(run.id), runtime.programs).difference).toBeUndefined()
  await runtime.close()
})
