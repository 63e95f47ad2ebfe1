import type { JsonObject } from '../../kernel/index.ts'

/** The most conversations whose work is kept. */
const MOST = 1000

/** What turns have written below `work`, for the next turn of the same conversation in this process (reference skill 1.16). */
export class CarriedWork {
  readonly #byName = new Map<string, JsonObject>()

  of(conversation: string | undefined): JsonObject | undefined {
    return conversation === undefined ? undefined : this.#byName.get(conversation)
  }

  /** Keeps the work of a turn in place of that of earlier ones, which it began with. A conversation without a name has no next turn. */
  keep(conversation: string | undefined, work: JsonObject): void {
    if (conversation === undefined || Object.keys(work).length === 0) return
    this.#byName.delete(conversation)
    this.#byName.set(conversation, work)
    const [oldest] = this.#byName.keys()
    if (this.#byName.size > MOST && oldest !== undefined) this.#byName.delete(oldest)
  }
}
