import {
  type AppendOptions,
  type Appended,
  checkCompaction,
  checkEntries,
  checkRoom,
  type Compaction,
  entryText,
  type Fault,
  type Json,
  type Base,
  type Batch,
  type Claim,
  type Committed,
  type CommittedBatch,
  type InboxLimit,
  type InboxMessage,
  type LatestEntries,
  type Lease,
  type LedgerEntry,
  type Message,
  type NewEntry,
  type Pin,
  type PostWatch,
  type RunFilter,
  type RunRow,
  type PackResult,
  type Segment,
  type Store,
  type StoredBatch,
  type StoredProgram,
  type StoredRun,
  type StoredSegment,
  type SweepOptions,
  type SweepResult,
  type UnreadRun,
  type Worker,
} from '../kernel/index.ts'
import { isGone, isAbandoned, type KnownWorker, knownWorker, lastSeen } from './known-worker.ts'
import {
  duplicateAnswer,
  endedRun,
  isOpen,
  messageColumns,
  messageOf,
  movingColumns,
  newColumns,
  unknownRun,
  type RunColumns,
  rowOf,
} from './columns.ts'
import { placeText, readPlace } from './committed.ts'
import { faults } from './faults.ts'
import { dueRuns } from './leases.ts'
import { refusalOf } from './inbox.ts'
import { MemoryInbox, type MemoryMessage } from './memory-inbox.ts'
import { MemoryLedgers } from './memory-ledgers.ts'
import { MemoryJournal } from './memory-segments.ts'
import { unneededOf } from './memory-sweep.ts'
import { PostListeners } from './post-listeners.ts'
import type { OpenRun } from './rows.ts'
import { requireSnapshots } from './segments.ts'

/**
 * Creates a store that lives as long as its object: for tests, trials and runs that need not outlive the process.
 * Several runtimes of one process share it by sharing the object. It follows the rules of every store, including leases
 * and fencing. `durable` is false, so programs may contain functions. `close` keeps the contents.
 */
export function memoryStore(name = 'memory:'): Store {
  return new MemoryStore(name)
}

interface MemoryRun {
  columns: RunColumns
  owner: string | null
  token: number
  readonly journal: MemoryJournal
  /** The ids of its messages, the newest last. */
  readonly ids: Set<string>
  readonly inbox: MemoryInbox
}

class MemoryStore implements Store {
  readonly durable = false
  readonly name: string
  readonly #runs = new Map<string, MemoryRun>()
  readonly #workers = new Map<string, KnownWorker>()
  readonly #programs = new Map<string, StoredProgram>()
  readonly #blobs = new Map<string, string>()
  readonly #ledgers = new MemoryLedgers()
  readonly #listeners = new PostListeners()
  /** All batches in the order in which they were committed. */
  readonly #committed: Pick<CommittedBatch, 'run' | 'first' | 'last'>[] = []
  #lastMessage = 0

  constructor(name: string) {
    this.name = name
  }

  hello(worker: Worker, now: number, ttl: number): void {
    this.#workers.set(worker.id, knownWorker(worker, lastSeen(this.#workers.get(worker.id)?.seen, now, ttl), ttl))
  }

  beat(worker: Worker, now: number, leases: readonly Lease[] = []): readonly string[] {
    const known = this.#known(worker)
    this.#workers.set(worker.id, { ...known, seen: lastSeen(known.seen, now, known.ttl) })
    return leases.filter(({ run, token }) => this.#runs.get(run)?.token === token).map(({ run }) => run)
  }

  create({ base, ...row }: Omit<RunRow, 'owner' | 'last'> & { readonly base?: Base }, worker: Worker): Lease | 'taken' {
    this.#known(worker)
    if (this.#runs.has(row.id)) return 'taken'
    this.#runs.set(row.id, {
      columns: newColumns(row, base),
      owner: worker.id,
      token: 1,
      journal: new MemoryJournal(row.id, base),
      ids: new Set(),
      inbox: new MemoryInbox(),
    })
    return { run: row.id, token: 1, worker }
  }

  claim(id: string, worker: Worker, now: number): Claim {
    this.#known(worker)
    const run = this.#runs.get(id)
    if (run === undefined) return { missing: true }
    const owner = this.#workers.get(run.owner ?? '')
    if (owner !== undefined && owner.id !== worker.id && !isGone(owner, now, new Set([worker.host]))) {
      return { owner: { worker: workerOf(owner), seen: owner.seen } }
    }
    run.owner = worker.id
    run.token++
    return { lease: { run: id, token: run.token, worker }, row: this.#row(run) }
  }

  release(lease: Lease): void {
    const run = this.#runs.get(lease.run)
    if (run?.token !== lease.token) return
    run.owner = null
    run.token++
  }

  commit(batches: readonly Batch[]): readonly string[] {
    requireSnapshots(batches)
    const refused = this.#refusedRuns(batches)
    for (const batch of batches) if (!refused.has(batch.lease.run)) this.#append(batch)
    return [...refused]
  }

  #refusedRuns(batches: readonly Batch[]): Set<string> {
    const refused = new Set<string>()
    const ends = new Map<string, number>()
    for (const { lease, first, count } of batches) {
      const run = this.#runs.get(lease.run)
      const last = ends.get(lease.run) ?? run?.columns.last
      if (run?.token !== lease.token || first - 1 !== last) refused.add(lease.run)
      ends.set(lease.run, first + count - 1)
    }
    return refused
  }

  #append(batch: Batch): void {
    const { lease, first, count, version, row, programs, blobs, taken, delivered, seal } = batch
    const run = this.#runs.get(lease.run)
    if (run === undefined) return
    run.columns = { ...run.columns, ...movingColumns(row), last: first + count - 1 }
    run.journal.append(batch)
    this.#committed.push({ run: lease.run, first, last: first + count - 1 })
    for (const program of programs ?? []) if (!this.#programs.has(program.hash)) this.#programs.set(program.hash, program)
    for (const [hash, text] of blobs ?? []) if (!this.#blobs.has(hash)) this.#blobs.set(hash, text)
    for (const message of taken ?? []) takeMessage(run, message)
    for (const { id } of delivered ?? []) {
      if (run.ids.has(id)) for (const message of run.inbox.after()) if (message.id === id) takeMessage(run, message.row)
      if (!run.ids.has(id)) run.journal.addTaken(id)
      run.ids.add(id)
    }
    if (seal === true) for (const id of run.journal.seal(version, [...run.ids].at(-1))) run.ids.delete(id)
  }

  read(id: string, until: number = Number.POSITIVE_INFINITY): StoredRun | undefined {
    const run = this.#runs.get(id)
    return run === undefined ? undefined : { row: this.#row(run), ...run.journal.read(until) }
  }

  journal(id: string, from = 1): readonly StoredBatch[] {
    return this.#runs.get(id)?.journal.batches(from, Number.POSITIVE_INFINITY) ?? []
  }

  async *batches(id: string, from = 1, until = Number.POSITIVE_INFINITY): AsyncGenerator<StoredBatch> {
    yield* this.#runs.get(id)?.journal.batches(from, until) ?? []
  }

  segments(id: string): readonly Segment[] {
    return this.#runs.get(id)?.journal.segments() ?? []
  }

  segment(id: string, number: number): StoredSegment | undefined {
    return this.#runs.get(id)?.journal.segment(number)
  }

  async pack(id: string, number: number): Promise<PackResult> {
    return this.#must(id).journal.pack(number)
  }

  forget(id: string, through: number, archive: string): void {
    this.#must(id).journal.forget(through, archive)
  }

  runs({ after, limit, ...filter }: RunFilter = {}): readonly RunRow[] {
    const listed = [...this.#runs.values()].reverse().sort((a, b) => b.columns.started - a.columns.started)
    const start = after === undefined ? 0 : listed.indexOf(this.#must(after)) + 1
    const found = listed.slice(start).filter(({ columns, owner, journal }) => {
      return !isAbandoned({ last: columns.last, base: journal.base }, this.#workers.get(owner ?? '')) && matchesFilter(columns, filter)
    })
    return found.slice(0, limit === undefined ? undefined : Math.max(0, limit)).map((run) => this.#row(run))
  }

  committed(after?: string, limit = Number.MAX_SAFE_INTEGER): Committed | undefined {
    const all = this.#committed
    const from = after === undefined ? all.length : readPlace(after)
    if (from === undefined || from > all.length) return undefined
    const end = Math.min(all.length, from + Math.max(0, limit))
    const batches = all.slice(from, end).map((batch, i) => ({ ...batch, place: placeText(from + i + 1) }))
    return { batches: batches.filter(({ run }) => this.#runs.has(run)), end: placeText(end) }
  }

  program(hash: string): StoredProgram | undefined {
    const program = this.#programs.get(hash)
    return program === undefined ? undefined : { ...program }
  }

  blob(hash: string): string | undefined {
    return this.#blobs.get(hash)
  }

  post(id: string, message: Message, limit?: InboxLimit): boolean {
    const columns = messageColumns(message)
    const run = this.#runs.get(id)
    if (run === undefined) throw unknownRun(id)
    if (run.ids.has(message.id)) return false
    if (!isOpen(run.columns.status)) throw endedRun(id, run.columns.status)
    const waiting = (): MemoryMessage[] =>
      [...run.inbox.after()].filter(({ type, target }) => type === message.type && target === message.to)
    if (message.type === 'answer' && waiting().length > 0) throw duplicateAnswer(id)
    if (!checkRoom(id, message, limit, () => waiting().length)) return false
    run.ids.add(message.id)
    this.#lastMessage++
    run.inbox.add({ ...columns, row: this.#lastMessage })
    this.#listeners.notify()
    return true
  }

  postAll(id: string, messages: readonly Message[], limit?: InboxLimit): readonly (boolean | Fault)[] {
    return messages.map((message) => {
      try {
        return this.post(id, message, limit)
      } catch (thrown) {
        return refusalOf(thrown)
      }
    })
  }

  posted(run: string, id: string): boolean {
    return this.#runs.get(run)?.ids.has(id) === true
  }

  inbox(id: string, after?: number, limit?: number): readonly InboxMessage[] {
    const messages = this.#runs.get(id)?.inbox.after(after) ?? []
    const page = limit === undefined ? messages : Iterator.from(messages).take(Math.max(0, limit))
    return Array.from(page, (columns) => ({ row: columns.row, ...messageOf(columns, id) }))
  }

  unread(worker: Worker): readonly UnreadRun[] {
    return [...this.#runs].flatMap(([run, { owner, inbox }]) => (owner === worker.id && inbox.size > 0 ? [{ run, mark: inbox.mark }] : []))
  }

  watch(posted: () => void): PostWatch {
    return { complete: true, stop: this.#listeners.listen(posted) }
  }

  due(now: number): readonly string[] {
    const open = [...this.#runs.values()].filter(({ columns }) => isOpen(columns.status))
    return dueRuns(
      open.map((run) => this.#openRun(run)),
      now,
      this.#hosts(),
    )
  }

  #openRun({ columns, owner, inbox, journal }: MemoryRun): OpenRun {
    const messages = [...inbox.after()]
    const { id, status, last, due, updated, waits } = columns
    const first = (found: readonly MemoryMessage[]): number | null => (found.length === 0 ? null : Math.min(...found.map(({ at }) => at)))
    const [topicMessages, otherMessages] = [
      messages.filter(({ type }) => type === 'message'),
      messages.filter(({ type }) => type !== 'message'),
    ]
    const topics = topicMessages.length === 0 ? null : JSON.stringify(topicMessages.map(({ target }) => target))
    const knownOwner = this.#workers.get(owner ?? '')
    const { host = '', pid = 0, place = '', began = '', seen = 0, ttl = 0 } = knownOwner ?? {}
    const ownerColumns = { owner, worker: knownOwner?.id ?? null, host, pid, place, began, seen, ttl }
    const { base } = journal
    return { id, status, last, base, due, updated, waits, topics, told: first(otherMessages), heard: first(topicMessages), ...ownerColumns }
  }

  append(ledger: string, key: string, value: Json, at: number): number {
    return this.#ledgers.appendOne(ledger, key, entryText(ledger, key, value), at)
  }

  appendAll(ledger: string, key: string, entries: readonly NewEntry[], at: number, options?: AppendOptions): Appended {
    return this.#ledgers.append(ledger, key, checkEntries(ledger, key, entries, options), at, options)
  }

  ledger(name: string, after?: number, limit?: number): readonly LedgerEntry[] {
    return this.#ledgers.entries(name, after, limit)
  }

  latest(ledger: string, names?: readonly string[]): LatestEntries {
    return this.#ledgers.latest(ledger, names)
  }

  compact(ledger: string, compaction: Compaction): number {
    return this.#ledgers.compact(ledger, checkCompaction(ledger, compaction), (runs) => this.#openRuns(runs))
  }

  sweep(options: SweepOptions): SweepResult {
    const runs = [...this.#runs.values()].map((run) => ({ ...run, owner: this.#workers.get(run.owner ?? '') }))
    const ledgers = this.#ledgers.values()
    const found = unneededOf({ runs, programs: this.#programs.keys(), blobs: this.#blobs.keys(), ledgers }, options)
    const isDry = options.dry === true
    if (!isDry) {
      for (const id of found.runs) this.#runs.delete(id)
      for (const hash of found.programs) this.#programs.delete(hash)
      for (const hash of found.blobs) this.#blobs.delete(hash)
    }
    return { ...found, entries: this.#ledgers.compactKept(options.now, (ids) => this.#openRuns(ids), isDry) }
  }

  /** Returns the open ones among these runs. */
  #openRuns(ids: readonly string[]): Set<string> {
    return new Set(ids.filter((id) => isOpen(this.#runs.get(id)?.columns.status ?? 'completed')))
  }

  close(): void {}

  #must(id: string): MemoryRun {
    const run = this.#runs.get(id)
    if (run === undefined) throw unknownRun(id)
    return run
  }

  #row(run: MemoryRun): RunRow {
    const owner = this.#workers.get(run.owner ?? '')
    return rowOf(run.columns, owner === undefined ? null : workerOf(owner))
  }

  #known(worker: Worker): KnownWorker {
    const known = this.#workers.get(worker.id)
    if (known === undefined) throw faults.make('R5028', `worker ${worker.id} did not say hello to ${this.name}`)
    return known
  }

  /** Returns the names under which this process knows its machine. */
  #hosts(): ReadonlySet<string> {
    return new Set([...this.#workers.values()].filter(({ pid }) => pid === process.pid).map(({ host }) => host))
  }
}

function matchesFilter(columns: RunColumns, { status, prefix, kind, program, since, until }: RunFilter): boolean {
  const { id, trace, updated } = columns
  const [name, ofKind] = JSON.parse(columns.program) as Pin
  return (
    status?.includes(columns.status) !== false &&
    (prefix === undefined || id.startsWith(prefix) || trace === prefix) &&
    (kind ?? ofKind) === ofKind &&
    (program ?? name) === name &&
    updated >= (since ?? updated) &&
    (until === undefined || updated < until)
  )
}

/** Marks a message as taken by the last record of the run. */
function takeMessage({ inbox, journal }: MemoryRun, row: number): void {
  const id = inbox.take(row)
  if (id !== undefined) journal.addTaken(id)
}

function workerOf({ id, host, pid }: KnownWorker): Worker {
  return { id, host, pid }
}
