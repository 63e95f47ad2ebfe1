import assert from 'node:assert/strict'
import {
  isFault,
  type Awaitable,
  type Batch,
  type Claim,
  type Lease,
  type Message,
  type RunRow,
  type Store,
  type StoredBatch,
  type Worker,
} from '../../kernel/index.ts'

/** A place for a store, empty at first. */
export interface StoreUnderTest {
  /** Opens another connection to the same data, as another process does. A store without connections returns itself. */
  open(): Awaitable<Store>
  /** Removes the place. It is called last, after every connection is closed. */
  dispose(): Awaitable<void>
}

/** A case of the suite. */
export type Rule = (world: StoreWorld) => Promise<void>

export const NOW = 1_800_000_000_000
export const TTL = 15_000
const HASH = '0123456789abcdef'.repeat(4)

/** A store with a worker that said hello; a case can add connections and workers. */
export class StoreWorld {
  readonly store: Store
  readonly worker: Worker
  readonly #place: StoreUnderTest
  readonly #opened: Store[]

  private constructor(place: StoreUnderTest, opened: Store[], store: Store, worker: Worker) {
    this.#place = place
    this.#opened = opened
    this.store = store
    this.worker = worker
  }

  static async at(place: StoreUnderTest, opened: Store[]): Promise<StoreWorld> {
    const store = await place.open()
    opened.push(store)
    const worker = workerOf('first')
    await store.hello(worker, NOW, TTL)
    return new StoreWorld(place, opened, store, worker)
  }

  /** Opens another connection, with its own worker. */
  async connect(worker: Worker = workerOf('second'), ttl: number = TTL): Promise<Store> {
    const store = await this.#place.open()
    if (!this.#opened.includes(store)) this.#opened.push(store)
    await store.hello(worker, NOW, ttl)
    return store
  }

  /** Creates a run that the first worker holds. */
  async start(id = 'otter-2m9q', row: Partial<RunRow> = {}): Promise<Lease> {
    const lease = await this.store.create(rowOf(id, row), this.worker)
    assert.notEqual(lease, 'taken')
    return lease as Lease
  }

  /** Creates a run with the records 1 to `count`, one in each batch. */
  async startWith(count: number, id?: string, row?: Partial<RunRow>): Promise<Lease> {
    const lease = await this.start(id, row)
    for (let first = 1; first <= count; first++) await this.mustCommit(batchOf(lease, first))
    return lease
  }

  async mustCommit(...batches: Batch[]): Promise<void> {
    assert.deepEqual(await this.store.commit(batches), [], 'the store refused a batch')
  }

  async row(id: string): Promise<RunRow | undefined> {
    return (await this.store.read(id))?.row
  }
}

/** Returns a worker on another machine, so that only its heartbeat shows that it lives. */
export function workerOf(id: string, more: Partial<Worker> = {}): Worker {
  return { id, host: `${id}.example.org`, pid: 4_000_000, ...more }
}

export function rowOf(id: string, more: Partial<RunRow> = {}): Omit<RunRow, 'owner' | 'last'> {
  return {
    id,
    trace: '5'.repeat(32),
    program: ['note:release', 'note', 1, HASH],
    status: 'running',
    started: NOW,
    updated: NOW,
    due: null,
    waits: [],
    ...more,
  }
}

/** Returns a batch of one record, unless `more` says otherwise. */
export function batchOf(lease: Lease, first: number, more: Partial<Batch> = {}): Batch {
  const count = more.count ?? 1
  const records = Array.from({ length: count }, (_, i) => [1, first + i, 'a record'])
  return { lease, first, count, version: 1, body: JSON.stringify(records), row: rowChange(), ...more }
}

/** Returns the row of a batch. */
export function rowChange(more: Partial<Batch['row']> = {}): Batch['row'] {
  return { status: 'running', updated: NOW, due: null, waits: [], ...more }
}

export function messageOf(id: string, more: Partial<Message> = {}): Message {
  return { id, type: 'answer', to: `review of ${id}`, body: { choice: 'yes' }, at: NOW, ...more }
}

export function leaseOf(claim: Claim): Lease {
  assert.ok('lease' in claim, `the claim must succeed; it returned ${JSON.stringify(claim)}`)
  return claim.lease
}

/** Returns the numbers of the records in the batches: `1 2-4`. */
export function spans(batches: readonly StoredBatch[] | undefined): string | undefined {
  return batches?.map(({ first, count }) => (count === 1 ? `${first}` : `${first}-${first + count - 1}`)).join(' ')
}

/** Requires that the work throws or rejects with a fault of this code. */
export async function mustThrow(code: string, work: () => unknown): Promise<void> {
  try {
    await work()
  } catch (thrown) {
    assert.ok(isFault(thrown), `expected ${code}, but an error that is not a fault was thrown: ${String(thrown)}`)
    assert.equal(thrown.code, code, `expected ${code}, but ${thrown.code} was thrown: ${thrown.message}`)
    return
  }
  assert.fail(`expected ${code}, but nothing was thrown`)
}

/** Requires that another worker holds the run. */
export function mustBeOwned(claim: Claim, why = 'another worker holds the run'): void {
  assert.ok('owner' in claim, `the claim must be refused, because ${why}; it returned ${JSON.stringify(claim)}`)
}
