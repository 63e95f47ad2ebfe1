import type { CommitWatch, Host } from '../../kernel/index.ts'
import { PostListeners } from '../post-listeners.ts'
import type { PostgresAddress } from './address.ts'
import { CommitAnnouncer } from './commit-announcer.ts'
import { type Client, makePool, type Pool } from './driver.ts'
import { channelOf } from './statements.ts'

/** The number of `renew` calls to skip after a failure. It doubles with each failure, up to `LONGEST_PAUSE`. */
const FIRST_PAUSE = 1
const LONGEST_PAUSE = 64
/** The milliseconds that the server may take to answer; polling finds what happened in between. */
const SILENT_MS = 10_000

/**
 * A separate connection on which processes announce posts and commits to each other. It is optional: if it is missing, lost or silent,
 * polling finds both.
 */
export class Announcements {
  readonly #address: PostgresAddress
  readonly #listeners = new PostListeners()
  readonly #commits: CommitAnnouncer
  #pool: Promise<Pool> | undefined
  #client: Client | undefined
  #connecting: Promise<void> | undefined
  #skips = 0
  #pause = FIRST_PAUSE
  #isClosed = false

  constructor(address: PostgresAddress, host: Host) {
    this.#address = address
    this.#commits = new CommitAnnouncer(host)
  }

  /** Follows the commits of runs that are added to the watch, or those of all. */
  follow(changed: (runs: ReadonlySet<string> | undefined) => void, all: boolean): CommitWatch {
    const watch = this.#commits.follow(changed, all)
    this.#connect()
    return {
      get announces() {
        return watch.announces
      },
      add: (run) => watch.add(run),
      delete: (run) => watch.delete(run),
      stop: () => {
        watch.stop()
        this.#dropUnneeded()
      },
    }
  }

  /** Reports commits of this process. */
  committed(runs: ReadonlySet<string>): void {
    this.#commits.committed(runs)
  }

  /** Adds a listener for posts. Returns the function that removes it. */
  listen(posted: () => void): () => void {
    const stop = this.#listeners.listen(posted)
    this.#connect()
    return () => {
      stop()
      this.#dropUnneeded()
    }
  }

  get #isNeeded(): boolean {
    return this.#listeners.size > 0 || this.#commits.hasWatches
  }

  #dropUnneeded(): void {
    if (!this.#isNeeded) this.#drop(this.#client)
  }

  /** Reports a post of this process. */
  notify(): void {
    this.#listeners.notify()
  }

  /** Connects again if somebody listens and the connection was lost. The store calls it regularly. */
  renew(): void {
    if (this.#client !== undefined || this.#connecting !== undefined || !this.#isNeeded) return
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
    const posts = channelOf(this.#address.schema)
    const commits = `${posts}_commits`
    client.on('notification', ({ channel, payload = '' }) => {
      if (channel === commits) this.#commits.receive(payload)
      else this.notify()
    })
    try {
      await client.query({ text: `listen ${posts}; listen ${commits}; notify ${commits}, '${this.#commits.greeting}'` })
    } catch (thrown) {
      client.release(true)
      throw thrown
    }
    client.unref()
    this.#client = client
    if (this.#isClosed || !this.#isNeeded) return this.#drop(client)
    this.#commits.connected(async (text) => {
      try {
        await client.query({ text: 'select pg_notify($1, $2)', values: [commits, text] })
      } catch {
        this.#drop(client)
      }
    })
    // Reports posts that were made before the server knew this connection.
    this.notify()
  }

  #drop(client: Client | undefined): void {
    if (client === undefined || this.#client !== client) return
    this.#client = undefined
    this.#commits.lost()
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
