import { join } from 'node:path'
import { array, assert, asyncProperty, type Arbitrary, constant, constantFrom, oneof, record } from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/kernel/journal/json.ts'
import type { Run } from '../../src/kernel/run/run.ts'
import { openStore } from '../../src/store/index.ts'
import { folder } from '../store/processes.ts'
import { codeOf, containing, kindOf, type Step, type World, worldOf } from './world.ts'

/** Three questions, two of them with deadlines, two topics and a time, all at once; keeps what met each, in order. */
const asks: Step = (x, input) => {
  if (input === undefined) {
    x.wait('answer', 'plain')
    x.wait('answer', 'in 20', { due: x.now + 20 })
    x.wait('answer', 'in 50', { due: x.now + 50 })
    x.wait('message', 'news')
    x.wait('message', 'mail', { due: x.now + 30 })
    x.timer(40, 'in 40')
    return
  }
  const met = [...((x.get('met') ?? []) as Json[]), [input[0], input[1] ?? null, input[2] ?? null]]
  x.set('met', met)
  if (input[0] === 'message') x.wait('message', 'news')
  if (met.length >= 12) x.done(met)
}

const kinds = [kindOf('asks', asks)]
const START = Date.UTC(2026, 0, 5, 9)
const QUESTIONS = ['2w', '2w1', '2w2'] as const

type Event = { readonly is: 'answer' | 'message'; readonly to: string } | { readonly is: 'time'; readonly ms: number }

/** Many lives of processes over one file, each of them killed where it stands. */
class Lives {
  readonly #file: string
  world: World
  run: Run | undefined

  constructor(file: string) {
    this.#file = file
    this.world = this.#next(START)
  }

  #next(at: number): World {
    return worldOf(kinds, { store: openStore(this.#file), at })
  }

  get now(): number {
    return this.world.host.now()
  }

  async start(): Promise<void> {
    this.run = await this.world.start('asks', { id: 'otter' })
    await this.run.idle()
  }

  /** The process is gone without a word, and nobody lives for so long. */
  die(ms = 0): void {
    const at = this.now + ms
    void this.world.store.close()
    this.world = this.#next(at)
  }

  /** Opens the run, if it has not ended. */
  async open(): Promise<void> {
    const code = await codeOf(
      this.world.runtime.resume('otter').then(async (run) => {
        this.run = run
        await run.idle()
      }),
    )
    if (code !== 'nothing') expect(code).toBe('R2001')
  }

  async met(): Promise<Json> {
    const { state } = await this.world.runtime.peek('otter')
    return state.root.reader().get('met') ?? []
  }
}

const tell = async (run: Run | undefined, event: Exclude<Event, { is: 'time' }>, value: number): Promise<string> => {
  if (run === undefined) return 'no run'
  const told: Promise<unknown> = event.is === 'answer' ? run.answer(event.to, value) : run.message(event.to, value, { id: `m${value}` })
  return codeOf(told)
}

/** All in one life, as it comes. */
async function undisturbed(events: readonly Event[]): Promise<Json> {
  const world = worldOf(kinds, { at: START })
  const run = await world.start('asks', { id: 'otter' })
  await run.idle()
  for (const [i, event] of events.entries()) {
    if (event.is === 'time') await world.host.advance(event.ms)
    else await tell(run, event, i)
    await run.idle()
  }
  return run.state.root.reader().get('met') ?? []
}

/** A restart between every two events; time passes while nobody lives. */
async function restarted(events: readonly Event[]): Promise<Json> {
  const lives = new Lives(join(folder(), 'reflex.db'))
  await lives.start()
  for (const [i, event] of events.entries()) {
    lives.die(event.is === 'time' ? event.ms : 0)
    await lives.open()
    if (event.is !== 'time') await tell(lives.run, event, i)
    await lives.run?.idle()
  }
  const met = await lives.met()
  void lives.world.store.close()
  return met
}

/** Everything comes while no process lives: then one opens the run. */
async function posted(events: readonly Event[]): Promise<Json> {
  const lives = new Lives(join(folder(), 'reflex.db'))
  await lives.start()
  for (const [i, event] of events.entries()) {
    if (event.is === 'time') {
      lives.die(event.ms)
      continue
    }
    const { store } = lives.world
    await codeOf((async () => store.post('otter', { id: `m${i}`, type: event.is, to: event.to, body: i, at: lives.now }))())
  }
  lives.die()
  await lives.open()
  const met = await lives.met()
  void lives.world.store.close()
  return met
}

const anEvent: Arbitrary<Event> = oneof(
  record({ is: constant('answer' as const), to: constantFrom(...QUESTIONS) }),
  record({ is: constant('message' as const), to: constantFrom('news', 'mail') }),
  record({ is: constant('time' as const), ms: constantFrom(0, 5, 10, 15, 25) }),
)

describe('waits', () => {
  it('meet the same in one life, with a restart between every two events, and when all came while nobody lived', async () => {
    await assert(
      asyncProperty(array(anEvent, { maxLength: 9 }), async (events) => {
        const expected = await undisturbed(events)
        expect(await restarted(events)).toEqual(expected)
        expect(await posted(events)).toEqual(expected)
      }),
      { numRuns: 12, seed: 4 },
    )
  })

  it('that were open in parallel keep their names over restarts, and an answer meets exactly one', async () => {
    const lives = new Lives(join(folder(), 'reflex.db'))
    await lives.start()
    for (const [i, question] of [...QUESTIONS].reverse().entries()) {
      lives.die()
      await lives.open()
      const { waits } = await lives.world.runtime.peek('otter').then(({ row }) => row)
      expect(waits.filter(({ type }) => type === 'answer').map(({ id }) => id)).toEqual(QUESTIONS.slice(0, 3 - i))
      expect(await tell(lives.run, { is: 'answer', to: question }, i)).toBe('nothing')
    }
    expect(await lives.met()).toEqual([
      ['answer', '2w2', 0],
      ['answer', '2w1', 1],
      ['answer', '2w', 2],
    ])
    void lives.world.store.close()
  })

  it('refuse what comes too late, with the record that closed them, in another life too', async () => {
    const lives = new Lives(join(folder(), 'reflex.db'))
    await lives.start()
    await lives.run?.answer('2w', 'first')
    lives.die(25)
    await lives.open()
    lives.die()
    await lives.open()
    for (const [wait, closed] of [
      ['2w', 3],
      ['2w1', 4],
    ] as const)
      await expect(lives.run?.answer(wait, 'late')).rejects.toMatchObject({
        code: 'R2002',
        message: containing(`record ${closed} closed it`),
        data: { closed },
      })
    const { store } = lives.world
    await store.post('otter', { id: 'x', type: 'answer', to: '2w1', body: 'late', at: lives.now })
    lives.die()
    await lives.open()
    const { records } = await lives.world.runtime.history('otter')
    expect(records.at(-1)?.input).toMatchObject(['kernel', 'refused', { to: '2w1', fault: { code: 'R2002', data: { closed: 4 } } }])
    expect(await lives.world.store.inbox('otter')).toEqual([])
    void store.close()
  })

  it('an answer that came before a deadline, while nobody lived, meets its question; one that came after it does not', async () => {
    for (const [at, met] of [
      [19, [['answer', '2w1', 'in time']]],
      [20, [['timer', '2w1', null]]],
    ] as const) {
      const lives = new Lives(join(folder(), 'reflex.db'))
      await lives.start()
      await lives.world.store.post('otter', { id: 'x', type: 'answer', to: '2w1', body: 'in time', at: START + at })
      lives.die(21)
      await lives.open()
      expect(await lives.met()).toEqual(met)
      void lives.world.store.close()
    }
  })
})
