import { type Host, systemHost, isFault } from '../../kernel/index.ts'
import { faults } from '../faults.ts'
import type { PostgresAddress } from './address.ts'
import { type Client, makePool, type Pool, toColumn, type Value } from './driver.ts'
import { type Operation, isBusy, isClash, isExhausted, isLost, isReadOnly, postgresFault, unknownOutcomeFault } from './errors.ts'
import { requireOwnSession, sessionSettings } from './session.ts'
import { prepareSchema } from './schema.ts'
import { type PostgresRows, postgresStatements } from './statements.ts'

/** Performs one statement and returns its rows. */
export type Ask = <Name extends keyof PostgresRows>(name: Name, values: readonly Value[]) => Promise<readonly PostgresRows[Name][]>

/** The settings of a Postgres store. */
export interface PostgresOptions {
  /**
   * The time in milliseconds that a call waits for another writing process. From the first failure on, it is also the
   * time that a call waits for a server that was lost or that has no free connection. Default 5000. A server that has
   * never answered is not waited for.
   */
  readonly patience?: number
  /** Default: the machine's clock. */
  readonly host?: Host
}

/** The milliseconds between attempts to reach a lost server. */
const PAUSE_MS = 100

/** The milliseconds without an answer after which a connection counts as lost, before the duration of a lease is known. */
const SILENT_MS = 7500
/** The lower limit in milliseconds: a busy server must not look like a silent one. */
const SHORTEST_SILENT_MS = 1000
/** The factor by which some statements may take longer: those of a sweep, and the retries of those with much data. */
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
const LARGE_STATEMENTS: ReadonlySet<keyof PostgresRows> = new Set([
  'commit',
  'snapshot',
  'batches',
  'runs',
  'program',
  'blob',
  'entries',
  'latest',
  'appendAll',
  'dropEntries',
  'segmentBodies',
  'pack',
])
const CONNECT_MS = 10_000

/** Runs several statements in one transaction. */
export async function inTransaction<T>(ask: Ask, work: () => Promise<T>): Promise<T> {
  await ask('begin', [])
  try {
    const result = await work()
    await ask('keep', [])
    return result
  } catch (thrown) {
    // The first error is reported; a lost connection ends the transaction too.
    await ask('undo', []).catch(() => undefined)
    throw thrown
  }
}

/**
 * The connections to one store. They are opened when they are needed, and opened again after they were lost or became
 * silent: a proxy that stops forwarding reports nothing.
 */
export class PostgresConnection {
  readonly name: string
  readonly #address: PostgresAddress
  readonly #statements: Readonly<Record<keyof PostgresRows, string>>
  readonly #patience: number
  readonly #host: Host
  readonly #connections: number
  #silentMs = SILENT_MS
  /** The connections that have checked the schema. Another release may change it before a new connection opens. */
  readonly #prepared = new WeakSet<Client>()
  #pool: Promise<Pool> | undefined
  #ownSession: Promise<void> | undefined
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

  /** Sets the milliseconds without an answer after which a connection counts as lost; at least a second. */
  setSilentLimit(milliseconds: number): void {
    this.#silentMs = Math.max(SHORTEST_SILENT_MS, milliseconds)
  }

  /** Performs one statement that only reads, and repeats it if the connection is lost. */
  readonly ask: Ask = (name, values) => this.read((ask) => ask(name, values))

  read<T>(work: (ask: Ask) => Promise<T>): Promise<T> {
    return this.#attempt('read', work)
  }

  /**
   * Runs `work`, and runs it again if the connection is lost meanwhile. Then `unknownOutcome` is true: the statements
   * of the first run may or may not have been performed, and `work` must find out.
   */
  write<T>(work: (ask: Ask, unknownOutcome: boolean) => Promise<T>): Promise<T> {
    return this.#attempt('write', work)
  }

  /**
   * Runs `work` like `write`, but retries only for the time after which a connection counts as silent: for calls that
   * are repeated anyway.
   */
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
        client?.release(isLostConnection || isReadOnly(thrown))
        unknownOutcome ||= isLostConnection && client !== undefined && operation === 'write'
        // A fault that `work` throws about the store is certain, even if an earlier outcome is unknown.
        if (isFault(thrown) && client !== undefined) throw thrown
        // Counts from the first failure: a connection may have been silent for longer than `patience`.
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
    // The pending statement fails too when a connection is lost; without a listener, the event would end the process.
    client.on('error', () => {})
    try {
      if (!this.#hasConnected) await this.#requireOwnSession(client)
      // Shorter than the limit for silent connections: a statement that only waits must not count as lost.
      const lockMs = Math.ceil(Math.min(this.#patience, this.#silentMs * 0.75))
      await client.query({ text: sessionSettings(lockMs), query_timeout: this.#silentMs })
      await prepareSchema(client, this.#address)
    } catch (thrown) {
      client.release(true)
      throw thrown
    }
    this.#prepared.add(client)
    this.#hasConnected = true
  }

  /** Checks the way to the server with the first connection, once for all that are opened meanwhile. */
  #requireOwnSession(client: Client): Promise<void> {
    this.#ownSession ??= requireOwnSession(client, this.#address, this.#silentMs).catch((thrown: unknown) => {
      this.#ownSession = undefined
      throw thrown
    })
    return this.#ownSession
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
