import { describe, expect, it } from 'vitest'
import type { Fault } from '../../src/kernel/journal/fault.ts'
import { faults } from '../../src/kernel/journal/faults.ts'
import type { Port } from '../../src/kernel/ports/port.ts'
import type { Store, Worker } from '../../src/kernel/ports/store.ts'
import { memoryStore } from '../../src/store/index.ts'
import { MovingHost } from '../../src/testing/fault-suite/moving-host.ts'
import { codeOf, kindOf, type Step, type World, worldOf } from './world.ts'

const LEASE = 1_000
const HEIR: Worker = { id: 'heir', host: 'other', pid: 1 }

/** Requests two effects at once, and ends when both have settled. */
const both: Step = (x, input) => {
  if (input === undefined) {
    x.go(0)
    x.request('slow')
    x.request('letter')
  } else if (x.position === 1) x.done('both')
  else x.go(1)
}

/** Requests one letter after each message. */
const letters: Step = (x, input) => {
  if (input?.[0] === 'message') x.request('letter')
  x.wait('message', 'send')
}

interface Process extends World {
  readonly clock: MovingHost
  readonly troubles: Fault[]
}

function processOn(machine: string, store: Store, ports: Readonly<Record<string, Port>>, at?: number): Process {
  const clock = new MovingHost(at, machine.length)
  const troubles: Fault[] = []
  const world = worldOf([kindOf('both', both), kindOf('letters', letters)], {
    store,
    ports,
    host: clock,
    worker: { id: machine, host: machine, pid: 1 },
    leaseMs: LEASE,
    onTrouble: (fault) => troubles.push(fault),
  })
  return { ...world, host: clock, clock, troubles }
}

/** A port that counts what it sends. */
function letterBox(): Port & { readonly sent: string[] } {
  const sent: string[] = []
  return { leaves: true, repeat: 'keyed', sent, perform: ({ key }) => sent.push(key) }
}

/** The store over a connection that can be cut or go silent; each method answers later. */
function distant(store: Store): { readonly store: Store; readonly line: { state: 'open' | 'cut' | 'silent'; beats: number } } {
  const line: { state: 'open' | 'cut' | 'silent'; beats: number } = { state: 'open', beats: 0 }
  const over = new Proxy(store, {
    get: (target, name: keyof Store) => {
      const method = target[name]
      if (typeof method !== 'function') return method
      return async (...args: never[]) => {
        if (name === 'beat') line.beats++
        if (line.state === 'cut') throw faults.make('R5005', 'the line is cut')
        if (line.state === 'silent') return new Promise(() => undefined)
        return Reflect.apply<Store, never[], unknown>(method, target, args)
      }
    },
  })
  return { store: over, line }
}

describe('two effects that begin together, the first of which blocks its process for longer than the lease', () => {
  it.each([
    ['while it is stopped', (clock: MovingHost) => clock.block(5 * LEASE)],
    ['while the machine sleeps, in which the monotonic clock stands still', (clock: MovingHost) => clock.jump(5 * LEASE)],
    [
      'while the wall clock is set back',
      (clock: MovingHost) => {
        clock.block(5 * LEASE)
        clock.jump(-5 * LEASE)
      },
    ],
  ])('%s: the second is performed once, by the process that took over', async (_, block) => {
    const store = memoryStore()
    const letter = letterBox()
    const claims: unknown[] = []
    const slow: Port = {
      leaves: true,
      repeat: 'keyed',
      perform: () => {
        if (claims.length > 0) return null
        const now = first.clock.now() + 6 * LEASE
        void store.hello(HEIR, now, LEASE)
        claims.push(store.claim('run', HEIR, now))
        block(first.clock)
        return null
      },
    }
    const first = processOn('first', store, { slow, letter })
    const run = await first.start('both', { id: 'run' })
    expect(await codeOf(run.idle())).toBe('R5002')
    expect(claims).toEqual([expect.objectContaining({ lease: expect.anything() as unknown })])
    expect(letter.sent).toEqual([])
    const heir = worldOf([kindOf('both', both)], {
      store,
      ports: { slow, letter },
      worker: HEIR,
      leaseMs: LEASE,
      at: first.clock.now() + 6 * LEASE,
    })
    const again = await heir.runtime.resume('run')
    await again.idle()
    expect(again.state.ended?.value).toBe('both')
    expect(letter.sent).toEqual(['run:2.1'])
  })

  it('the process performs it itself if no other process took over', async () => {
    const store = memoryStore()
    const letter = letterBox()
    const slow: Port = { leaves: true, repeat: 'ask', perform: () => first.clock.jump(5 * LEASE) }
    const first = processOn('first', store, { slow, letter })
    const run = await first.start('both', { id: 'run' })
    await run.idle()
    expect(run.state.ended?.value).toBe('both')
    expect(letter.sent).toHaveLength(1)
  })
})

describe('a heartbeat that comes after a gap longer than the lease', () => {
  it('proves nothing about the runs: the store is asked about each before an effect', async () => {
    const store = memoryStore()
    const letter = letterBox()
    const first = processOn('first', store, { letter })
    const run = await first.start('letters', { id: 'run' })
    await run.idle()
    first.clock.jump(5 * LEASE)
    await store.hello(HEIR, first.clock.now(), LEASE)
    expect(store.claim('run', HEIR, first.clock.now())).toHaveProperty('lease')
    // The next heartbeat, well after the gap: by now it looks as if nothing had happened.
    await first.clock.advance(LEASE)
    await run.message('send', null)
    expect(await codeOf(run.idle())).toBe('R5002')
    expect(letter.sent).toEqual([])
  })
})

describe('a store that does not confirm the lease', () => {
  const begun = async (box = letterBox()) => {
    const memory = memoryStore()
    const { store, line } = distant(memory)
    const first = processOn('first', store, { letter: box })
    const run = await first.start('letters', { id: 'run' })
    await run.idle()
    return { memory, line, first, run, box }
  }

  it.each(['cut', 'silent'] as const)(
    '%s: is asked again within the lease, and the run continues where it answers in time',
    async (state) => {
      const { line, first, run, box } = await begun()
      line.state = state
      await first.clock.advance(0.6 * LEASE)
      line.state = 'open'
      await first.clock.advance(LEASE)
      await run.message('send', null)
      await run.idle()
      expect([box.sent.length, first.troubles]).toEqual([1, []])
    },
  )

  it.each(['cut', 'silent'] as const)('%s: the user is notified before the lease is over, once', async (state) => {
    const { line, first } = await begun()
    line.state = state
    await first.clock.advance(LEASE)
    expect(first.troubles.map(({ code, verdict }) => [code, verdict])).toEqual([['R5012', 'wait']])
    await first.clock.advance(10 * LEASE)
    expect(first.troubles).toHaveLength(1)
    line.state = 'open'
    await first.clock.advance(LEASE)
    line.state = state
    await first.clock.advance(LEASE)
    expect(first.troubles).toHaveLength(2)
  })

  it('an effect waits for the store, and begins once the lease is confirmed', async () => {
    const { line, first, run, box, memory } = await begun()
    const commit = memory.commit.bind(memory)
    // The line goes silent right after the commit that lets the effect through.
    memory.commit = (batches) => {
      const refused = commit(batches)
      line.state = 'silent'
      first.clock.jump(0.8 * LEASE)
      return refused
    }
    void run.message('send', null)
    await first.clock.drain(10)
    expect(box.sent).toEqual([])
    memory.commit = commit
    line.state = 'open'
    await first.clock.advance(LEASE)
    await run.idle()
    expect(box.sent).toHaveLength(1)
  })

  it('an effect that waited for a whole lease is not performed; the run stops with R5012 and is intact', async () => {
    const { line, first, run, box, memory } = await begun()
    const commit = memory.commit.bind(memory)
    memory.commit = (batches) => {
      const refused = commit(batches)
      line.state = 'cut'
      first.clock.jump(0.8 * LEASE)
      return refused
    }
    void run.message('send', null).catch(() => undefined)
    await first.clock.drain(10)
    memory.commit = commit
    await first.clock.advance(2 * LEASE)
    expect(await codeOf(run.idle())).toBe('R5012')
    expect(box.sent).toEqual([])
    line.state = 'open'
    const heir = processOn('second', memory, { letter: box }, first.clock.now() + 3 * LEASE)
    const again = await heir.runtime.resume('run')
    await again.idle()
    expect(box.sent).toHaveLength(1)
  })

  it('an answer that comes after a quarter of the lease counts for nothing', async () => {
    const { line, first, memory } = await begun()
    const beat = memory.beat.bind(memory)
    memory.beat = (...args) => {
      const answer = beat(...args)
      first.clock.jump(0.3 * LEASE)
      return answer
    }
    await first.clock.advance(2 * LEASE)
    expect(line.beats).toBeGreaterThan(2)
    expect(first.troubles.map(({ code }) => code)).toEqual(['R5012'])
  })
})

describe('an effect that leaves nothing, costs nothing and may be repeated', () => {
  it('is performed without a check of the lease', async () => {
    const store = memoryStore()
    let beats = 0
    const beat = store.beat.bind(store)
    store.beat = (...args) => {
      beats++
      return beat(...args)
    }
    const letter: Port = { leaves: false, repeat: 'free', perform: () => null }
    const first = processOn('first', store, { letter })
    const run = await first.start('letters', { id: 'run' })
    await run.idle()
    first.clock.jump(5 * LEASE)
    await run.message('send', null)
    await run.idle()
    expect(beats).toBe(0)
  })
})
