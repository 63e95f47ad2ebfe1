import { describe, expect, test } from 'vitest'
import { type Port, type Repeat } from '../../src/kernel/index.ts'
import { blockRun, cancelOpen } from '../../src/runs/cancelling.ts'
import { Kinds } from '../../src/programs/kinds.ts'
import { RunHandle } from '../../src/runs/handle.ts'
import { replay } from '../../src/kernel/run/replay.ts'
import type { Run } from '../../src/kernel/run/run.ts'
import { memoryStore } from '../../src/store/index.ts'
import { kindOf, type Step, type World, worldOf } from './world.ts'
import type { RunSettings } from '../../src/policy/index.ts'

/** An effect under way beside a called program that undoes something when it is cancelled. */
const busy: Step = (x, input) => {
  if (input !== undefined) return
  x.request('pay')
  x.call('careful:careful')
}

/** Undoes by an effect, and leaves once that has settled. */
const careful: Step = (x, input) => {
  if (input?.[0] === 'cancel') return void x.request('undo')
  if (input?.[0] === 'ok') return x.cancelled()
  x.wait('answer', 'never')
}

/** Keeps its own effect when it hears of its cancellation, and leaves once that has settled. */
const patient: Step = (x, input) => {
  if (input === undefined) x.request('pay')
  else if (input[0] === 'ok' || input[0] === 'err') x.cancelled(input[0])
}

interface Lives {
  readonly live: () => World
  readonly begun: string[]
}

/** Processes over one store, whose effects never end but for `undo`; what is begun is written down. */
function livesOf(repeat: Repeat, leaves = false): Lives {
  const store = memoryStore()
  const begun: string[] = []
  const pay: Port = { leaves, repeat, perform: () => (begun.push('pay'), new Promise(() => undefined)) }
  const undo: Port = { leaves: true, repeat: 'keyed', perform: () => (begun.push('undo'), 'undone') }
  const kinds = [kindOf('busy', busy), kindOf('careful', careful, { cancels: true }), kindOf('patient', patient, { cancels: true })]
  return {
    begun,
    live: () => {
      const world = worldOf(kinds, { store, ports: { pay, undo } })
      for (const name of ['careful', 'busy', 'patient']) world.runtime.programs.add(name, name, {})
      return world
    },
  }
}

async function begunAndLeft(lives: Lives, root: string): Promise<void> {
  const world = lives.live()
  const run = await world.runtime.start(world.runtime.programs.add(root, root, {}), { id: 'otter' })
  await world.host.drain()
  await run.leave()
}

const post = async ({ store }: World): Promise<unknown> =>
  store.post('otter', { id: 'c', type: 'cancel', to: '', body: 'enough', by: 'ben', at: 0 })

/** Cancels as `Reflex.cancel` does. */
async function cancelled(world: World): Promise<Run> {
  const handle = (run: Run): RunHandle =>
    new RunHandle(run as Run<RunSettings>, new Kinds([]).programsOf(world.runtime.programs, run.state))
  const run = await world.runtime.resume('otter', { prepare: (made) => blockRun(handle(made)) })
  await cancelOpen(handle(run), 'enough', 'ben')
  await run.idle()
  return run
}

const standing = ({ state }: Run): object => ({ ended: state.ended?.status, asks: [...state.waits.values()].map(({ name }) => name) })
const gone = { ended: 'cancelled', asks: [] }

describe.each(['free', 'keyed', 'ask'] as const)('of an effect that was in flight when its process died (%s)', (repeat) => {
  test.each([true, false])('nothing is performed again once a cancellation waits in the inbox (leaves: %s)', async (leaves) => {
    const lives = livesOf(repeat, leaves)
    await begunAndLeft(lives, 'busy')
    const world = lives.live()
    await post(world)
    const run = await world.runtime.resume('otter')
    await run.idle()
    expect({ ...standing(run), begun: lives.begun }).toEqual({ ...gone, begun: ['pay', 'undo'] })
    expect(replay(await world.runtime.journal('otter'), world.runtime.programs).difference).toBeUndefined()
  })

  test('nothing is performed again by whoever cancels, while what was called undoes', async () => {
    const lives = livesOf(repeat)
    await begunAndLeft(lives, 'busy')
    const run = await cancelled(lives.live())
    expect({ ...standing(run), begun: lives.begun }).toEqual({ ...gone, begun: ['pay', 'undo'] })
  })

  test('nothing is performed again by whoever goes on with a cancellation that was cut short', async () => {
    const lives = livesOf(repeat)
    await begunAndLeft(lives, 'busy')
    const first = lives.live()
    const held = await first.runtime.resume('otter', { prepare: (run) => run.block((next) => 'port' in next) })
    await held.cancel()
    held.close()
    expect((await first.store.runs())[0]).toMatchObject({ status: 'running' })
    const run = await lives.live().runtime.resume('otter')
    await run.idle()
    expect({ ...standing(run), begun: lives.begun }).toEqual({ ...gone, begun: ['pay', 'undo'] })
  })

  test('what a program keeps that has heard is treated as after any crash', async () => {
    const lives = livesOf(repeat)
    await begunAndLeft(lives, 'patient')
    const world = lives.live()
    const run = await world.runtime.resume('otter', { prepare: (made) => made.block((next) => 'port' in next) })
    await run.cancel()
    run.block(undefined)
    while (run.release());
    await world.host.drain()
    expect({ asks: [...run.state.waits.values()].map(({ name }) => name), begun: lives.begun.length }).toEqual(
      repeat === 'ask' ? { asks: ['outcome'], begun: 1 } : { asks: [], begun: 2 },
    )
  })
})
