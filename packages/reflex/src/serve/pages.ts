import type { Reflex } from '../app/reflex.ts'
import {
  type CommittedBatch,
  type CommitWatch,
  type FaultData,
  type JsonObject,
  keptRecords,
  type NumberedRecord,
  type OpenWait,
  type Pin,
  readRecords,
  type Rec,
  type RunStatus,
  State,
} from '../kernel/index.ts'
import { plainJson, utc } from '../protocol/plain.ts'
import { closingOf, hasSameQuestions, openQuestions, recordEvent, type RunFold, statusOf } from './run-fold.ts'
import { failureOf } from './status.ts'
import { notContinued, streamId, type StreamPosition } from './stream-id.ts'

/** Milliseconds between two looks at the store. */
const LOOK_MS = 250
/** The same where the processes announce their commits, which can be lost; and after an announcement. */
const SAFETY_LOOK_MS = 1000
const ANNOUNCED_LOOK_MS = 20
/** The least milliseconds between two ids of places. */
const STATE_MS = 10_000
/** The most batches of a page. */
const PAGE = 100
/** The most pages and folded runs that are kept for other clients. */
const KEPT_PAGES = 16
const KEPT_FOLDS = 256

/** A durable record in a stream of many runs. */
export interface StreamedRecord {
  /** The id with which a client continues after it. */
  readonly id: string
  readonly run: string
  readonly n: number
  readonly program: Pin | undefined
  /** The status of the run after the record. */
  readonly status: RunStatus
  readonly data: JsonObject
  /** The questions that it opened, and those that it closed. */
  readonly opened: readonly JsonObject[]
  readonly closed: readonly JsonObject[]
  /** The failure to read the run from this record on. The record is then unknown. */
  readonly failure?: FaultData
}

/** The records of some batches, in the order in which these became durable. */
export interface Page {
  readonly records: readonly StreamedRecord[]
  readonly end: string
}

/** The records of all runs in the order of the store, read once for all clients at the same place. */
export class Pages {
  readonly #reflex: Reflex
  readonly #pages = new Map<string, Promise<Page>>()
  readonly #folds = new Map<string, RunFold>()
  /** The places after which there was nothing at the last look. */
  readonly #empty = new Set<string>()
  readonly #waiting = new Set<() => void>()
  #readers = 0
  #watch: CommitWatch | undefined
  /** True if commits were announced since the last look. */
  #hasNews = false
  #stopLooking: (() => void) | undefined

  constructor(reflex: Reflex) {
    this.#reflex = reflex
  }

  /** Returns the place of the end now. */
  async end(): Promise<string> {
    return (await this.#reflex.store.committed())?.end ?? ''
  }

  /** Returns the batches after a place. Throws `R6030` if the store cannot continue from it. */
  async batches(place: string, limit?: number): Promise<{ readonly batches: readonly CommittedBatch[]; readonly end: string }> {
    const found = await this.#reflex.store.committed(place, limit)
    if (found !== undefined) return found
    throw notContinued(streamId({ place }), 'the store does not have this place, or has packed records after it')
  }

  /** Yields the pages after a place, without an end; a page can be empty. Throws `R6030`. */
  async *after(place: string, signal: AbortSignal): AsyncGenerator<Page> {
    this.#join()
    try {
      for (let next = place; !signal.aborted; ) {
        const page = await this.#page(next)
        yield page
        if (page.end === next || page.records.length === 0) await this.#look(signal)
        next = page.end
      }
    } finally {
      this.#leave()
    }
  }

  #join(): void {
    this.#readers++
    this.#watch ??= this.#reflex.store.follow?.(() => this.#onCommits(), true)
  }

  #leave(): void {
    this.#readers--
    if (this.#readers > 0) return
    this.#watch?.stop()
    this.#watch = undefined
  }

  /** Commits that are announced shortly after each other are read together. */
  #onCommits(): void {
    if (this.#hasNews) return
    this.#hasNews = true
    if (this.#waiting.size === 0) return
    this.#stopLooking?.()
    this.#stopLooking = undefined
    this.#lookLater()
  }

  /**
   * Yields the records after a position, without an end, and now and then the id of a place that is reached: a client whose runs are silent
   * continues from there. Throws `R6030`.
   */
  async *follow({ place, sent }: StreamPosition, signal: AbortSignal): AsyncGenerator<StreamedRecord | string> {
    const { host } = this.#reflex
    let stated = host.now()
    for await (const { records, end } of this.after(place, signal)) {
      for (const record of records) if (record.run !== sent?.run || record.n > sent.record) yield record
      if (host.now() - stated < STATE_MS) continue
      stated = host.now()
      yield streamId({ place: end })
    }
  }

  /** Looks at the store at once: this process has just changed a run. */
  wake(): void {
    this.#stopLooking?.()
    this.#stopLooking = undefined
    const waiting = [...this.#waiting]
    if (waiting.length === 0) return
    this.#hasNews = false
    this.#forgetEmpty()
    for (const resume of waiting) resume()
  }

  /** Resolves at the next look at the store, which is one for all clients. */
  #look(signal: AbortSignal): Promise<void> {
    this.#lookLater()
    return new Promise((resolve) => {
      const done = (): void => {
        this.#waiting.delete(done)
        signal.removeEventListener('abort', done)
        resolve()
      }
      this.#waiting.add(done)
      signal.addEventListener('abort', done)
    })
  }

  #lookLater(): void {
    const { host } = this.#reflex
    const unannounced = this.#watch?.announces === true ? SAFETY_LOOK_MS : LOOK_MS
    this.#stopLooking ??= host.at(host.now() + (this.#hasNews ? ANNOUNCED_LOOK_MS : unannounced), () => this.wake(), true)
  }

  #page(place: string): Promise<Page> {
    const known = this.#pages.get(place)
    if (known !== undefined) return known
    const page = this.#read(place)
    this.#pages.set(place, page)
    void page.then(
      ({ records }) => {
        if (records.length === 0) this.#empty.add(place)
      },
      () => void this.#pages.delete(place),
    )
    for (const [oldest] of this.#pages) if (this.#pages.size > KEPT_PAGES) this.#pages.delete(oldest)
    return page
  }

  #forgetEmpty(): void {
    for (const place of this.#empty) this.#pages.delete(place)
    this.#empty.clear()
  }

  async #read(place: string): Promise<Page> {
    const { batches, end } = await this.batches(place, PAGE)
    const records: StreamedRecord[] = []
    let before = place
    for (const batch of batches) {
      for await (const record of this.#records(batch, before)) records.push(record)
      before = batch.place
    }
    return { records, end }
  }

  async *#records({ run, first, last, place }: CommittedBatch, before: string): AsyncGenerator<StreamedRecord> {
    const idOf = (n: number): string => streamId({ place: n === last ? place : before, sent: { run, record: n } })
    try {
      const { fold, isNew } = await this.#fold(run, first)
      let open: ReadonlyMap<OpenWait['id'], JsonObject> = isNew ? new Map() : openQuestions(run, fold)
      const records: NumberedRecord[] = []
      for await (const record of readRecords(this.#reflex.store, run, first, last)) records.push(record)
      // Loads the programs that these records begin with.
      if (records.some(([, { more }]) => more?.start !== undefined || more?.pin !== undefined)) await this.#reflex.runtime.peek(run, last)
      for (const numbered of records) {
        const [n, record] = numbered
        const data = recordEvent(run, numbered, fold)
        const now = hasSameQuestions(open, fold) ? open : openQuestions(run, fold)
        yield { id: idOf(n), run, n, data, ...factsOf(fold), ...changesOf(run, { open, now, record, fold }) }
        open = now
      }
      this.#keep(run, fold)
    } catch (thrown) {
      // One run that cannot be read must not end the streams of all others.
      const { fault: failure } = failureOf(thrown)
      const data = plainJson({ v: 1, run, record: first, error: failure })
      yield { id: idOf(last), run, n: last, data, program: undefined, status: 'running', opened: [], closed: [], failure }
    }
  }

  /** Returns a run as it was before a record; `isNew` before the first one here. Whoever gets a fold has it alone. */
  async #fold(run: string, first: number): Promise<{ readonly fold: RunFold; readonly isNew: boolean }> {
    const known = this.#folds.get(run)
    this.#folds.delete(run)
    if (known?.state.n === first - 1) return { fold: known, isNew: false }
    const { runtime, store } = this.#reflex
    // A fork begins with the state of another run; its open questions are its own and new.
    const isNew = first === 1 || (await keptRecords(store, run)).first === first
    const state = first === 1 ? new State() : (await runtime.peek(run, first - 1)).state
    return { fold: { state, definitions: this.#reflex.programsOf(state) }, isNew }
  }

  #keep(run: string, fold: RunFold): void {
    if (fold.state.ended !== undefined) return
    this.#folds.set(run, fold)
    for (const [oldest] of this.#folds) if (this.#folds.size > KEPT_FOLDS) this.#folds.delete(oldest)
  }
}

function factsOf({ state }: RunFold): Pick<StreamedRecord, 'program' | 'status'> {
  return { program: state.start?.pins[0], status: statusOf(state) }
}

interface QuestionChange {
  readonly open: ReadonlyMap<OpenWait['id'], JsonObject>
  readonly now: ReadonlyMap<OpenWait['id'], JsonObject>
  readonly record: Rec
  readonly fold: RunFold
}

function changesOf(run: string, { open, now, record, fold: { state } }: QuestionChange): Pick<StreamedRecord, 'opened' | 'closed'> {
  const opened = [...now].filter(([id]) => !open.has(id)).map(([, question]) => question)
  const closed = [...open].filter(([id]) => !now.has(id))
  return {
    opened,
    closed: closed.map(([id, question]) => ({
      v: 1,
      question: question.id ?? '',
      run,
      record: state.n,
      time: utc(state.time),
      ...closingOf(id, record, state),
    })),
  }
}
