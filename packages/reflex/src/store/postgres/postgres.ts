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
  type CommitWatch,
  type InboxLimit,
  type InboxMessage,
  type LatestEntries,
  type Lease,
  type LedgerEntry,
  type Message,
  type NewEntry,
  type PostWatch,
  type RunFilter,
  type RunRow,
  type PackResult,
  type Segment,
  type Store,
  systemHost,
  type StoredBatch,
  type StoredProgram,
  type StoredRun,
  type StoredSegment,
  type SweepOptions,
  type SweepResult,
  type UnreadRun,
  type Worker,
} from '../../kernel/index.ts'
import { duplicateAnswer, endedRun, isOpen, messageColumns, unknownRun } from '../columns.ts'
import { batchPages } from '../batch-pages.ts'
import { checkedMessage, refusalOf, sumOfMessage } from '../inbox.ts'
import { type Ask, inTransaction, PostgresConnection, type PostgresOptions } from './connection.ts'
import { Announcements } from './announcements.ts'
import { parsePostgresAddress } from './address.ts'
import { Commits } from './commit.ts'
import { committedIn } from './committed.ts'
import { PostgresLeases } from './leases.ts'
import { appendEntries, appendEntry, compactLedger, entriesOf, latestOf } from './ledgers.ts'
import { readJournal, readRun, readRuns, retryIfReplaced } from './reading.ts'
import { baseOf } from '../rows.ts'
import { forgetStored, listSegments, packStored, readSegment } from './stored-segments.ts'
import { sweepPostgres } from './sweep.ts'
import { checkedBlob, checkedProgram } from '../reading.ts'

/** From so many connections on, heartbeats have two: a second one while the first is silent. */
const TWO_HEARTBEATS = 5

/**
 * Opens a store in one schema of a Postgres database (`?schema=NAME`, default `reflex`). The first call creates the
 * schema if it does not exist. Several processes on several machines may have it open. The writes of a method are
 * durable when its promise is fulfilled; every method writes everything or nothing. Each store keeps at most seven
 * connections (`?connections=N`): one for announcements of messages and commits, one or two for its heartbeat, the rest for everything else.
 *
 * Throws `R5061` for an address that cannot be read; the first call connects to the server. Methods reject with `R5060`
 * without the package `pg`, `R5062` to `R5068`, `R5071`, `R5074` and `R5075` for an unusable server, user, database or schema, `R5003`
 * for a journal that is not what was written, `R5025` while another process locks a row.
 *
 * A call whose connection is lost connects again and finds out whether it was performed before it is repeated. A
 * connection that has not answered for half the duration of a lease counts as lost; the connection of the heartbeat,
 * for a quarter. A server that is away for longer than `patience` is `R5069`, or `R5070` if the outcome of the call is
 * unknown; a server without a free connection is `R5072`.
 */
export function openPostgres(address: string, options: PostgresOptions = {}): Store {
  const parsed = parsePostgresAddress(address)
  const heartbeats = parsed.connections < TWO_HEARTBEATS ? 1 : 2
  return new PostgresStore(
    new PostgresConnection(parsed, options, parsed.connections - heartbeats - 1),
    new PostgresConnection(parsed, options, heartbeats),
    new Announcements(parsed, options.host ?? systemHost),
  )
}

class PostgresStore implements Store {
  readonly durable = true
  readonly name: string
  readonly #connection: PostgresConnection
  readonly #commits: Commits
  readonly #heartbeats: PostgresConnection
  readonly #leases: PostgresLeases
  readonly #announcements: Announcements

  constructor(connection: PostgresConnection, heartbeats: PostgresConnection, announcements: Announcements) {
    this.name = connection.name
    this.#connection = connection
    this.#heartbeats = heartbeats
    this.#commits = new Commits(connection)
    this.#leases = new PostgresLeases(connection, heartbeats, this.#commits)
    this.#announcements = announcements
  }

  hello(worker: Worker, now: number, ttl: number): Promise<void> {
    return this.#leases.hello(worker, now, ttl)
  }

  beat(worker: Worker, now: number, leases?: readonly Lease[]): Promise<readonly string[]> {
    return this.#leases.beat(worker, now, leases)
  }

  create(row: Omit<RunRow, 'owner' | 'last'> & { readonly base?: Base }, worker: Worker): Promise<Lease | 'taken'> {
    return this.#leases.create(row, worker)
  }

  claim(run: string, worker: Worker, now: number): Promise<Claim> {
    return this.#leases.claim(run, worker, now)
  }

  release(lease: Lease): Promise<void> {
    return this.#leases.release(lease)
  }

  async commit(batches: readonly Batch[]): Promise<readonly string[]> {
    const refused = await this.#commits.commit(batches)
    const committed = new Set(batches.map(({ lease }) => lease.run))
    for (const run of refused) committed.delete(run)
    this.#announcements.committed(committed)
    return refused
  }

  read(run: string, until?: number): Promise<StoredRun | undefined> {
    return readRun(this.#connection.ask, run, until)
  }

  journal(run: string, from?: number): Promise<readonly StoredBatch[]> {
    return readJournal(this.#connection.ask, run, from)
  }

  async *batches(run: string, from = 1, until = Number.MAX_SAFE_INTEGER): AsyncGenerator<StoredBatch> {
    const [row] = await this.#connection.read((ask) => ask('run', [run]))
    if (row === undefined) return
    const range = [Math.max(from, baseOf(row) + 1), Math.min(until, row.last)] as const
    yield* batchPages(run, range, (from, until) => readJournal(this.#connection.ask, run, from, until))
  }

  async segments(run: string): Promise<readonly Segment[]> {
    const { ask } = this.#connection
    return (await retryIfReplaced(ask, run, (row) => listSegments(ask, row))) ?? []
  }

  segment(run: string, number: number): Promise<StoredSegment | undefined> {
    const { ask } = this.#connection
    return retryIfReplaced(ask, run, (row) => readSegment(ask, row, number))
  }

  pack(run: string, number: number): Promise<PackResult> {
    return packStored(this.#connection, run, number)
  }

  forget(run: string, through: number, archive: string): Promise<void> {
    return forgetStored(this.#connection, run, through, archive)
  }

  runs(filter: RunFilter = {}): Promise<readonly RunRow[]> {
    return this.#connection.read((ask) => readRuns(ask, filter))
  }

  committed(after?: string, limit?: number): Promise<Committed | undefined> {
    this.#announcements.renew()
    return this.#connection.read((ask) => committedIn(ask, after, limit))
  }

  program(hash: string): Promise<StoredProgram | undefined> {
    return this.#connection.read(async (ask) => checkedProgram((await ask('program', [hash]))[0]))
  }

  blob(hash: string): Promise<string | undefined> {
    return this.#connection.read(async (ask) => checkedBlob(hash, (await ask('blob', [hash]))[0]))
  }

  async post(run: string, message: Message, limit?: InboxLimit): Promise<boolean> {
    const isNew = await this.#connection.write((ask, unknownOutcome) => postMessage(ask, run, message, { limit, unknownOutcome }))
    this.#announcements.notify()
    return isNew
  }

  async postAll(run: string, messages: readonly Message[], limit?: InboxLimit): Promise<readonly (boolean | Fault)[]> {
    if (messages.length === 0) return []
    const results = await this.#connection.write((ask, unknownOutcome) => postMessages(ask, run, messages, { limit, unknownOutcome }))
    this.#announcements.notify()
    return results
  }

  posted(run: string, id: string): Promise<boolean> {
    return this.#connection.read(async (ask) => (await ask('posted', [run, id])).length > 0)
  }

  inbox(run: string, after = 0, limit?: number): Promise<readonly InboxMessage[]> {
    const count = limit === undefined ? null : Math.max(0, limit)
    return this.#connection.read(async (ask) => (await ask('inbox', [run, after, count])).map((columns) => checkedMessage(columns, run)))
  }

  unread(worker: Worker): Promise<readonly UnreadRun[]> {
    this.#announcements.renew()
    return this.#leases.unread(worker)
  }

  watch(posted: () => void): PostWatch {
    return { complete: false, stop: this.#announcements.listen(posted) }
  }

  follow(changed: (runs: ReadonlySet<string> | undefined) => void, all = false): CommitWatch {
    return this.#announcements.follow(changed, all)
  }

  due(now: number): Promise<readonly string[]> {
    return this.#leases.due(now)
  }

  async append(ledger: string, key: string, value: Json, at: number): Promise<number> {
    const text = entryText(ledger, key, value)
    return this.#connection.write((ask) => appendEntry(ask, ledger, key, text, at))
  }

  async appendAll(ledger: string, key: string, entries: readonly NewEntry[], at: number, options?: AppendOptions): Promise<Appended> {
    const checked = checkEntries(ledger, key, entries, options)
    return this.#connection.write((ask) => appendEntries(ask, ledger, key, checked, at, options))
  }

  ledger(name: string, after = 0, limit?: number): Promise<readonly LedgerEntry[]> {
    return this.#connection.read((ask) => entriesOf(ask, name, after, limit))
  }

  latest(ledger: string, names?: readonly string[]): Promise<LatestEntries> {
    return this.#connection.read((ask) => latestOf(ask, ledger, names))
  }

  async compact(ledger: string, compaction: Compaction): Promise<number> {
    return compactLedger(this.#connection, ledger, checkCompaction(ledger, compaction))
  }

  sweep(options: SweepOptions): Promise<SweepResult> {
    return sweepPostgres(this.#connection, options)
  }

  async close(): Promise<void> {
    await this.#announcements.close()
    await Promise.all([this.#connection.close(), this.#heartbeats.close()])
  }
}

interface PostOptions {
  readonly limit: InboxLimit | undefined
  readonly unknownOutcome: boolean
}

/** Posts several messages to a run in one transaction. Returns for each the result of `postMessage`, or its fault. Throws `R2016`. */
async function postMessages(ask: Ask, run: string, messages: readonly Message[], { limit, unknownOutcome }: PostOptions) {
  const seen = new Set<string>()
  return inTransaction(ask, async () => {
    const results: (boolean | Fault)[] = []
    for (const message of messages) {
      // A second message with an id of this list is not the one that a first attempt posted.
      const options = { limit, unknownOutcome: unknownOutcome && !seen.has(message.id) }
      seen.add(message.id)
      results.push(await postMessage(ask, run, message, options).catch(refusalOf))
    }
    return results
  })
}

/** Posts a message to a run. The indexes prevent two answers to one wait and two messages with one id. */
async function postMessage(ask: Ask, run: string, message: Message, { limit, unknownOutcome }: PostOptions): Promise<boolean> {
  const columns = messageColumns(message)
  const { id, type, target, sender, at, body } = columns
  const sum = sumOfMessage(columns)
  const most = limit === undefined || type !== 'message' ? null : Math.min(Math.max(0, Math.floor(limit.most)), Number.MAX_SAFE_INTEGER)
  for (;;) {
    const [posted] = await ask('post', [run, id, type, target, sender, at, sum, body, most])
    if (posted !== undefined) return true
    const [obstacle] = await ask('obstacle', [run, id, target])
    if (obstacle === undefined) throw unknownRun(run)
    // After an unknown outcome, an equal message is the one that the first attempt posted.
    if (obstacle.sum !== null) return unknownOutcome && obstacle.sum === sum
    if (!isOpen(obstacle.status)) throw endedRun(run, obstacle.status)
    if (type === 'answer' && obstacle.answered === 1) throw duplicateAnswer(run)
    if (!checkRoom(run, message, limit, () => obstacle.waiting)) return false
    // The obstacle no longer exists: try again.
  }
}
