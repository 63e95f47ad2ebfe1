import { PostListeners } from '../post-listeners.ts'
import type { PostgresAddress } from './address.ts'
import { type Client, makePool, type Pool } from './driver.ts'
import { channelOf } from './statements.ts'

/** After a failure, this number of calls of `renew` passes before the next try, twice as many each time, up to `LONGEST`. */
const FIRST_PAUSE = 1
const LONGEST_PAUSE = 64
/** Milliseconds that the server may take to answer; posts in between are found by polling. */
const SILENT_MS = 10_000

/**
 * A connection of its own on which the server notifies of posts. It is optional: where it is missing, lost or silent, posts are
 * found by polling.
 */
export class PostListener {
  readonly #address: PostgresAddress
  readonly #listeners = new PostListeners()
  #pool: Promise<Pool> | undefined
  #client: Client | undefined
  #connecting: Promise<void> | undefined
  #skips = 0
  #pause = FIRST_PAUSE
  #isClosed = false

  constructor(address: PostgresAddress) {
    this.#address = address
  }

  /** The returned function ends the listening. */
  listen(posted: () => void): () => void {
    const stop = this.#listeners.listen(posted)
    this.#connect()
    return () => {
      stop()
      if (this.#listeners.size === 0) this.#drop(this.#client)
    }
  }

  /** A post of this process. */
  notify(): void {
    this.#listeners.notify()
  }

  /** Connects again where there is a listener and the connection was lost; to be called regularly. */
  renew(): void {
    if (this.#client !== undefined || this.#connecting !== undefined || this.#listeners.size === 0) return
    if (this.#skips-- <= 0) this.#connect()
  }

  #connect(): void {
    if (this.#isClosed || this.#client !== undefined || this.#connecting !== undefined) return
    this.#connecting = this.#listen().then(
      () => void (this.#pause = FIRST_PAUSE),
      () => {
        this.#skips = this.#pause
        this.#pause = Math.min(LONGEST_PAUSE, this.#pause * 2)
      },
    )
    void this.#connecting.then(() => (this.#connecting = undefined))
  }

  async #listen(): Promise<void> {
    this.#pool ??= makePool(this.#address.connection, { connections: 1, lockMs: 0, silentMs: SILENT_MS, connectMs: SILENT_MS })
    const client = await (await this.#pool).connect()
    client.on('error', () => this.#drop(client))
    client.on('notification', () => this.notify())
    try {
      await client.query({ text: `listen ${channelOf(this.#address.schema)}` })
    } catch (thrown) {
      client.release(true)
      throw thrown
    }
    client.unref()
    this.#client = client
    if (this.#isClosed || this.#listeners.size === 0) this.#drop(client)
    // Posts from before the server knew this connection.
    else this.notify()
  }

  #drop(client: Client | undefined): void {
    if (client === undefined || this.#client !== client) return
    this.#client = undefined
    client.release(true)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#listeners.clear()
    await this.#connecting
    this.#drop(this.#client)
    await this.#pool?.then(
      (pool) => pool.end(),
      () => undefined,
    )
    this.#pool = undefined
  }
}
