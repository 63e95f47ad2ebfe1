import type { Call, Json } from '../../kernel/index.ts'
import type { CallResult } from '../../kinds/skill/model/turn.ts'
import type { RunSettings } from '../../policy/index.ts'

/** The turn cannot answer a call: the code makes it by itself. */
export const UNRECORDED = Symbol('unrecorded')

/** What the agent's own function gave: a value, or what it threw. */
export type Attempt = { readonly value: unknown } | { readonly thrown: unknown }

/** A call of the agent's code that waits for its result. */
export class PendingCall {
  readonly id: string
  readonly settled: Promise<CallResult | typeof UNRECORDED>
  readonly resolve: (result: CallResult | typeof UNRECORDED) => void
  readonly reject: (reason: unknown) => void
  /** The last attempt of this process; undefined for a call that was answered from the record. */
  attempt: Promise<Attempt> | undefined
  readonly #perform: (call: Call<RunSettings>) => Promise<Json>

  constructor(id: string, perform: (call: Call<RunSettings>, pending: PendingCall) => Promise<Json>) {
    this.id = id
    const { promise, resolve, reject } = Promise.withResolvers<CallResult | typeof UNRECORDED>()
    this.settled = promise
    this.resolve = resolve
    this.reject = reject
    // A turn that is cancelled may end before the code looks at its call.
    promise.catch(() => undefined)
    this.#perform = (call) => perform(call, this)
  }

  perform(call: Call<RunSettings>): Promise<Json> {
    return this.#perform(call)
  }

  /** Calls the agent's own function, and keeps what it gave for the agent. */
  async try<Value>(act: () => Value | Promise<Value>): Promise<Value> {
    const attempt = (async () => act())()
    this.attempt = attempt.then(
      (value) => ({ value }),
      (thrown: unknown) => ({ thrown }),
    )
    return attempt
  }
}

/** Returns or throws what an attempt gave. */
export function valueOf(attempt: Attempt): unknown {
  if ('thrown' in attempt) throw attempt.thrown
  return attempt.value
}
