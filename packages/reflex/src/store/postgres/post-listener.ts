import { PostListeners } from '../post-listeners.ts'
import type { PostgresAddress } from './address.ts'
import { type Client, makePool, type Pool } from './driver.ts'
import { channelOf } from './statements.ts'

/** The number of `renew` calls to skip after a failure. It doubles with each failure, up to `LONGEST_PAUSE`. */
const FIRST_PAUSE = 1
const LONGEST_PAUSE = 64
/** The milliseconds that the server may take to answer; polling finds the posts in between. */
const SILENT_MS = 10_000

/**
 * A separate connection on which the server announces posts. It is optional: if it is missing, lost or silent, polling
 * finds the posts.
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

  /** Adds a listener. Returns the function that removes it. */
  listen(posted: () => void): () => void {
    const stop = this.#listeners.listen(posted)
    this.#connect()
    return () => {
      stop()
      if (this.#listeners.size === 0) this.#drop(this.#client)
    }
  }

  /** Reports a post of this process. */
  notify(): void {
    this.#listeners.notify()
  }

  /** Connects again if there is a listener and the connection was lost. The store calls it regularly. */
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
    this.#pool ??= makePool(this.#address.connection, { connections: 1, silentMs: SILENT_MS, connectMs: SILENT_MS })
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
    // Reports posts that were made before the server knew this connection.
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
