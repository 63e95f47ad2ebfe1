import type { ListenOptions, RunHandle } from './handle.ts'

/** Options for a message to a run. */
export interface SignalOptions extends ListenOptions {
  /** The sender of the message. */
  readonly by?: string
  /** A message with the same id is the same message and is taken once. It goes through the inbox. */
  readonly id?: string
  /** True: the message is text from outside, and not the operator's. It gets its label. */
  readonly outside?: boolean
  /** False: only adds the message to the inbox. */
  readonly run?: boolean
}

/** The place of a message: a run that this process owns now, or the inbox. */
export interface SignalResult {
  readonly run: string
  readonly topic: string
  readonly handle?: RunHandle
  /** The name of the message in the inbox. */
  readonly message?: string
}
