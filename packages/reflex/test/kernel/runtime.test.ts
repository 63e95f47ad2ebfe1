import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../src/store/index.ts'
import { ledgerPort } from '../../src/kernel/ports/ledger.ts'
import { share } from './probes/share.ts'
import type { Json } from '../../src/kernel/journal/json.ts'
import type { Rec } from '../../src/kernel/journal/record.ts'
import { replay } from '../../src/kernel/run/replay.ts'
import type { Run } from '../../src/kernel/run/run.ts'
import { dumpState, loadState, type StoredState } from '../../src/kernel/state/snapshot.ts'
import { State } from '../../src/kernel/state/state.ts'
import type { Batch } from '../../src/kernel/ports/store.ts'
import { codeOf, Doors, failure, kindOf, type Step, worldOf } from './world.ts'
import { textOf } from './probes/text.ts'

/** Goes on by itself for as many steps as its source says. */
const counts: Step = (x) => {
  const at = Number(x.position ?? 0)
  if (at >= Number(x.def)) return x.done(at)
  x.go(at + 1)
  x.again()
}

const asks: Step = (x, input) => (input === undefined ? void x.wait('answer', 'q') : x.done(input[2]))

describe('the loop', () => {
  it('lets the event loop turn while a run goes on that never waits', async () => {
    const { start, host } = worldOf([kindOf('counts', counts)], { store: 'none' })
    let turns = 0
    const turn = () => {
      turns++
      host.turn(turn)
    }
    host.turn(turn)
    const run = await start('counts', { source: 20_000 })
    await run.idle()
    expect(run.state.ended?.value).toBe(20_000)
    expect(turns).toBeGreaterThan(5)
    host.turn = () => {}
  })

  it('makes the records of such a run durable on the way', async () => {
    const store = memoryStore()
    const sizes: number[] = []
    const commit = store.commit.bind(store)
    store.commit = (batches) => {
      sizes.push(...batches.map(({ count }) => count))
      return commit(batches)
    }
    const run = await worldOf([kindOf('counts', counts)], { store }).start('counts', { source: 5_000 })
    await run.idle()
    expect(Math.max(...sizes)).toBeLessThan(3_000)
    expect(sizes.reduce((a, b) => a + b, 0)).toBe(run.state.n)
  })

  it('shares one transaction among the runs of a turn', async () => {
    const store = memoryStore()
    const commits: (readonly Batch[])[] = []
    const commit = store.commit.bind(store)
    store.commit = (batches) => {
      commits.push(batches)
      return commit(batches)
    }
    const world = worldOf([kindOf('asks', asks)], { store })
    const runs = await Promise.all(Array.from({ length: 10 }, () => world.start('asks')))
    await Promise.all(runs.map((run) => run.idle()))
    expect(commits.length).toBeLessThan(4)
    commits.length = 0
    await Promise.all(runs.map((run) => run.answer('2w', 1)))
    expect(commits.map((batches) => batches.length)).toEqual([10])
  })

  it('loses one run of a batch, and no other', async () => {
    const world = worldOf([kindOf('asks', asks)])
    const [a, b] = [await world.start('asks'), await world.start('asks')]
    await Promise.all([a.idle(), b.idle()])
    await worldOf([kindOf('asks', asks)], { store: world.store }).runtime.resume(a.id)
    const told = await Promise.allSettled([a.answer('2w', 1), b.answer('2w', 2)])
    expect(told.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  })

  it('shows nothing to subscribers before it is durable, and cannot be stopped by who watches', async () => {
    const { start } = worldOf([kindOf('asks', asks)])
    const seen: string[] = []
    const caught: unknown[] = []
    const listeners = process.listeners('unhandledRejection')
    process.removeAllListeners('unhandledRejection')
    process.on('unhandledRejection', (reason) => caught.push(reason))
    const run = await start('asks', {
      prepare: (made) => {
        made.observe(({ n }) => seen.push(`observed ${n}`))
        made.observe(() => {
          throw new Error('observer')
        })
        made.subscribe((_, n) => {
          seen.push(`durable ${n} of ${made.durable}`)
          throw new Error('subscriber')
        })
      },
    })
    await run.idle()
    await new Promise((resolve) => setTimeout(resolve, 5))
    process.removeAllListeners('unhandledRejection')
    for (const listener of listeners) process.on('unhandledRejection', listener)
    expect(seen).toEqual(['observed 1', 'observed 2', 'durable 1 of 2', 'durable 2 of 2'])
    expect(caught).toHaveLength(4)
  })
})

describe('control by hand', () => {
  it('holds what it is told to hold, one release at a time', async () => {
    const doors = new Doors()
    const two: Step = (x, input) => {
      if (input === undefined) {
        x.request('slow', 1)
        x.request('slow', 2)
      } else if (x.pendingEffects().length === 1) x.done()
    }
    const { start, host } = worldOf([kindOf('two', two)], { ports: { slow: doors.port() } })
    const run = await start('two', { prepare: (made) => made.block(() => true) })
    await run.idle()
    expect([run.state.n, doors.open.length, run.status]).toEqual([1, 0, 'running'])
    expect(run.release()).toBe(true)
    await run.idle()
    expect([run.state.n, doors.open.length]).toEqual([2, 0])
    expect(run.release()).toBe(true)
    expect(doors.open.length).toBe(1)
    expect(run.release()).toBe(true)
    expect(run.release()).toBe(false)
    run.block(undefined)
    for (const door of doors.open) door.settle(1)
    await host.drain()
    await run.idle()
    expect(run.state.ended?.status).toBe('done')
  })

  it('gives commands to a frame, as records', async () => {
    const obeys: Step = (x, input) => (input?.[0] === 'host' ? x.done(input[1]) : void x.wait('answer', 'q'))
    const { start } = worldOf([kindOf('obeys', obeys)])
    const run = await start('obeys')
    await run.idle()
    expect(await codeOf(run.command('9f', 1))).toBe('R2002')
    expect(await run.command(0, { stop: 1 })).toBe(3)
    expect(run.state.ended?.value).toEqual({ stop: 1 })
    expect(await codeOf(run.command(0, 1))).toBe('R2001')
  })
})

describe('programs', () => {
  const callsLate: Step = (x, input) => {
    if (input?.[0] === 'ret') return x.done(input[3])
    if (input === undefined) return void x.wait('answer', 'which')
    x.hasProgram('never:never')
    x.call(textOf(input[2]))
  }
  const says: Step = (x) => x.done(x.def)

  it('met late are pinned by the record that first uses them, whatever is registered later', async () => {
    const kinds = [kindOf('late', callsLate), kindOf('says', says)]
    const world = worldOf(kinds)
    const run = await world.start('late')
    world.runtime.programs.add('says', 'it', 'first')
    await run.idle()
    await run.answer('2w', 'says:it')
    await run.idle()
    world.runtime.programs.add('says', 'it', 'second')
    const { records } = await world.runtime.history(run.id)
    expect(records.some(({ more }) => more?.pin?.[0]?.[0] === 'says:it')).toBe(true)
    const other = worldOf(kinds, { store: world.store })
    const history = await other.runtime.history(run.id)
    expect(history.state.ended?.value).toBe('first')
    expect(replay(history.records, other.runtime.programs).difference).toBeUndefined()
  })

  it('that were asked for and not called are known to the replay too', async () => {
    const asksFor: Step = (x) => x.done([x.hasProgram('says:it'), x.hasProgram('says:nobody')])
    const world = worldOf([kindOf('asksFor', asksFor), kindOf('says', says)])
    world.runtime.programs.add('says', 'it', 1)
    const run = await world.start('asksFor')
    await run.idle()
    expect(run.state.ended?.value).toEqual([true, false])
    world.runtime.programs.add('says', 'nobody', 1)
    const { records } = await world.runtime.history(run.id)
    expect(replay(records, world.runtime.programs).difference).toBeUndefined()
  })

  it('are those of the start, whatever has been registered since; a changed one goes on by a record', async () => {
    const changes: Step = (x, input) => {
      if (x.def === 'second') return x.done('second')
      if (input === undefined) return void x.wait('answer', 'change')
      x.become('second')
      x.again()
    }
    const kinds = [kindOf('changes', changes)]
    const world = worldOf(kinds)
    const run = await world.start('changes', { source: 'first' })
    await run.idle()
    await world.runtime.close()
    const next = worldOf(kinds, { store: world.store })
    next.runtime.programs.add('changes', 'main', 'third')
    const again = await next.runtime.resume(run.id)
    expect(again.definition(0)).toBe('first')
    await again.answer('2w', 1)
    await again.idle()
    expect(again.state.ended?.value).toBe('second')
    const { state, records } = await worldOf(kinds, { store: world.store }).runtime.history(run.id)
    expect(state.pins.length).toBe(2)
    expect(replay(records, next.runtime.programs).difference).toBeUndefined()
  })

  it('that hold functions cannot enter a durable store, early or late', async () => {
    const durable = Object.assign(memoryStore(), { durable: true })
    const world = worldOf([kindOf('late', callsLate), kindOf('says', says)], { store: durable })
    const local = world.runtime.programs.add('says', 'local', 'f', { def: 'f', local: 'a guard has no name' })
    expect(await codeOf(world.runtime.start(local))).toBe('R5008')
    const run = await world.start('late')
    await run.idle()
    await run.answer('2w', 'says:local')
    await run.idle()
    expect(failure(run).code).toBe('R5008')
  })

  it('that are gone, or of a newer revision, are said so and the run stays intact', async () => {
    const world = worldOf([kindOf('asks', asks, { rev: 2 })])
    const run = await world.start('asks')
    await run.idle()
    await world.runtime.close()
    expect(await codeOf(worldOf([kindOf('asks', asks)], { store: world.store }).runtime.resume(run.id))).toBe('R5004')
    expect(await codeOf(worldOf([], { store: world.store }).runtime.resume(run.id))).toBe('R2011')
    const { store } = world
    const program = store.program.bind(store)
    store.program = () => undefined
    expect(await codeOf(worldOf([kindOf('asks', asks, { rev: 2 })], { store }).runtime.resume(run.id))).toBe('R5006')
    store.program = program
    const again = await worldOf([kindOf('asks', asks, { rev: 3 })], { store }).runtime.resume(run.id)
    await again.answer('2w', 'intact')
    expect(again.state.ended?.value).toBe('intact')
  })

  it('that an older revision began can be shown, but neither resumed nor forked where their kind has changed', async () => {
    const world = worldOf([kindOf('asks', asks)])
    const run = await world.start('asks')
    await run.idle()
    await world.runtime.close()
    const { runtime } = worldOf([kindOf('asks', asks, { rev: 2, oldestRev: 2 })], { store: world.store })
    expect(await codeOf(runtime.resume(run.id))).toBe('R5011')
    expect(await codeOf(runtime.fork(run.id))).toBe('R5011')
    expect((await runtime.peek(run.id)).row.status).toBe('suspended')
    expect((await runtime.journal(run.id)).length).toBeGreaterThan(0)
  })

  it('keep the revision that the run has pinned', async () => {
    const revs: Step = (x, input) => (input === undefined ? void x.wait('answer', 'q') : x.done(x.rev))
    const world = worldOf([kindOf('revs', revs, { rev: 1 })])
    const run = await world.start('revs')
    await run.idle()
    await world.runtime.close()
    const again = await worldOf([kindOf('revs', revs, { rev: 4 })], { store: world.store }).runtime.resume(run.id)
    await again.answer('2w', 1)
    expect(again.state.ended?.value).toBe(1)
  })
})

describe('opening', () => {
  it('says who holds a run, that there is none, and that it has ended', async () => {
    const world = worldOf([kindOf('asks', asks)], { worker: { id: 'holder', host: 'elsewhere', pid: 7 } })
    const run = await world.start('asks')
    await run.idle()
    const other = worldOf([kindOf('asks', asks)], { store: world.store })
    await expect(other.runtime.resume(run.id)).rejects.toMatchObject({ code: 'R5001', data: { host: 'elsewhere', pid: 7 } })
    expect(await codeOf(other.runtime.resume('nobody-0000'))).toBe('R2016')
    expect(await codeOf(other.runtime.peek('nobody-0000'))).toBe('R2016')
    await run.answer('2w', 1)
    expect(await codeOf(other.runtime.resume(run.id))).toBe('R2001')
    expect(await codeOf(world.runtime.start(world.runtime.programs.add('asks', 'main', {}), { id: run.id }))).toBe('R5007')
    expect(await codeOf(worldOf([], { store: 'none' }).runtime.resume('x'))).toBe('R5009')
  })

  it('a run whose process ended before its first record says so, and can be started again', async () => {
    const store = memoryStore()
    const commit = store.commit.bind(store)
    store.commit = () => new Promise(() => {})
    const first = worldOf([kindOf('asks', asks)], { store })
    await first.start('asks', { id: 'named' })
    await first.host.drain()
    store.commit = commit
    const next = worldOf([kindOf('asks', asks), kindOf('other', asks)], { store })
    expect(await codeOf(next.runtime.resume('named'))).toBe('R5010')
    expect(await codeOf(next.start('other', { id: 'named' }))).toBe('R5007')
    const run = await next.start('asks', { id: 'named' })
    await run.answer('2w', 1)
    const { row, state } = await next.runtime.peek('named')
    expect([row.status, row.trace]).toEqual(['completed', state.start?.trace])
    expect(await codeOf(next.start('asks', { id: 'named' }))).toBe('R5007')
  })

  it('twice at once opens it once', async () => {
    const world = worldOf([kindOf('asks', asks)])
    const run = await world.start('asks')
    await run.idle()
    await world.runtime.close()
    const next = worldOf([kindOf('asks', asks)], { store: world.store })
    const [a, b] = await Promise.all([next.runtime.resume(run.id), next.runtime.resume(run.id)])
    expect(a).toBe(b)
    await a.answer('2w', 1)
  })

  it('leaves what was decided durable when it closes, and tells who waits', async () => {
    const doors = new Doors()
    const counts2: Step = (x, input) => (input === undefined ? void x.request('slow') : x.set('parts', Number(x.get('parts') ?? 0) + 1))
    const world = worldOf([kindOf('counts2', counts2)], { ports: { slow: doors.port() } })
    const run = await world.start('counts2')
    await world.host.drain()
    doors.door().part(1)
    doors.door().part(2)
    const idle = run.idle()
    await world.runtime.close()
    await idle
    expect(doors.door().signal.aborted).toBe(true)
    expect((await world.runtime.peek(run.id)).state.n).toBe(4)
    expect(await codeOf(run.cancel())).toBe('R2017')
  })

  it('forgets runs that have ended', async () => {
    for (const store of ['none', memoryStore()] as const) {
      const world = worldOf([kindOf('asks', asks)], { store })
      const run = await world.start('asks')
      await run.idle()
      expect(world.runtime.openRuns.size).toBe(1)
      await run.answer('2w', 1)
      await run.idle()
      expect(world.runtime.openRuns.size).toBe(0)
    }
  })
})

describe('reading', () => {
  it('gives the state at every record, with snapshots on the way, and all records', async () => {
    const grows: Step = (x) => {
      const at = Number(x.position ?? 0)
      if (at >= 60) return x.done()
      x.set(`k${at % 7}`, 'x'.repeat(3_000) + at)
      x.go(at + 1)
      x.again()
    }
    const store = memoryStore()
    const world = worldOf([kindOf('grows', grows)], { store })
    const run = await world.start('grows')
    await run.idle()
    const { records, state } = await world.runtime.history(run.id)
    const stored = await store.read(run.id)
    expect(stored?.snapshot?.at).toBeGreaterThan(0)
    const text = (of: State) => JSON.stringify(dumpState(of, () => false))
    expect(text(state)).toBe(text(run.state))
    const folded = new State()
    for (const record of records) {
      folded.apply(record)
      expect(text((await world.runtime.peek(run.id, folded.n)).state)).toBe(text(folded))
    }
    expect(await codeOf(world.runtime.peek(run.id, 0))).toBe('R5003')
  })
})

describe('draws', () => {
  it('are the same on replay and others in each record and run', async () => {
    const draws: Step = (x) => {
      const at = Number(x.position ?? 0)
      x.set(`draw${at}`, [x.random(), x.random(), x.uuid(), x.uuid(), x.now, x.record])
      if (at === 2) return x.done()
      x.go(at + 1)
      x.again()
    }
    const world = worldOf([kindOf('draws', draws)])
    const runs: Run[] = [await world.start('draws'), await world.start('draws')]
    await Promise.all(runs.map((run) => run.idle()))
    const all = runs.flatMap((run) => Object.values(run.state.root.reader().snapshot()).flatMap((value) => (value as Json[]).slice(0, 4)))
    expect(new Set(all).size).toBe(all.length)
    expect(
      all.filter((value) => typeof value === 'string' && /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/.test(value))
        .length,
    ).toBe(12)
    for (const run of runs) {
      const { records } = await world.runtime.history(run.id)
      expect(replay(records, world.runtime.programs).difference).toBeUndefined()
    }
  })
})

describe('a replay', () => {
  it('stops at the first record that differs and shows both sides', async () => {
    let version = 1
    const decides: Step = (x, input) => (input === undefined ? void x.wait('answer', 'q') : x.done(version))
    const world = worldOf([kindOf('decides', decides)])
    const run = await world.start('decides')
    await run.idle()
    await run.answer('2w', 1)
    const { records } = await world.runtime.history(run.id)
    version = 2
    const { difference, state } = replay(records, world.runtime.programs)
    expect(difference).toMatchObject({ record: 3, recorded: { more: { return: ['done', 1] } }, decided: { more: { return: ['done', 2] } } })
    expect(state.n).toBe(2)
  })
})

describe('ledgers', () => {
  it('outlive runs; a read is an effect, an append under the same key appends nothing', async () => {
    const writes: Step = (x, input) => {
      if (input === undefined) x.request('ledger', ['append', 'facts', x.args ?? null])
      else if (x.position === undefined) {
        x.go('read')
        x.request('ledger', ['read', 'facts', Number(input[2]) - 2])
      } else x.done(input[2])
    }
    const store = memoryStore()
    const world = worldOf([kindOf('writes', writes)], { store, ports: {} })
    world.runtime.ports.set('ledger', ledgerPort(store, world.host))
    const ends: Json[] = []
    for (const args of ['a', 'b', 'c']) {
      const run = await world.start('writes', { args, id: `run-${args}` })
      await run.idle()
      ends.push(run.state.ended?.value ?? null)
    }
    expect(ends).toEqual([
      [[1, 'a']],
      [
        [1, 'a'],
        [2, 'b'],
      ],
      [
        [2, 'b'],
        [3, 'c'],
      ],
    ])
    expect(await store.append('facts', 'run-a:2', 'again', 0)).toBe(1)
  })

  it('give names values under conditions, once per effect, and a replay needs no store', async () => {
    const store = memoryStore()
    const world = worldOf([share], { store, ports: {} })
    world.runtime.ports.set('ledger', ledgerPort(store, world.host))
    await store.appendAll('shared', 'other:1', [{ name: 'count', value: 0 }], 0)
    const run = await world.runtime.start(world.runtime.programs.add('share', 'claim', { ledger: 'shared' }), { args: 'me', id: 'run-a' })
    await run.idle()
    expect(run.state.ended?.value).toEqual([
      { last: 1, entries: [[1, 0, 'count']] },
      { numbers: [2, 3, 4] },
      { conflict: { name: 'owner', newest: [2, 'me', 'owner'] } },
      { numbers: [5, 6] },
      { numbers: [7] },
      8,
      [
        [1, 0, 'count'],
        [2, 'me', 'owner'],
        [3, 1, 'count'],
        [4, 'claimed'],
        [5, 2, 'count'],
        [6, null, 'owner', 'deleted'],
        [7, 'the next', 'owner'],
        [8, 'a line'],
      ],
      {
        last: 8,
        entries: [
          [5, 2, 'count'],
          [7, 'the next', 'owner'],
        ],
      },
    ])
    expect(replay(run.records, worldOf([share]).runtime.programs).difference).toBeUndefined()
  })

  it.each<readonly [string, Json, string]>([
    ['no ledger', ['append'], 'R2012'],
    ['another operation', ['delete', 'facts'], 'R2012'],
    ['entries that are not a list', ['appendAll', 'facts', { name: 'x' }], 'R2012'],
    ['an entry with another property', ['appendAll', 'facts', [{ name: 'x', valeu: 1 }]], 'R2012'],
    ['other options', ['appendAll', 'facts', [], { retain: 1 }], 'R2012'],
    ['names that are not texts', ['latest', 'facts', [1]], 'R2012'],
    ['a name that is not a text', ['appendAll', 'facts', [{ name: 1, value: 1 }]], 'R5055'],
    ['a retention that is not a number', ['appendAll', 'facts', [], { keep: 'long' }], 'R5055'],
    ['a place before removed entries', ['read', 'facts', 0], 'R5056'],
  ])('refuse an effect with %s: %s is %s', async (_what, args, code) => {
    const store = memoryStore()
    for (const key of ['a', 'b']) await store.append('facts', key, key, 0)
    await store.compact('facts', { through: 1 })
    const asks: Step = (x, input) =>
      input === undefined ? void x.request('ledger', args) : x.done((input[2] as { readonly code?: string } | null)?.code ?? 'none')
    const world = worldOf([kindOf('asks', asks)], { store, ports: {} })
    world.runtime.ports.set('ledger', ledgerPort(store, world.host))
    const run = await world.start('asks')
    await run.idle()
    expect(run.state.ended?.value).toBe(code)
    expect((await store.ledger('facts', 1)).length).toBe(1)
  })
})

/** A snapshot is smaller than the state whose history nobody reads. */
it('a snapshot keeps what can be read, at every bound', async () => {
  const branch: Step = (x, input) => (input === undefined ? void x.wait('answer', 'q') : x.done(x.reader().snapshot()))
  const spawner: Step = (x, input) => {
    const at = Number(x.position ?? 0)
    if (x.args === 'branch') return branch(x, input)
    if (input?.[0] === 'end')
      return (x.frame.strands?.size ?? 0) === 0
        ? x.done([...(x.frame.strandResults?.values() ?? [])].map(({ value }) => value ?? null))
        : undefined
    if (at === 6) return
    x.set('a', at)
    x.set(`k${at % 2}`, at)
    if (at % 2 === 1) x.spawn(null, { args: 'branch' })
    if (at === 3) x.delete('a')
    x.go(at + 1)
    x.again()
  }
  const world = worldOf([kindOf('spawner', spawner, { board: { tombstones: true } })])
  const run = await world.start('spawner')
  await run.idle()
  for (const { id } of run.state.waits.values()) await run.answer(id, null)
  await run.idle()
  expect(run.state.ended?.value).toEqual([
    { a: 1, k0: 0, k1: 1 },
    { k0: 2, k1: 3 },
    { a: 5, k0: 4, k1: 5 },
  ])
  const { records } = await world.runtime.history(run.id)
  const ends = new Set<string>()
  for (let cut = 1; cut <= records.length; cut++) ends.add(viaSnapshot(records, cut))
  expect(ends.size).toBe(1)
})

function viaSnapshot(records: readonly Rec[], cut: number): string {
  const state = new State()
  for (const record of records.slice(0, cut)) state.apply(record)
  const loaded = loadState(JSON.parse(JSON.stringify(dumpState(state, () => false))) as StoredState)
  for (const record of records.slice(cut)) loaded.apply(record)
  return JSON.stringify(dumpState(loaded, () => false))
}
