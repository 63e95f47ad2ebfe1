import type { RunHandle } from './handle.ts'
import type { RunOptions } from './options.ts'

/** How a message is sent to a run. */
export interface SignalOptions extends Pick<RunOptions, 'prepare'> {
  /** Who sends it. */
  readonly by?: string
  /** False: only put it into the inbox. */
  readonly run?: boolean
}

/** The place of a message: a run that this process holds now, or the inbox. */
export interface Signalled {
  readonly run: string
  readonly topic: string
  readonly handle?: RunHandle
  /** Its name in the inbox. */
  readonly message?: string
}
