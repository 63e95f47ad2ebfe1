import assert from 'node:assert/strict'
import type { Base, Lease, Segment, StoredBatch } from '../../kernel/index.ts'
import { batchOf, leaseOf, mustThrow, NOW, type Rule, rowChange, rowOf, spans, type StoreWorld, TTL, workerOf } from './world.ts'

const RUN = 'otter-2m9q'

/** Writes the records 1 to 12, one in each batch. The records 4 and 8 seal a segment; there is a snapshot inside each segment. */
export async function writeSegments(world: StoreWorld, id = RUN): Promise<Lease> {
  const lease = await world.start(id)
  for (let first = 1; first <= 12; first++)
    await world.mustCommit(
      batchOf(lease, first, {
        ...(first % 4 === 2 || first === 4 || first === 8 ? { snapshot: `at ${first}` } : {}),
        ...(first === 4 || first === 8 ? { seal: true } : {}),
      }),
    )
  return lease
}

function shapes(segments: readonly Segment[]): string[] {
  return segments.map(({ number, first, last, sealed, place }) => `${number}: ${first}-${last} ${sealed ? place : 'open'}`)
}

/** Every read of a store up to each record and from each record. A read can start at another snapshot, with the same end. */
async function reads({ store }: StoreWorld, run: string): Promise<unknown[]> {
  const found: unknown[] = [await store.read(run), await store.journal(run)]
  for (let record = 0; record <= 13; record++) {
    const read = await store.read(run, record)
    found.push(read?.row, (read?.snapshot?.at ?? 0) + (read?.batches.length ?? 0), spans(await store.journal(run, record)))
  }
  return found
}

async function allOf<T>(count: number, work: (index: number) => T): Promise<Awaited<T>[]> {
  return Promise.all(Array.from({ length: count }, (_, i) => work(i)))
}

/** Cases for sealed segments: they are read as one journal, packed, and removed once they are in an archive. */
export const segmentCases: Readonly<Record<string, Rule>> = {
  async 'a run that was never sealed has one segment, which is open'(world) {
    assert.deepEqual(await world.store.segments(RUN), [])
    const lease = await world.start()
    assert.deepEqual(await world.store.segments(RUN), [])
    await world.mustCommit(batchOf(lease, 1, { count: 3, version: 2 }))
    const [segment, ...others] = await world.store.segments(RUN)
    assert.deepEqual(others, [])
    const { chain, ...rest } = segment ?? { chain: 0 }
    assert.deepEqual(rest, { number: 1, first: 1, last: 3, version: 2, opens: 0, sealed: false, needs: [], place: 'rows' })
    assert.equal(Number.isInteger(chain), true)
  },

  async 'a seal ends a segment, and its snapshot opens the next one'(world) {
    await writeSegments(world)
    const segments = await world.store.segments(RUN)
    assert.deepEqual(shapes(segments), ['1: 1-4 rows', '2: 5-8 rows', '3: 9-12 open'])
    assert.deepEqual(
      segments.map(({ opens }) => opens),
      [0, 4, 8],
    )
    for (const segment of segments) {
      const stored = await world.store.segment(RUN, segment.number)
      assert.deepEqual(stored?.segment, segment)
      const chain = segments[segment.number - 2]?.chain
      assert.deepEqual(stored?.snapshot, segment.opens === 0 ? undefined : { at: segment.opens, chain, body: `at ${segment.opens}` })
      assert.deepEqual(stored?.batches, (await world.store.journal(RUN)).slice(segment.first - 1, segment.last))
    }
    for (const number of [-1, 0, 4]) assert.equal(await world.store.segment(RUN, number), undefined)
    assert.equal(await world.store.segment('nobody', 1), undefined)
  },

  async 'a run whose last record is a seal has no open segment'(world) {
    const lease = await world.start()
    await world.mustCommit(batchOf(lease, 1, { count: 2, snapshot: 'two', seal: true }))
    assert.deepEqual(shapes(await world.store.segments(RUN)), ['1: 1-2 rows'])
    assert.deepEqual((await world.store.read(RUN))?.snapshot, { at: 2, body: 'two' })
  },

  async 'batches of one commit can seal several segments'(world) {
    const lease = await world.start()
    const seal = { snapshot: 'a snapshot', seal: true } as const
    await world.mustCommit(batchOf(lease, 1, seal), batchOf(lease, 2), batchOf(lease, 3, { ...seal, count: 2 }))
    assert.deepEqual(shapes(await world.store.segments(RUN)), ['1: 1-1 rows', '2: 2-4 rows'])
  },

  async 'a seal without a snapshot writes nothing'(world) {
    const lease = await world.startWith(1)
    await mustThrow('R5053', () => world.store.commit([batchOf(lease, 2), batchOf(lease, 3, { seal: true })]))
    assert.equal((await world.row(RUN))?.last, 1)
    await world.mustCommit(batchOf(lease, 2))
  },

  async 'a seal of a refused batch ends nothing'(world) {
    const lease = await world.startWith(2)
    await world.store.commit([batchOf(lease, 4, { snapshot: 'of nothing', seal: true })])
    assert.deepEqual(shapes(await world.store.segments(RUN)), ['1: 1-2 open'])
  },

  async 'a journal is read the same whichever of its segments are packed'(world) {
    await writeSegments(world)
    const [before, chains] = [await reads(world, RUN), (await world.store.segments(RUN)).map(({ chain }) => chain)]
    for (const [number, place] of [
      [2, '2: 5-8 packed'],
      [1, '1: 1-4 packed'],
    ] as const) {
      await world.store.pack(RUN, number)
      assert.equal(shapes(await world.store.segments(RUN))[number - 1], place)
      assert.deepEqual(await reads(world, RUN), before)
    }
    assert.deepEqual(
      (await world.store.segments(RUN)).map(({ chain }) => chain),
      chains,
    )
    const lease = leaseOf(await world.store.claim(RUN, world.worker, NOW))
    await world.mustCommit(batchOf(lease, 13, { snapshot: 'at 13', seal: true }))
    await world.store.pack(RUN, 3)
    await world.mustCommit(batchOf(lease, 14))
    assert.equal(spans(await world.store.journal(RUN)), '1 2 3 4 5 6 7 8 9 10 11 12 13 14')
    assert.equal(spans(await world.store.journal(RUN, 13)), '13 14')
  },

  async 'a journal is read in parts as it is read at once, packed or not'(world) {
    const partsOf = async (from?: number, until?: number): Promise<StoredBatch[]> => {
      const found: StoredBatch[] = []
      for await (const batch of world.store.batches(RUN, from, until)) found.push(batch)
      return found
    }
    assert.deepEqual(await partsOf(), [])
    const lease = await world.start()
    assert.deepEqual(await partsOf(), [])
    const seal = { snapshot: 'a snapshot', seal: true } as const
    for (const [i, count] of [1, 999, 1, 2500, 800, 800, 3].entries()) {
      const last = (await world.row(RUN))?.last ?? 0
      await world.mustCommit(batchOf(lease, last + 1, { count, ...(i % 2 === 1 ? seal : {}) }))
    }
    const check = async (): Promise<void> => {
      const all = await world.store.journal(RUN)
      assert.deepEqual(await partsOf(), all)
      for (const [from, until] of [
        [1, 1],
        [2, 1000],
        [1000, 1001],
        [1001, 9999],
        [1500, 4301],
        [5105, 5105],
        [5200, 9999],
      ] as const) {
        const expected = all.filter(({ first, count }) => first + count > from && first <= until)
        assert.equal(spans(await partsOf(from, until)), spans(expected), `from ${from} to ${until}`)
      }
    }
    await check()
    for (const number of [2, 1]) await world.store.pack(RUN, number)
    await check()
    const parts = world.store.batches(RUN)[Symbol.asyncIterator]()
    await parts.next()
    await world.mustCommit(batchOf(lease, 5105))
    let last = 1
    for (let part = await parts.next(); part.done !== true; part = await parts.next()) last = part.value.first + part.value.count - 1
    assert.equal(last, 5104)
    await world.store.forget(RUN, 1, 'f00d')
    await mustThrow('R5054', () => partsOf())
    assert.equal(spans(await partsOf(1001, 1001)), '1001')
  },

  async 'a packed segment keeps only the snapshot that opens it'(world) {
    await writeSegments(world)
    await world.store.pack(RUN, 2)
    const read = await world.store.read(RUN, 7)
    assert.deepEqual([read?.snapshot?.at, spans(read?.batches)], [4, '5 6 7'])
    const [{ chain } = { chain: 0 }] = await world.store.segments(RUN)
    assert.deepEqual((await world.store.segment(RUN, 2))?.snapshot, { at: 4, chain, body: 'at 4' })
  },

  async 'a segment is packed once, without a lease, by one of many processes'(world) {
    await writeSegments(world)
    const stores = await allOf(4, (i) => world.connect(workerOf(`w${i}`)))
    const before = await world.store.journal(RUN)
    const packed = await Promise.all(stores.map(async (store) => store.pack(RUN, 1)))
    const [first, ...others] = packed.toSorted((a, b) => Math.abs(b.saved) - Math.abs(a.saved))
    assert.notEqual(first?.saved, 0)
    for (const other of others) assert.deepEqual(other, { ...first, saved: 0 })
    assert.equal(first?.place, 'packed')
    assert.deepEqual(await world.store.pack(RUN, 1), { ...first, saved: 0 })
    assert.deepEqual(await world.store.journal(RUN), before)
  },

  async 'only a sealed segment can be packed or forgotten'(world) {
    await writeSegments(world)
    for (const number of [-1, 0, 3, 4]) {
      await mustThrow('R5051', () => world.store.pack(RUN, number))
      await mustThrow('R5051', () => world.store.forget(RUN, number, 'f00d'))
    }
    await mustThrow('R2016', () => world.store.pack('nobody', 1))
    await mustThrow('R2016', () => world.store.forget('nobody', 1, 'f00d'))
  },

  async 'only packed segments are forgotten, all of them or none'(world) {
    await writeSegments(world)
    await world.store.pack(RUN, 1)
    const before = await reads(world, RUN)
    await mustThrow('R5052', () => world.store.forget(RUN, 2, 'f00d'))
    assert.deepEqual(await reads(world, RUN), before)
  },

  async 'a run without its first segments continues, and says where they are'(world) {
    const lease = await writeSegments(world)
    await world.store.pack(RUN, 1)
    await world.store.forget(RUN, 1, 'f00d')
    assert.deepEqual(shapes(await world.store.segments(RUN)), ['1: 1-4 gone', '2: 5-8 rows', '3: 9-12 open'])
    assert.equal((await world.store.segments(RUN))[0]?.archive, 'f00d')
    for (const record of [1, 3]) await mustThrow('R5054', () => world.store.read(RUN, record))
    for (const record of [undefined, 1, 4]) await mustThrow('R5054', () => world.store.journal(RUN, record))
    await mustThrow('R5054', () => world.store.segment(RUN, 1))
    assert.deepEqual((await world.store.read(RUN, 0))?.row.last, 12)
    assert.deepEqual((await world.store.read(RUN, 4))?.snapshot, { at: 4, body: 'at 4' })
    assert.equal(spans((await world.store.segment(RUN, 2))?.batches), '5 6 7 8')
    assert.equal(spans(await world.store.journal(RUN, 5)), '5 6 7 8 9 10 11 12')
    await world.mustCommit(batchOf(lease, 13))

    await world.store.pack(RUN, 2)
    await world.store.forget(RUN, 2, 'cafe')
    assert.deepEqual(
      (await world.store.segments(RUN)).map(({ archive }) => archive),
      ['f00d', 'cafe', undefined],
    )
    assert.equal(spans(await world.store.journal(RUN, 9)), '9 10 11 12 13')
    assert.deepEqual((await world.store.pack(RUN, 1)).place, 'gone')
  },

  async 'a run that begins with a snapshot continues after its record'(world) {
    const base: Base = { at: 7, chain: 123, snapshot: 'the state after 7' }
    const lease = await world.store.create({ ...rowOf(RUN), base }, world.worker)
    assert.ok(lease !== 'taken')
    assert.equal((await world.row(RUN))?.last, 7)
    assert.deepEqual(await world.store.segments(RUN), [])
    assert.deepEqual(await world.store.commit([batchOf(lease, 1)]), [RUN])
    await world.mustCommit(batchOf(lease, 8))
    await world.mustCommit(batchOf(lease, 9, { snapshot: 'at 9', seal: true }))
    await world.mustCommit(batchOf(lease, 10))
    const check = async (): Promise<void> => {
      assert.equal(spans(await world.store.journal(RUN)), '8 9 10')
      const read = await world.store.read(RUN, 8)
      assert.deepEqual([read?.snapshot, spans(read?.batches)], [{ at: 7, body: base.snapshot }, '8'])
      for (const record of [1, 6]) await mustThrow('R5054', () => world.store.read(RUN, record))
      assert.deepEqual((await world.store.segment(RUN, 1))?.snapshot, { at: 7, chain: base.chain, body: base.snapshot })
    }
    assert.deepEqual(shapes(await world.store.segments(RUN)), ['1: 8-9 rows', '2: 10-10 open'])
    await check()
    await world.store.pack(RUN, 1)
    await check()
    await world.store.forget(RUN, 1, 'f00d')
    await mustThrow('R5054', () => world.store.journal(RUN))
    for (const record of [1, 6, 7, 8]) await mustThrow('R5054', () => world.store.read(RUN, record))
    assert.deepEqual((await world.store.read(RUN, 9))?.snapshot, { at: 9, body: 'at 9' })
    assert.equal(spans(await world.store.journal(RUN, 10)), '10')
  },

  async 'a run that begins with a snapshot is given up before its first record as any other'(world) {
    const other = await world.connect(workerOf('second'))
    const base: Base = { at: 7, chain: 123, snapshot: 'the state after 7' }
    await other.create({ ...rowOf(RUN), base }, workerOf('second'))
    assert.deepEqual(await world.store.due(NOW + TTL), [])
    assert.deepEqual((await world.store.sweep({ now: NOW + TTL })).runs, [RUN])
    assert.equal(await world.store.read(RUN), undefined)
    assert.deepEqual(await world.store.segments(RUN), [])
    await world.startWith(1)
    assert.equal((await world.store.read(RUN))?.snapshot, undefined)
  },

  async 'a swept run leaves no segment behind'(world) {
    const lease = await writeSegments(world)
    await world.store.pack(RUN, 1)
    await world.mustCommit(batchOf(lease, 13, { row: rowChange({ status: 'completed' }) }))
    assert.deepEqual((await world.store.sweep({ now: NOW, before: NOW })).runs, [RUN])
    assert.deepEqual(await world.store.segments(RUN), [])
    await mustThrow('R2016', () => world.store.pack(RUN, 1))
    await world.startWith(1)
    assert.deepEqual(shapes(await world.store.segments(RUN)), ['1: 1-1 open'])
  },
}
