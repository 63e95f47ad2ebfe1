import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Json } from '../../src/kernel/journal/json.ts'
import { questionInterruption, unknownInterruption } from '../../src/kernel/ports/interruption.ts'
import type { Call, Port } from '../../src/kernel/ports/port.ts'
import { replay } from '../../src/kernel/run/replay.ts'
import { dumpState, loadState } from '../../src/kernel/state/snapshot.ts'
import { openStore } from '../../src/store/index.ts'
import { folder } from '../store/processes.ts'
import { kindOf, type Step, worldOf } from './world.ts'

/** Asks for one effect and returns its result. */
const asks: Step = (x, input) => {
  if (input?.[0] === 'ok') x.done(input[2])
  else if (input?.[0] === 'err') x.done('failed')
  else if (input === undefined) x.request('form', null)
}
const kinds = [kindOf('asks', asks)]

/** An effect that needs two answers, and counts how often it is performed. */
function form(calls: Json[]): Port {
  return {
    leaves: true,
    repeat: 'ask',
    perform: ({ answers }: Call) => {
      calls.push(answers.map(({ answer }) => answer))
      const next = ['size', 'colour'][answers.length]
      if (next !== undefined) throw questionInterruption(next, { text: `Which ${next}?` })
      return answers.map(({ answer }) => answer)
    },
  }
}

it('suspends a run for the questions of an effect, over a crash and a snapshot, and performs it with the answers', async () => {
  const file = join(folder(), 'reflex.db')
  const calls: Json[] = []
  const first = worldOf(kinds, { store: openStore(file), ports: { form: form(calls) } })
  const run = await first.start('asks', { id: 'otter' })
  await run.idle()
  expect([...run.state.waits.values()].map(({ name, asker, about }) => [name, asker, about])).toEqual([
    ['size', 'program', { text: 'Which size?' }],
  ])
  await run.answer([...run.state.waits.keys()][0] ?? 0, 'large')
  await run.idle()
  const restored = loadState(structuredClone(dumpState(run.state, () => true)))
  expect([...restored.pendingEffects()].map(({ answers }) => answers)).toEqual([[{ about: { text: 'Which size?' }, answer: 'large' }]])
  await run.drain()
  await first.store.close()
  const second = worldOf(kinds, { store: openStore(file), ports: { form: form(calls) }, at: first.host.now() + 60_000 })
  const resumed = await second.runtime.resume('otter')
  await resumed.idle()
  await resumed.answer([...resumed.state.waits.keys()][0] ?? 0, 'red')
  await resumed.idle()
  expect(resumed.state.ended).toMatchObject({ status: 'done', value: ['large', 'red'] })
  expect(calls).toEqual([[], ['large'], ['large', 'red']])
  expect(replay(await second.runtime.journal('otter'), second.runtime.programs).difference).toBeUndefined()
})

it('asks whether an effect with an unknown outcome happened, and begins it again after "repeat"', async () => {
  const seen: Json[] = []
  const port: Port = {
    leaves: true,
    repeat: 'ask',
    perform: ({ answers }: Call) => {
      seen.push(answers.length)
      if (seen.length === 1) throw questionInterruption('who', { text: 'Who?' })
      if (seen.length === 2) throw unknownInterruption('the server ended')
      return 'done'
    },
  }
  const { start } = worldOf(kinds, { ports: { form: port } })
  const run = await start('asks')
  await run.idle()
  await run.answer([...run.state.waits.keys()][0] ?? 0, 'me')
  await run.idle()
  const [wait] = run.state.waits.values()
  expect(wait?.asker).toBe('outcome')
  await run.answer(wait?.id ?? 0, 'repeat')
  await run.idle()
  expect(run.state.ended).toMatchObject({ status: 'done', value: 'done' })
  expect(seen).toEqual([0, 1, 0])
})
