import { copyJson, type Host, isList, isObject, type Json } from '../kernel/index.ts'
import type { ModelDelta } from './types.ts'

/**
 * The milliseconds between two parts: eight parts per second, so that the last part and a restart stay below ten per
 * second (kernel 3).
 */
const PART_INTERVAL = 125

/**
 * Collects the deltas of an answer and passes them on a few times per second, because each becomes a record. Deltas of
 * a try that has ended are dropped.
 */
export class Progress {
  readonly #host: Host
  readonly #part: (delta: Json, begins: boolean) => void
  #pending: { restart?: ModelDelta['restart']; text: string; reasoning: string; calls: Json[] } | undefined
  #cancelTimer: (() => void) | undefined
  #try = 0

  constructor(host: Host, part: (delta: Json, begins: boolean) => void) {
    this.#host = host
    this.#part = part
  }

  /** Begins the next try and returns the function that takes its deltas. */
  begin(): (delta: Json) => void {
    const mine = ++this.#try
    return (delta) => {
      if (mine === this.#try) this.#add(delta)
    }
  }

  /** Discards the progress so far and announces the next try. */
  restart(restart: NonNullable<ModelDelta['restart']>): void {
    this.#try++
    this.#pending = { restart, text: '', reasoning: '', calls: [] }
    this.#arm()
  }

  /** Passes on the rest of a complete answer and stops. */
  finish(): void {
    this.#flush()
    this.stop()
  }

  /** Stops passing on progress. */
  stop(): void {
    this.#try++
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    this.#pending = undefined
  }

  #add(delta: Json): void {
    if (!isObject(delta)) return
    const pending = (this.#pending ??= { text: '', reasoning: '', calls: [] })
    if (typeof delta.text === 'string') pending.text += delta.text
    if (typeof delta.reasoning === 'string') pending.reasoning += delta.reasoning
    if (isList(delta.calls)) pending.calls.push(...delta.calls)
    this.#arm()
  }

  #arm(): void {
    this.#cancelTimer ??= this.#host.at(
      this.#host.now() + PART_INTERVAL,
      () => {
        this.#cancelTimer = undefined
        this.#flush()
      },
      true,
    )
  }

  #flush(): void {
    if (this.#pending === undefined) return
    const { restart, text, reasoning, calls } = this.#pending
    this.#pending = undefined
    const delta: ModelDelta = {
      ...(restart === undefined ? {} : { restart }),
      ...(text === '' ? {} : { text }),
      ...(reasoning === '' ? {} : { reasoning }),
    }
    this.#part(copyJson(calls.length === 0 ? delta : { ...delta, calls }, 'delta'), restart !== undefined)
  }
}
