import assert from 'node:assert/strict'
import { isFault } from '../../kernel/journal/fault.ts'
import type { Awaitable, Batch, Claim, Lease, Message, RunRow, Store, StoredBatch, Worker } from '../../kernel/ports/store.ts'

/** A place that a store can be opened at, empty at first. */
export interface StoreUnderTest {
  /** One more connection to the same data, as another process would have it. A store without connections answers with itself. */
  open(): Awaitable<Store>
  /** Called last, when all that was opened is closed. */
  dispose(): Awaitable<void>
}

/** What a case is given. */
export type Rule = (world: StoreWorld) => Promise<void>

export const NOW = 1_800_000_000_000
export const TTL = 15_000
const HASH = '0123456789abcdef'.repeat(4)

/** A store with a worker that said hello, and more connections and workers as a case needs them. */
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

  /** Another connection, with a worker of its own. */
  async connect(worker: Worker = workerOf('second'), ttl: number = TTL): Promise<Store> {
    const store = await this.#place.open()
    if (!this.#opened.includes(store)) this.#opened.push(store)
    await store.hello(worker, NOW, ttl)
    return store
  }

  /** A new run of the first worker. */
  async start(id = 'otter-2m9q', row: Partial<RunRow> = {}): Promise<Lease> {
    const lease = await this.store.create(rowOf(id, row), this.worker)
    assert.notEqual(lease, 'taken')
    return lease as Lease
  }

  /** A new run with records 1 to `count`, one in each batch. */
  async startWith(count: number, id?: string, row?: Partial<RunRow>): Promise<Lease> {
    const lease = await this.start(id, row)
    for (let first = 1; first <= count; first++) await this.mustCommit(batchOf(lease, first))
    return lease
  }

  async mustCommit(...batches: Batch[]): Promise<void> {
    assert.deepEqual(await this.store.commit(batches), [], 'a run was refused')
  }

  async row(id: string): Promise<RunRow | undefined> {
    return (await this.store.read(id))?.row
  }
}

/** A worker that cannot be looked for on this machine: what is known of it is its heartbeat. */
export function workerOf(id: string, more: Partial<Worker> = {}): Worker {
  return { id, host: `${id}.example.org`, pid: 4_000_000, ...more }
}

export function rowOf(id: string, more: Partial<RunRow> = {}): Omit<RunRow, 'owner' | 'last'> {
  return {
    id,
    trace: '5'.repeat(32),
    program: ['workflow:release', 'workflow', 1, HASH],
    status: 'running',
    started: NOW,
    updated: NOW,
    due: null,
    waits: [],
    ...more,
  }
}

/** A batch of one record, unless said otherwise. */
export function batchOf(lease: Lease, first: number, more: Partial<Batch> = {}): Batch {
  const count = more.count ?? 1
  const records = Array.from({ length: count }, (_, i) => [1, first + i, 'a record'])
  return { lease, first, count, version: 1, body: JSON.stringify(records), row: rowChange(), ...more }
}

/** The row that goes with a batch. */
export function rowChange(more: Partial<Batch['row']> = {}): Batch['row'] {
  return { status: 'running', updated: NOW, due: null, waits: [], ...more }
}

export function messageOf(id: string, more: Partial<Message> = {}): Message {
  return { id, type: 'answer', to: `review of ${id}`, body: { choice: 'yes' }, at: NOW, ...more }
}

export function leaseOf(claim: Claim): Lease {
  assert.ok('lease' in claim, `the run should be given, and the answer is ${JSON.stringify(claim)}`)
  return claim.lease
}

/** The numbers of the records in these batches: `1 2-4`. */
export function spans(batches: readonly StoredBatch[] | undefined): string | undefined {
  return batches?.map(({ first, count }) => (count === 1 ? `${first}` : `${first}-${first + count - 1}`)).join(' ')
}

/** What is thrown or rejected has this code. */
export async function mustThrow(code: string, work: () => unknown): Promise<void> {
  try {
    await work()
  } catch (thrown) {
    assert.ok(isFault(thrown), `${code} should be thrown, and what is thrown is no fault: ${String(thrown)}`)
    assert.equal(thrown.code, code, `${code} should be thrown, and what is thrown is ${thrown.code}: ${thrown.message}`)
    return
  }
  assert.fail(`${code} should be thrown, and nothing is`)
}

/** Somebody else has the run. */
export function mustBeOwned(claim: Claim, why = 'somebody has it'): void {
  assert.ok('owner' in claim, `the run should not be given, for ${why}; the answer is ${JSON.stringify(claim)}`)
}
