import { array, assert, asyncProperty, constantFrom, integer, record as recordOf } from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Admission } from '../../src/kernel/ports/admission.ts'
import type { Port, Repeat } from '../../src/kernel/ports/port.ts'
import { replay } from '../../src/kernel/run/replay.ts'
import type { Run } from '../../src/kernel/run/run.ts'
import { memoryStore, type Store } from '../../src/store/index.ts'
import { codeOf, containing, Doors, failure, kindOf, type Step, type World, worldOf } from './world.ts'

/** Rooms whose number the test sets. Calls wait in their order; it throws if a room is left twice. */
class Rooms implements Admission {
  most = 0
  held = 0
  left = 0
  readonly asked: string[] = []
  readonly #waiting: { readonly begin: () => void; readonly signal: AbortSignal }[] = []

  constructor(most = 0) {
    this.most = most
  }

  get waiting(): number {
    return this.#waiting.length
  }

  isLimited(use: string): boolean {
    return use.startsWith('tool:')
  }

  enter(use: string, signal: AbortSignal): Promise<() => void> {
    this.asked.push(use)
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        this.held++
        resolve(() => {
          this.held--
          this.left++
          this.#admit()
        })
      }
      const call = { begin, signal }
      this.#waiting.push(call)
      signal.addEventListener('abort', () => {
        const place = this.#waiting.indexOf(call)
        if (place >= 0) this.#waiting.splice(place, 1)
        reject(signal.reason as Error)
      })
      this.#admit()
    })
  }

  open(most: number): void {
    this.most = most
    this.#admit()
  }

  #admit(): void {
    while (this.held < this.most) {
      const next = this.#waiting.shift()
      if (next === undefined) return
      next.begin()
    }
  }
}

/** One effect of each port that its source names, one after the other. */
const chain: Step = (x, input) => {
  const ports = x.def as string[]
  const at = Number(x.get('at') ?? 0)
  if (input?.[0] === 'again') return
  if (input !== undefined) x.set(`e${at}`, input[0] === 'ok' ? input[2] : input[0])
  const port = ports[at]
  if (port === undefined) return x.done()
  x.set('at', at + 1)
  x.request(port)
}
/** All effects of its source at once. */
const beside: Step = (x, input) => {
  const ports = x.def as string[]
  const settled = Number(x.get('settled') ?? 0)
  if (input === undefined) for (const port of ports) x.request(port)
  else if (input[0] === 'ok' || input[0] === 'err') {
    x.set('settled', settled + 1)
    if (settled + 1 === ports.length) x.done()
  }
}
/** Drops its effect when it hears a message, and then ends. */
const fickle: Step = (x, input) => {
  if (input === undefined) {
    x.request('ask')
    x.wait('message', 'enough')
  } else if (input[0] === 'message') {
    x.drop(...x.pendingEffects().map(({ id }) => id))
    x.done()
  }
}
const kinds = [kindOf('chain', chain), kindOf('beside', beside), kindOf('fickle', fickle)]

function portsOf(doors: Doors): Record<string, Port> {
  const limited = (repeat: Repeat): Port => ({ ...doors.port(true, repeat), uses: () => 'tool:refund' })
  return { ask: limited('ask'), keyed: limited('keyed'), free: doors.port(true, 'keyed') }
}

function started(admission: Admission | undefined, store?: Store): { world: World; doors: Doors } {
  const doors = new Doors()
  const world = worldOf(kinds, {
    ports: portsOf(doors),
    ...(admission === undefined ? {} : { admission }),
    ...(store === undefined ? {} : { store }),
  })
  return { world, doors }
}

async function inputsOf(world: World, run: Run): Promise<string[]> {
  return (await world.runtime.journal(run.id)).map(({ input }) => String(input?.[0]))
}

describe('a call of which an operator limits what it uses', () => {
  it('begins only with room, and the run is at work and not at rest until then', async () => {
    const rooms = new Rooms()
    const { world, doors } = started(rooms)
    const run = await world.start('chain', { source: ['ask', 'ask'] })
    await world.host.advance(60_000)
    expect({ begun: doors.open.length, asked: rooms.asked, atRest: run.atRest, status: run.status }).toEqual({
      begun: 0,
      asked: ['tool:refund'],
      atRest: false,
      status: 'running',
    })
    expect((await world.store.runs())[0]).toMatchObject({ status: 'running' })
    expect(run.state.pendingEffects().next().value).toMatchObject({ isPostponed: true, waitsFor: 'tool:refund' })
    rooms.open(1)
    await world.host.drain()
    expect({ begun: doors.open.length, held: rooms.held }).toEqual({ begun: 1, held: 1 })
    doors.door().settle('paid')
    await world.host.drain()
    expect({ begun: doors.open.length, held: rooms.held, left: rooms.left }).toEqual({ begun: 2, held: 1, left: 1 })
    doors.door().fail(new Error('no luck'))
    await run.idle()
    expect({ ended: run.state.ended?.status, held: rooms.held, left: rooms.left }).toEqual({ ended: 'done', held: 0, left: 2 })
    expect(await inputsOf(world, run)).toEqual(['kernel', 'undefined', 'later', 'again', 'ok', 'later', 'again', 'err'])
  })

  it('is replayed without a question for room', async () => {
    const rooms = new Rooms(1)
    const { world, doors } = started(rooms)
    const run = await world.start('chain', { source: ['ask'] })
    await world.host.drain()
    doors.door().settle('paid')
    await run.idle()
    const asked = rooms.asked.length
    expect(replay(await world.runtime.journal(run.id), world.runtime.programs).difference).toBeUndefined()
    expect(rooms.asked.length).toBe(asked)
  })

  it('has the records of a run without limits if nothing that it uses is limited', async () => {
    const records = async (admission?: Admission): Promise<unknown> => {
      const { world, doors } = started(admission)
      const run = await world.start('chain', { source: ['free', 'free'], id: 'otter' })
      for (let i = 0; i < 2; i++) {
        await world.host.drain()
        doors.door().settle(i)
      }
      await run.idle()
      return inputsOf(world, run)
    }
    const rooms = new Rooms()
    expect(await records(rooms)).toEqual(await records())
    expect(rooms.asked).toEqual([])
  })

  it('lets other calls of its run go on, also those that wait for room of another kind', async () => {
    const rooms = new Rooms()
    const { world, doors } = started(rooms)
    const run = await world.start('beside', { source: ['ask', 'free', 'keyed'] })
    await world.host.drain()
    expect({ begun: doors.open.length, waiting: rooms.waiting }).toEqual({ begun: 1, waiting: 2 })
    doors.door().settle('done')
    rooms.open(1)
    await world.host.drain()
    expect({ begun: doors.open.length, waiting: rooms.waiting }).toEqual({ begun: 2, waiting: 1 })
    doors.door().settle('done')
    await world.host.drain()
    doors.door().settle('done')
    await run.idle()
    expect({ ended: run.state.ended?.status, held: rooms.held, left: rooms.left }).toEqual({ ended: 'done', held: 0, left: 2 })
  })

  it('fails with the reason if nobody can say whether there is room', async () => {
    const { world, doors } = started({
      isLimited: () => true,
      enter: () => {
        throw new Error('no rooms here')
      },
    })
    const run = await world.start('chain', { source: ['ask'] })
    await run.idle()
    const [, , , failed] = await world.runtime.journal(run.id)
    expect(failed?.input).toMatchObject([
      'err',
      2,
      { code: 'R2012', message: containing('there is no room for tool:refund: no rooms here') },
    ])
    expect({ begun: doors.open.length, code: failure(run).code }).toEqual({ begun: 0, code: '' })
  })
})

describe('a wait for room ends at once', () => {
  it('when the run is cancelled', async () => {
    const rooms = new Rooms()
    const { world, doors } = started(rooms)
    const run = await world.start('chain', { source: ['ask'] })
    await world.host.drain()
    await run.cancel('enough', 'ana')
    await run.idle()
    rooms.open(9)
    await world.host.drain()
    expect({ status: run.status, waiting: rooms.waiting, held: rooms.held, begun: doors.open.length }).toEqual({
      status: 'cancelled',
      waiting: 0,
      held: 0,
      begun: 0,
    })
  })

  it('when the program drops the effect', async () => {
    const rooms = new Rooms()
    const { world, doors } = started(rooms)
    const run = await world.start('fickle')
    await world.host.drain()
    await run.message('enough', 1)
    await run.idle()
    expect({ status: run.status, waiting: rooms.waiting, begun: doors.open.length }).toEqual({ status: 'completed', waiting: 0, begun: 0 })
  })

  it.each(['ask', 'keyed'])('when its process drains: nothing is in flight, and any process performs it: %s', async (port) => {
    const rooms = new Rooms()
    const { world, doors } = started(rooms)
    const run = await world.start('chain', { source: [port] })
    await world.host.drain()
    await run.drain()
    expect({ waiting: rooms.waiting, asked: rooms.asked.length, durable: run.durable === run.state.n }).toEqual({
      waiting: 0,
      asked: 1,
      durable: true,
    })
    await run.leave()
    expect(await world.store.due(world.host.now())).toEqual([run.id])
    rooms.open(1)
    const next = started(rooms, world.store)
    const again = await next.world.runtime.resume(run.id)
    await next.world.host.drain()
    expect([...again.state.waits.values()]).toEqual([])
    next.doors.door().settle('paid')
    await again.idle()
    expect({ status: again.status, begun: doors.open.length + next.doors.open.length, held: rooms.held, left: rooms.left }).toEqual({
      status: 'completed',
      begun: 1,
      held: 0,
      left: 1,
    })
  })

  it('for a call that is requested while its process drains, too', async () => {
    const rooms = new Rooms()
    const { world, doors } = started(rooms)
    const run = await world.start('chain', { source: ['free', 'ask'] })
    await world.host.drain()
    const drained = run.drain()
    doors.door().settle('done')
    await drained
    expect({ asked: rooms.asked, begun: doors.open.length }).toEqual({ asked: [], begun: 1 })
    await run.leave()
    const next = started(undefined, world.store)
    const again = await next.world.runtime.resume(run.id)
    await next.world.host.drain()
    expect({ questions: again.state.waits.size, begun: next.doors.open.length }).toEqual({ questions: 0, begun: 1 })
  })

  it('when the store fails, and the run is broken', async () => {
    const rooms = new Rooms()
    const store = memoryStore()
    const { world } = started(rooms, store)
    const run = await world.start('beside', { source: ['ask', 'free'] })
    await world.host.drain()
    store.commit = () => {
      throw new Error('the disk is full')
    }
    const ended = codeOf(run.cancel())
    expect({ code: await ended, waiting: rooms.waiting, held: rooms.held }).toEqual({ code: 'R5005', waiting: 0, held: 0 })
  })
})

describe('a call that is under way', () => {
  it('has its room until it has ended in fact, and leaves it once', async () => {
    const rooms = new Rooms(1)
    const { world, doors } = started(rooms)
    const run = await world.start('chain', { source: ['ask'] })
    await world.host.drain()
    await run.cancel()
    await run.idle()
    expect({ status: run.status, aborted: doors.door().signal.aborted, held: rooms.held }).toEqual({
      status: 'cancelled',
      aborted: true,
      held: 1,
    })
    doors.door().fail(new Error('killed'))
    await world.host.drain()
    expect({ held: rooms.held, left: rooms.left }).toEqual({ held: 0, left: 1 })
  })

  it('takes its room over when it asks for it, and waits for any other', async () => {
    const rooms = new Rooms(1)
    const done: string[] = []
    const port: Port = {
      leaves: true,
      repeat: 'ask',
      uses: () => 'tool:first',
      async perform(call) {
        const first = await call.enter('tool:first')
        first?.()
        first?.()
        done.push(`free ${call.enter('free') === undefined}`)
        await call.enter('tool:second')
        done.push('second')
        return 'ok'
      },
    }
    const world = worldOf(kinds, { ports: { ask: port }, admission: rooms })
    const run = await world.start('chain', { source: ['ask'] })
    await run.idle()
    expect({ done, asked: rooms.asked, held: rooms.held, left: rooms.left }).toEqual({
      done: ['free true', 'second'],
      asked: ['tool:first', 'tool:second'],
      held: 0,
      left: 2,
    })
  })

  it('gives back room that it is given after its end', async () => {
    const rooms = new Rooms(1)
    const other = await rooms.enter('tool:other', new AbortController().signal)
    const port: Port = {
      leaves: false,
      repeat: 'free',
      perform: (call) => {
        void call.enter('tool:late', new AbortController().signal)
        return 'ok'
      },
    }
    const world = worldOf(kinds, { ports: { ask: port }, admission: rooms })
    const run = await world.start('chain', { source: ['ask'] })
    await run.idle()
    expect(rooms.waiting).toBe(1)
    other()
    await world.host.drain()
    expect({ held: rooms.held, left: rooms.left }).toEqual({ held: 0, left: 2 })
  })
})

describe('a process that dies while calls wait', () => {
  /** A store that loses everything after so many commits, until it is mended: the process that writes there has died. */
  function cutAfter(commits: number): { store: Store; mend: () => void } {
    const store = memoryStore()
    const commit = store.commit.bind(store)
    let left = commits
    store.commit = (batches) => (left-- > 0 ? commit(batches) : new Promise(() => undefined))
    return { store, mend: () => (store.commit = commit) }
  }

  it.each([1, 2, 3, 4, 5])('after commit %i asks a person only about a call that had begun', async (commits) => {
    const rooms = new Rooms()
    const { store, mend } = cutAfter(commits)
    const { world, doors } = started(rooms, store)
    await world.start('chain', { source: ['ask', 'ask'], id: 'otter' })
    await world.host.advance(1000)
    rooms.open(1)
    await world.host.advance(1000)
    doors.open[0]?.settle('paid')
    rooms.open(0)
    await world.host.advance(1000)
    const begun = doors.open.length
    const last = (await store.runs())[0]?.last ?? 0
    mend()
    const next = started(undefined, store)
    const run = await next.world.runtime.resume('otter')
    await next.world.host.drain()
    const asked = [...run.state.waits.values()].filter(({ asker }) => asker === 'outcome').length
    const records = (await next.world.runtime.journal('otter')).slice(0, last).map(({ input }) => input?.[0])
    expect(asked).toBe(begun === 1 && records.at(-1) === 'again' ? 1 : 0)
    expect(next.doors.open.length + asked).toBe(1)
  })

  const life = recordOf({ cut: integer({ min: 1, max: 6 }), open: integer({ min: 0, max: 3 }), end: constantFrom('die', 'drain', 'leave') })

  it('and others go on: each call has one result, no person is asked without need, and every room is left once', async () => {
    await assert(
      asyncProperty(array(life, { minLength: 1, maxLength: 4 }), integer({ min: 1, max: 4 }), async (lives, count) => {
        const store = memoryStore()
        const source = Array.from({ length: count }, (_, i) => (i % 2 === 0 ? 'ask' : 'keyed'))
        let isBegun = false
        let killed = 0
        for (const { cut, open, end } of lives) {
          const rooms = new Rooms(open)
          const { world, doors } = started(rooms, store)
          const run = isBegun ? await world.runtime.resume('otter') : await world.start('beside', { source, id: 'otter' })
          isBegun = true
          for (let i = 0; i < cut && run.state.ended === undefined; i++) {
            await world.host.advance(50)
            expect(doors.open.filter(({ signal }) => !signal.aborted).length).toBeLessThanOrEqual(source.length)
            doors.open.pop()?.settle(i)
          }
          await world.host.advance(50)
          const underWay = doors.open.length
          expect(rooms.held).toBe(underWay)
          if (run.state.ended !== undefined) return
          if (end === 'drain') {
            const drained = run.drain()
            for (let i = 0; i < source.length; i++) {
              for (const door of doors.open.splice(0)) door.settle('drained')
              await world.host.advance(50)
            }
            await drained
            expect(rooms.held).toBe(0)
            if (run.state.ended !== undefined) return
          }
          if (end === 'die') run.close()
          else await run.leave()
          for (const door of doors.open.splice(0)) door.fail(new Error('killed'))
          await world.host.drain()
          expect({ waiting: rooms.waiting, held: rooms.held }).toEqual({ waiting: 0, held: 0 })
          await world.runtime.close()
          if (end !== 'drain') killed += underWay
        }
        const last = started(new Rooms(9), store)
        const run = await last.world.runtime.resume('otter')
        await last.world.host.drain()
        for (const wait of run.state.waits.values()) await run.answer(wait.id, 'repeat')
        for (let i = 0; i < source.length; i++) {
          await last.world.host.advance(50)
          for (const door of last.doors.open.splice(0)) door.settle('last')
        }
        await run.idle()
        expect(run.state.ended?.status).toBe('done')
        const records = await last.world.runtime.journal('otter')
        expect(records.filter(({ input }) => input?.[0] === 'ok').length).toBe(source.length)
        expect(records.filter(({ input }) => input?.[0] === 'unknown').length).toBeLessThanOrEqual(killed)
        expect(replay(records, last.world.runtime.programs).difference).toBeUndefined()
      }),
      { numRuns: 60 },
    )
  })
})
