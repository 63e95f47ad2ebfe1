import type { Json } from '../../kernel/journal/json.ts'
import type {
  Batch,
  Claim,
  InboxMessage,
  Lease,
  LedgerEntry,
  Message,
  PostWatch,
  RunFilter,
  RunRow,
  Store,
  StoredBatch,
  StoredProgram,
  StoredRun,
  SweepOptions,
  Swept,
  UnreadRun,
  Worker,
} from '../../kernel/ports/store.ts'
import { checkedMessage } from '../inbox.ts'
import { checkedEntries } from '../ledgers.ts'
import { parsePostgresAddress, type PostgresAddress } from './address.ts'
import { Commits } from './commit.ts'
import { PostgresConnection, type PostgresOptions } from './connection.ts'
import { appendEntry, postMessage } from './inbox.ts'
import { PostgresLeases } from './leases.ts'
import { Listening } from './listening.ts'
import { readJournal, readRun, readRuns } from './reading.ts'
import { sweepPostgres } from './sweep.ts'
import { checkedBlob, checkedProgram } from '../reading.ts'

/** For commits, messages and readers. */
const CONNECTIONS = 4
/** For heartbeats alone: one, and another while the first one is silent. */
const HEARTBEATS = 2

/**
 * A store in one schema of a Postgres database (`?schema=NAME`, by default `reflex`), which the first call makes if there is none.
 * Several processes on several machines may have it open. What a method wrote is durable when its promise is
 * fulfilled; every method writes all of it or nothing. Each store keeps up to four connections, and one for its heartbeat.
 *
 * Throws `R5061` for an address that cannot be read; the server is reached by the first call. Methods reject with `R5060`
 * without the package `pg`, `R5062` to `R5068` and `R5071` for a server, user, database or schema that will not do, `R5003` for a
 * journal that is not what was written, `R5025` while another process keeps a row locked.
 *
 * A call whose connection is lost connects again and finds out what it has done before it does it again. A connection that has not
 * answered for half a lease counts as lost, that of the heartbeat after a quarter. A server that stays away for longer than
 * `patience` is `R5069`, or `R5070` where it cannot be known whether the call has written; one without a free connection is `R5072`.
 */
export function openPostgres(address: string, options: PostgresOptions = {}): Store {
  const parsed = parsePostgresAddress(address)
  return new PostgresStore(
    new PostgresConnection(parsed, options, CONNECTIONS),
    new PostgresConnection(parsed, options, HEARTBEATS),
    parsed,
  )
}

class PostgresStore implements Store {
  readonly durable = true
  readonly name: string
  readonly #connection: PostgresConnection
  readonly #commits: Commits
  readonly #heart: PostgresConnection
  readonly #leases: PostgresLeases
  readonly #listening: Listening

  constructor(connection: PostgresConnection, heart: PostgresConnection, address: PostgresAddress) {
    this.name = connection.name
    this.#connection = connection
    this.#heart = heart
    this.#commits = new Commits(connection)
    this.#leases = new PostgresLeases(connection, heart, this.#commits)
    this.#listening = new Listening(address)
  }

  hello(worker: Worker, now: number, ttl: number): Promise<void> {
    return this.#leases.hello(worker, now, ttl)
  }

  beat(worker: Worker, now: number, leases?: readonly Lease[]): Promise<readonly string[]> {
    return this.#leases.beat(worker, now, leases)
  }

  create(row: Omit<RunRow, 'owner' | 'last'>, worker: Worker): Promise<Lease | 'taken'> {
    return this.#leases.create(row, worker)
  }

  claim(run: string, worker: Worker, now: number): Promise<Claim> {
    return this.#leases.claim(run, worker, now)
  }

  release(lease: Lease): Promise<void> {
    return this.#leases.release(lease)
  }

  commit(batches: readonly Batch[]): Promise<readonly string[]> {
    return this.#commits.commit(batches)
  }

  read(run: string, until?: number): Promise<StoredRun | undefined> {
    return this.#connection.read((ask) => readRun(ask, run, until))
  }

  journal(run: string, from?: number): Promise<readonly StoredBatch[]> {
    return this.#connection.read((ask) => readJournal(ask, run, from))
  }

  runs(filter: RunFilter = {}): Promise<readonly RunRow[]> {
    return this.#connection.read((ask) => readRuns(ask, filter))
  }

  program(hash: string): Promise<StoredProgram | undefined> {
    return this.#connection.read(async (ask) => checkedProgram((await ask('program', [hash]))[0]))
  }

  blob(hash: string): Promise<string | undefined> {
    return this.#connection.read(async (ask) => checkedBlob(hash, (await ask('blob', [hash]))[0]))
  }

  async post(run: string, message: Message): Promise<boolean> {
    const fresh = await this.#connection.write((ask, doubt) => postMessage(ask, run, message, doubt))
    this.#listening.tell()
    return fresh
  }

  inbox(run: string): Promise<readonly InboxMessage[]> {
    return this.#connection.read(async (ask) => (await ask('inbox', [run])).map((columns) => checkedMessage(columns, run)))
  }

  unread(worker: Worker): Promise<readonly UnreadRun[]> {
    this.#listening.renew()
    return this.#connection.read((ask) => ask('unread', [worker.id]))
  }

  watch(posted: () => void): PostWatch {
    return { complete: false, stop: this.#listening.listen(posted) }
  }

  due(now: number): Promise<readonly string[]> {
    return this.#leases.due(now)
  }

  append(ledger: string, key: string, value: Json, at: number): Promise<number> {
    return this.#connection.write((ask) => appendEntry(ask, ledger, key, value, at))
  }

  ledger(name: string, after = 0, limit?: number): Promise<readonly LedgerEntry[]> {
    const many = limit === undefined ? null : Math.max(0, limit)
    return this.#connection.read(async (ask) => checkedEntries(await ask('entries', [name, after, many]), name, after))
  }

  sweep(options: SweepOptions): Promise<Swept> {
    return sweepPostgres(this.#connection, options)
  }

  async close(): Promise<void> {
    await this.#listening.close()
    await Promise.all([this.#connection.close(), this.#heart.close()])
  }
}
