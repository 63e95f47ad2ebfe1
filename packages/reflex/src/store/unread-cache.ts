import type { UnreadRun, Worker } from '../kernel/index.ts'
import type { Connection } from './connection.ts'

/**
 * The runs of a worker that have unread messages. They are read again only after another connection has committed, or
 * after this connection has changed an inbox or an owner.
 */
export class UnreadCache {
  readonly #connection: Connection
  readonly #runs = new Map<string, readonly UnreadRun[]>()
  #version: number | undefined

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Clears the cache after this connection has changed an inbox or an owner: its own commits do not raise the version. */
  forget(): void {
    this.#runs.clear()
  }

  runsOf({ id }: Worker): readonly UnreadRun[] {
    // The version is read first: a commit between the two reads is read twice, never missed.
    const version = this.#connection.version()
    if (version !== this.#version) this.#runs.clear()
    this.#version = version
    const known = this.#runs.get(id)
    if (known !== undefined) return known
    const found = this.#connection.read((sql) => sql.unread.all(id)).map(({ run, mark }) => ({ run, mark }))
    this.#runs.set(id, found)
    return found
  }
}
