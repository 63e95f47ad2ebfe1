import { type Host, systemHost } from '../../kernel/ports/host.ts'
import { isFault } from '../../kernel/journal/fault.ts'
import { faults } from '../faults.ts'
import type { PostgresAddress } from './address.ts'
import { type Client, makePool, type Pool, toColumn, type Value } from './driver.ts'
import { type Operation, isBusy, isClash, isExhausted, isLost, postgresFault, unknownOutcomeFault } from './errors.ts'
import { prepareSchema } from './schema.ts'
import { type PostgresRows, postgresStatements } from './statements.ts'

/** Performs one statement and answers with its rows. */
export type Ask = <Name extends keyof PostgresRows>(name: Name, values: readonly Value[]) => Promise<readonly PostgresRows[Name][]>

/** How a Postgres store behaves. */
export interface PostgresOptions {
  /**
   * Milliseconds for which a call waits for another process that writes, and, from its first failure, for a server that went
   * away and may come back, or that has no free connection. Default 5000. A server that never answered is not waited for.
   */
  readonly patience?: number
  /** Default: the machine's own clock. */
  readonly host?: Host
}

/**
 * What the statements rest on, whatever the defaults of the server are: that names without a schema are those of Postgres, and not
 * those that another user has put into a schema that is searched, too; their isolation; and that a commit waits for the disk.
 */
const SESSION = `set search_path = pg_catalog, pg_temp; set default_transaction_isolation = 'read committed';
  select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'`

/** Milliseconds between tries to reach a server that is gone. */
const PAUSE_MS = 100

/** Milliseconds without an answer after which a connection counts as lost, before a lease is known. */
const SILENT_MS = 7500
/** A busy server must not look like a silent one. */
const SHORTEST_SILENT_MS = 1000
/** The factor by which some statements may take longer: those of a sweep, and, once they were given up, those with much data. */
const SLOW_FACTOR = 8
const SWEEP_STATEMENTS: ReadonlySet<keyof PostgresRows> = new Set([
  'all',
  'forks',
  'ledgers',
  'programs',
  'blobs',
  'dropRuns',
  'dropPrograms',
  'dropBlobs',
])
const LARGE_STATEMENTS: ReadonlySet<keyof PostgresRows> = new Set(['commit', 'snapshot', 'batches', 'runs', 'program', 'blob', 'entries'])
const CONNECT_MS = 10_000

/**
 * The connections to one store. They are made when they are needed, and made again when they were lost or have gone silent:
 * a proxy that stops forwarding says nothing at all.
 */
export class PostgresConnection {
  readonly name: string
  readonly #address: PostgresAddress
  readonly #statements: Readonly<Record<keyof PostgresRows, string>>
  readonly #patience: number
  readonly #host: Host
  readonly #connections: number
  #silentMs = SILENT_MS
  /** Connections over which the schema was looked at: another release may have changed it before a new one is made. */
  readonly #prepared = new WeakSet<Client>()
  #pool: Promise<Pool> | undefined
  #hasConnected = false
  #isClosed = false

  constructor(address: PostgresAddress, { patience = 5000, host = systemHost }: PostgresOptions, connections: number) {
    this.name = address.name
    this.#address = address
    this.#statements = postgresStatements(address.schema)
    this.#patience = patience
    this.#host = host
    this.#connections = connections
  }

  /** From now on, a connection that has not answered a statement for so many milliseconds, or for a second, counts as lost. */
  setSilentLimit(milliseconds: number): void {
    this.#silentMs = Math.max(SHORTEST_SILENT_MS, milliseconds)
  }

  read<T>(work: (ask: Ask) => Promise<T>): Promise<T> {
    return this.#attempt('read', work)
  }

  /**
   * `work` is done again when the connection was lost under it. Then `doubt` is true: its statements of the first time were
   * performed or not, and it finds out which.
   */
  write<T>(work: (ask: Ask, unknownOutcome: boolean) => Promise<T>): Promise<T> {
    return this.#attempt('write', work)
  }

  /** As `write`, but tries only for as long as it takes to find that a connection is silent: for calls that are repeated anyway. */
  writeBriefly<T>(work: (ask: Ask) => Promise<T>): Promise<T> {
    return this.#attempt('write', work, this.#host.now() + this.#silentMs)
  }

  async #attempt<T>(operation: Operation, work: (ask: Ask, unknownOutcome: boolean) => Promise<T>, end?: number): Promise<T> {
    const startedAt = this.#host.now()
    let until = end
    let unknownOutcome = false
    for (let tries = 1; ; tries++) {
      let client: Client | undefined
      try {
        client = await this.#client()
        const result = await work(this.#askOver(client, tries), unknownOutcome)
        client.release()
        return result
      } catch (thrown) {
        const isLostConnection = isLost(thrown)
        client?.release(isLostConnection)
        unknownOutcome ||= isLostConnection && client !== undefined && operation === 'write'
        // What the work itself says of the store is certain, doubt or not.
        if (isFault(thrown) && client !== undefined) throw thrown
        // Counted from the first failure: a connection may have been silent for longer than that.
        const failedAt = this.#host.now()
        until ??= failedAt + this.#patience
        const isRetryable =
          (isLostConnection && this.#hasConnected) ||
          isClash(thrown) ||
          isExhausted(thrown) ||
          (isBusy(thrown) && failedAt < startedAt + this.#patience)
        if (!isRetryable || failedAt >= until) throw this.#fault(thrown, operation, unknownOutcome)
        if (tries > 1) await this.#pause()
      }
    }
  }

  #fault(thrown: unknown, operation: Operation, unknownOutcome: boolean): Error {
    return unknownOutcome
      ? unknownOutcomeFault(thrown, this.name)
      : postgresFault(thrown, this.name, this.#hasConnected ? operation : 'open')
  }

  #askOver(client: Client, tries: number): Ask {
    return async <Name extends keyof PostgresRows>(name: Name, values: readonly Value[]) => {
      const { rows } = await client.query({
        name: `reflex_${name}`,
        text: this.#statements[name],
        values: values.map(toColumn),
        query_timeout: this.#silentMs * (SWEEP_STATEMENTS.has(name) || (LARGE_STATEMENTS.has(name) && tries > 1) ? SLOW_FACTOR : 1),
      })
      return rows as PostgresRows[Name][]
    }
  }

  async #client(): Promise<Client> {
    if (this.#isClosed) throw faults.make('R5029', `the store ${this.name} is closed`)
    this.#pool ??= makePool(this.#address.connection, {
      connections: this.#connections,
      // Less than the time for a silent connection: a statement that only waits must not count as lost.
      lockMs: Math.ceil(Math.min(this.#patience, this.#silentMs * 0.75)),
      silentMs: this.#silentMs * SLOW_FACTOR,
      connectMs: Math.min(CONNECT_MS, this.#silentMs * 2),
    }).catch((thrown: unknown) => {
      this.#pool = undefined
      throw thrown
    })
    const client = await (await this.#pool).connect()
    if (!this.#prepared.has(client)) await this.#prepare(client)
    return client
  }

  async #prepare(client: Client): Promise<void> {
    // The statement that is under way learns of a lost connection too; alone, the event would end the process.
    client.on('error', () => {})
    try {
      await client.query({ text: SESSION, query_timeout: this.#silentMs })
      await prepareSchema(client, this.#address)
    } catch (thrown) {
      client.release(true)
      throw thrown
    }
    this.#prepared.add(client)
    this.#hasConnected = true
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => void this.#host.at(this.#host.now() + PAUSE_MS, resolve))
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await (await this.#pool)?.end()
  }
}
