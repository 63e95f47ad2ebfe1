import type { RunHandle } from './handle.ts'
import type { RunOptions } from './options.ts'

/** How a run is cancelled. */
export interface CancelOptions extends Pick<RunOptions, 'prepare'> {
  /** Why, for the journal. */
  readonly reason?: string
  /** Who cancels it, for the journal. */
  readonly by?: string
}

/** What became of a cancellation: a record of a run that this process holds now, or a message in the inbox. */
export interface Cancelled {
  readonly run: string
  readonly record?: number
  readonly handle?: RunHandle
  readonly message?: string
}

/** Of a run that is opened only to be cancelled, nothing is performed again that was in flight. */
export function holdEffects({ run }: RunHandle): void {
  run.hold((next) => 'port' in next)
}

/** Cancels a run that this process holds; what its programs undo is performed. Resolves with the number of the record. */
export async function cancelHeld({ run }: RunHandle, reason: string, by: string): Promise<number> {
  try {
    return await run.cancel(reason, by)
  } finally {
    run.hold(undefined)
    while (run.release());
  }
}
