import type { Json } from '../../kernel/index.ts'

/** An effect that reached the outside, as a test sees it. */
export interface PerformedEffect {
  /** `tool`, `model`, `decide` for a scripted decision, or the port of a handler or action of a pipeline. */
  readonly what: string
  /** The name of the tool, the label of the request, or the node. */
  readonly name: string
  readonly args: Json
  /** The idempotency key: the same when the effect is repeated after a crash. Empty for a decision. */
  readonly key: string
}

/**
 * The time in milliseconds that a test waits for its own functions before the clock advances. A function that never answers is a valid
 * case.
 */
const TEST_PATIENCE_MS = 100
/** The time in milliseconds for work that Reflex does itself, such as a command in a sandbox. */
const REAL_PATIENCE_MS = 30_000

/** A call of a tool that promises to recognise a repeated key. */
export interface KeyedCall {
  readonly name: string
  readonly key: string
  /** The first answer. */
  readonly answer: Json
  /** Calls the tool again under the same key. */
  readonly again: () => Promise<Json>
}

/** Everything that a run has done outside, and the calls in progress. */
export class Outside {
  readonly performed: PerformedEffect[] = []
  readonly keyed: KeyedCall[] = []
  /** The calls in progress, each with the time in milliseconds to wait for it. */
  readonly #pending = new Map<object, number>()

  record(what: string, name: string, args: unknown, key: string): void {
    this.performed.push({ what, name, args: toPlainJson(args), key })
  }

  /** The time in milliseconds to wait for calls in progress before the clock advances; 0 if there are none. */
  get patience(): number {
    return Math.max(0, ...this.#pending.values())
  }

  /** Waits for a function of the test. */
  waitForTest<Result>(act: () => Result | Promise<Result>): Promise<Result> {
    return this.#waiting(act, TEST_PATIENCE_MS)
  }

  /** Waits for work that takes real time. */
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

/** Returns a value as JSON, without the parts that JSON cannot hold. */
function toPlainJson(value: unknown): Json {
  return (JSON.parse(JSON.stringify(value ?? null)) ?? null) as Json
}

/** Returns the entry of a script for a place: by its whole name, otherwise by the last part of its name. */
export function entryFor(script: object, place: string): string | undefined {
  return [place, place.slice(place.lastIndexOf('/') + 1)].find((name) => Object.hasOwn(script, name))
}

/** Returns the entries of lists in order. */
export class TurnOrder {
  readonly #turns = new Map<string, number>()

  /** Returns the next entry of a list; undefined after the last one. */
  next<Item>(name: string, list: readonly Item[]): Item | undefined {
    const turn = this.#turns.get(name) ?? 0
    this.#turns.set(name, turn + 1)
    return list[turn]
  }
}
