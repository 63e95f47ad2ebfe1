import { describe, expect, it } from 'vitest'
import type { Batch, Store } from '../../src/kernel/ports/store.ts'
import { memoryStore } from '../../src/store/index.ts'
import { kindOf, type Step, worldOf } from './world.ts'

/** Ends when released. */
const asks: Step = (x, input) => (input === undefined ? void x.wait('answer', 'q') : x.done(input[2]))

/** A store whose commits of some runs get no answer until they are let through. */
function stuckFor(stuck: (run: string) => boolean): {
  readonly store: Store
  readonly commits: string[][]
  readonly stuck: (() => void)[]
} {
  const store = memoryStore()
  const commit = store.commit.bind(store)
  const commits: string[][] = []
  const waiting: (() => void)[] = []
  store.commit = async (batches: readonly Batch[]) => {
    const runs = batches.map(({ lease }) => lease.run)
    commits.push(runs)
    if (runs.some(stuck)) await new Promise<void>((resolve) => void waiting.push(resolve))
    return commit(batches)
  }
  return { store, commits, stuck: waiting }
}

describe('a commit that gets no answer', () => {
  const begun = async (stuck: (run: string) => boolean, runs: readonly string[]) => {
    let through = true
    const held = stuckFor((run) => !through && stuck(run))
    const { store } = held
    const world = worldOf([kindOf('asks', asks)], { store, leaseMs: 60_000 })
    const started = await Promise.all(runs.map(async (id) => world.start('asks', { id })))
    await Promise.all(started.map((run) => run.idle()))
    through = false
    held.commits.length = 0
    return { ...held, ...world, started }
  }

  it('delays only its own runs: the others commit beside it, all waiting ones in one commit', async () => {
    const { host, started, stuck, commits } = await begun((run) => run === 'stuck', ['stuck', 'a', 'b'])
    const [first, ...others] = started
    const slow = first?.answer('2w', 'late')
    await host.drain(2)
    const answers = others.map((run) => run.answer('2w', run.id))
    await host.advance(99)
    expect(commits).toEqual([['stuck']])
    await host.advance(1)
    expect(await Promise.all(answers)).toEqual([3, 3])
    expect(commits).toEqual([['stuck'], ['a', 'b']])
    stuck[0]?.()
    expect(await slow).toBe(3)
    expect(first?.state.ended?.value).toBe('late')
  })

  it('is overtaken at most twice: each slow commit holds a connection', async () => {
    const { host, started, stuck, commits } = await begun(() => true, ['a', 'b', 'c', 'd'])
    const answers = []
    for (const run of started) {
      answers.push(run.answer('2w', run.id))
      await host.drain(2)
      await host.advance(1000)
    }
    expect(commits).toEqual([['a'], ['b'], ['c']])
    while (commits.length < 4) {
      stuck.shift()?.()
      await host.drain(2)
    }
    for (const go of stuck) go()
    expect(await Promise.all(answers)).toEqual([3, 3, 3, 3])
  })
})
