import { copyJson, type Host, isList, isObject, type Json } from '../kernel/index.ts'
import type { ModelDelta } from './types.ts'

/** Milliseconds between two parts: eight in a second, so that the last one and a new beginning stay below ten (kernel 3). */
const PART_INTERVAL = 125

/**
 * Gathers the deltas of an answer and hands them on a few times in a second: each becomes a record. What a try that is
 * over still says is dropped.
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

  /** The next try begins; gives what takes its deltas. */
  begin(): (delta: Json) => void {
    const mine = ++this.#try
    return (delta) => {
      if (mine === this.#try) this.#add(delta)
    }
  }

  /** What came so far is void. */
  restart(restart: NonNullable<ModelDelta['restart']>): void {
    this.#try++
    this.#pending = { restart, text: '', reasoning: '', calls: [] }
    this.#arm()
  }

  /** The answer is whole: what is left goes out. */
  finish(): void {
    this.#flush()
    this.stop()
  }

  /** Nothing more is handed on. */
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
