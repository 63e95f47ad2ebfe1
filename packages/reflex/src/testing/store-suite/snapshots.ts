import assert from 'node:assert/strict'
import { batchOf, leaseOf, type Rule, spans, type StoreWorld, TTL, NOW, workerOf } from './world.ts'

const RUN = 'otter-2m9q'

/** Writes records 1, 2-4, 5, 6-7 and 8, with snapshots after 4 and after 7. */
async function writeRecords(world: StoreWorld): Promise<void> {
  const lease = await world.start()
  await world.mustCommit(batchOf(lease, 1))
  await world.mustCommit(batchOf(lease, 2, { count: 3, snapshot: 'at four' }))
  await world.mustCommit(batchOf(lease, 5))
  await world.mustCommit(batchOf(lease, 6, { count: 2, snapshot: 'at seven' }))
  await world.mustCommit(batchOf(lease, 8))
}

/** Cases for reading from a snapshot, up to a record, and from a record. */
export const snapshotCases: Readonly<Record<string, Rule>> = {
  async 'a run is read from its newest snapshot'(world) {
    await writeRecords(world)
    const read = await world.store.read(RUN)
    assert.deepEqual(read?.snapshot, { at: 7, body: 'at seven' })
    assert.equal(spans(read?.batches), '8')
    assert.equal(read?.row.last, 8)
  },

  async 'a run up to a record is read from the newest snapshot that is not later'(world) {
    await writeRecords(world)
    const expected: readonly [until: number, snapshot: number | undefined, batches: string][] = [
      [0, undefined, ''],
      [1, undefined, '1'],
      [2, undefined, '1 2-4'],
      [3, undefined, '1 2-4'],
      [4, 4, ''],
      [5, 4, '5'],
      [6, 4, '5 6-7'],
      [7, 7, ''],
      [8, 7, '8'],
      [99, 7, '8'],
    ]
    for (const [until, snapshot, batches] of expected) {
      const read = await world.store.read(RUN, until)
      assert.deepEqual([read?.snapshot?.at, spans(read?.batches)], [snapshot, batches], `until ${until}`)
    }
  },

  async 'a snapshot of the last record leaves no batch to read'(world) {
    const lease = await world.start()
    await world.mustCommit(batchOf(lease, 1, { count: 2, snapshot: 'all of it' }))
    const read = await world.store.read(RUN)
    assert.deepEqual([read?.snapshot, read?.batches], [{ at: 2, body: 'all of it' }, []])
  },

  async 'a journal is read from the batch that holds a record, with or without snapshots'(world) {
    await writeRecords(world)
    const expected: readonly [from: number | undefined, batches: string][] = [
      [undefined, '1 2-4 5 6-7 8'],
      [0, '1 2-4 5 6-7 8'],
      [1, '1 2-4 5 6-7 8'],
      [2, '2-4 5 6-7 8'],
      [4, '2-4 5 6-7 8'],
      [5, '5 6-7 8'],
      [8, '8'],
      [9, ''],
    ]
    for (const [from, batches] of expected) assert.equal(spans(await world.store.journal(RUN, from)), batches, `from ${from}`)
  },

  async 'a snapshot of a refused batch is not stored'(world) {
    const lease = await world.startWith(1)
    await world.store.commit([batchOf(lease, 3, { snapshot: 'of nothing' })])
    assert.equal((await world.store.read(RUN))?.snapshot, undefined)
  },

  async 'a worker that takes over a run continues after its last record'(world) {
    await writeRecords(world)
    const other = await world.connect()
    const claim = await other.claim(RUN, workerOf('second'), NOW + TTL)
    assert.deepEqual(await other.commit([batchOf(leaseOf(claim), 9, { snapshot: 'at nine' })]), [])
    const read = await world.store.read(RUN)
    assert.deepEqual([read?.snapshot?.body, read?.row.last], ['at nine', 9])
    assert.equal(spans(await world.store.journal(RUN)), '1 2-4 5 6-7 8 9')
  },

  async 'a run that does not exist has nothing to read'({ store }) {
    assert.equal(await store.read('nobody'), undefined)
    assert.deepEqual(await store.journal('nobody'), [])
  },
}
