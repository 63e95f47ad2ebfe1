import type { Json } from '../../kernel/index.ts'

/** Something that reached the outside, as a test looks at it. */
export interface PerformedEffect {
  /** `tool`, `model`, `decide` for a scripted decision, or the port of a pipeline's handler or action. */
  readonly what: string
  /** The tool, the label of the request, or the node. */
  readonly name: string
  readonly args: Json
  /** The idempotency key: the same when the effect is repeated after a crash. Empty for a decision. */
  readonly key: string
}

/** Milliseconds for which a test waits for its own functions before it looks at the clock: one that never answers is a case as well. */
const TEST_PATIENCE_MS = 100
/** The same for what Reflex does by itself, such as a command in a sandbox. */
const REAL_PATIENCE_MS = 30_000

/** A call of a tool that says of itself that it knows a key again. */
export interface KeyedCall {
  readonly name: string
  readonly key: string
  /** What it has answered. */
  readonly answer: Json
  /** Calls it once more, under the same key. */
  readonly again: () => Promise<Json>
}

/** Everything that a run has done outside, and what is under way there. */
export class Outside {
  readonly performed: PerformedEffect[] = []
  readonly keyed: KeyedCall[] = []
  /** What is under way, and for how long it is waited for. */
  readonly #pending = new Map<object, number>()

  record(what: string, name: string, args: unknown, key: string): void {
    this.performed.push({ what, name, args: toPlainJson(args), key })
  }

  /** Milliseconds for which something that is under way is waited for before the clock goes on; 0 if nothing is. */
  get patience(): number {
    return Math.max(0, ...this.#pending.values())
  }

  /** Waits for a function of the test. */
  waitForTest<Result>(act: () => Result | Promise<Result>): Promise<Result> {
    return this.#waiting(act, TEST_PATIENCE_MS)
  }

  /** Waits for something that takes real time. */
  waitForReal<Result>(act: () => Result | Promise<Result>): Promise<Result> {
    return this.#waiting(act, REAL_PATIENCE_MS)
  }

  async #waiting<Result>(act: () => Result | Promise<Result>, patience: number): Promise<Result> {
    const mark = {}
    this.#pending.set(mark, patience)
    try {
      return await act()
    } finally {
      this.#pending.delete(mark)
    }
  }
}

/** A value as JSON, without what JSON does not have. */
function toPlainJson(value: unknown): Json {
  return (JSON.parse(JSON.stringify(value ?? null)) ?? null) as Json
}

/** The entry of a script for a place: by its whole name, else by the last part of it. */
export function entryFor(script: object, place: string): string | undefined {
  return [place, place.slice(place.lastIndexOf('/') + 1)].find((name) => Object.hasOwn(script, name))
}

/** Hands out lists in their order, entry by entry. */
export class TurnOrder {
  readonly #turns = new Map<string, number>()

  /** The next of a list; undefined once it has run out. */
  next<Item>(name: string, list: readonly Item[]): Item | undefined {
    const turn = this.#turns.get(name) ?? 0
    this.#turns.set(name, turn + 1)
    return list[turn]
  }
}
