import {
  type Batch,
  encodeRecord,
  RunPrograms,
  FORMAT,
  messageIds,
  type Rec,
  summary,
  type Runtime,
  State,
  type Lease,
  type Store,
  storedProgram,
} from '../../kernel/index.ts'
import { RUN, textOf } from './process-life.ts'
import { type KindSubject, newStore } from './subject.ts'
import type { Watch } from './watch.ts'

/** The undisturbed run, its store and the ledgers of its world. */
export interface OriginalRun {
  readonly runtime: Runtime
  readonly store: Store
  readonly ledgers: ReadonlySet<string>
}

/**
 * Returns a store as a crash leaves it after the first records of a journal. Messages that these records took are not in the inbox; the
 * other messages still wait there.
 */
export async function storeAfter(
  records: readonly Rec[],
  state: State,
  original: OriginalRun,
  subject: KindSubject,
  watch: Watch,
): Promise<Store> {
  const store = newStore(subject)
  const lease = await createRun(store, records)
  for (const [i, record] of records.entries()) watch.markDurable(i + 1, record)
  const taken = await postMessages(store, records, subject)
  await copyLedgers(original, store, watch)
  const definitions = new RunPrograms(original.runtime.programs, state)
  const programs = state.pins.map((_, pin) => storedProgram(definitions.program(pin)))
  const row = summary(state, definitions, 'running')
  const batches = segmentsOf(records, subject).map(({ first, part, snapshot }): Batch => {
    const encoded = part.map(encodeRecord)
    const blobs = new Map(encoded.flatMap(({ blobs: recordBlobs }) => [...(recordBlobs ?? [])]))
    const body = `[${encoded.map(({ text }) => text).join(',\n')}]`
    const sealed = snapshot === undefined ? {} : ({ snapshot, seal: true } as const)
    const isLast = first + part.length > records.length
    return { lease, first, count: part.length, version: FORMAT, body, row, programs, blobs, ...sealed, ...(isLast ? { taken } : {}) }
  })
  const refused = await store.commit(batches)
  if (refused.length > 0) throw new Error('the store refused the journal')
  await store.release(lease)
  return store
}

/** The records of a segment, and the snapshot of its seal. */
interface SegmentPart {
  readonly first: number
  readonly part: readonly Rec[]
  readonly snapshot: string | undefined
}

function segmentsOf(records: readonly Rec[], subject: KindSubject): SegmentPart[] {
  const parts: SegmentPart[] = []
  const state = new State()
  let first = 1
  for (const record of records) {
    state.apply(record)
    const isSeal = state.sealed === state.n
    if (!isSeal && state.n < records.length) continue
    parts.push({ first, part: records.slice(first - 1, state.n), snapshot: isSeal ? textOf(state, subject) : undefined })
    first = state.n + 1
  }
  return parts
}

/** Creates the run with the same name, held by a process that is gone. */
async function createRun(store: Store, records: readonly Rec[]): Promise<Lease> {
  const start = records[0]?.more?.start
  const program = start?.pins[0]
  if (start === undefined || program === undefined) throw new Error('the journal has no first record')
  const { trace, at } = start
  const worker = { id: 'gone', host: 'suite', pid: 0 }
  await store.hello(worker, at, 1)
  const lease = await store.create({ id: RUN, trace, program, status: 'running', started: at, updated: at, due: null, waits: [] }, worker)
  if (lease === 'taken') throw new Error('the store is not new')
  return lease
}

/** Posts all messages of the script. Returns the rows of the messages that the records have taken. */
async function postMessages(store: Store, records: readonly Rec[], subject: KindSubject): Promise<number[]> {
  const takenMessages = new Set(records.flatMap(({ input }) => messageIds(input)))
  const { messages = [] } = subject.script ?? {}
  for (const [i, { topic, body }] of messages.entries()) await store.post(RUN, { id: `m${i}`, type: 'message', to: topic, body, at: 0 })
  return (await store.inbox(RUN)).filter(({ id }) => takenMessages.has(id)).map(({ row }) => row)
}

/** Copies the ledger entries of settled effects. Effects that were in flight did not happen. */
async function copyLedgers({ store, ledgers }: OriginalRun, copy: Store, watch: Watch): Promise<void> {
  for (const name of ledgers) {
    for (const [key, entries] of Map.groupBy(await store.ledger(name), ({ key }) => key))
      if (watch.hasSettled(key.slice(RUN.length + 1))) await copy.appendAll(name, key, entries, entries[0]?.at ?? 0)
  }
}
