import { faultData, type FaultData, isFault, type RunFilter, type RunRow } from '../kernel/index.ts'
import type { CancelOptions, CancelResult } from './cancelling.ts'

/** The most runs of one request, and how many if none is stated. */
export const MOST_CANCELLED = 1000
const CANCELLED = 100

/** The runs that are cancelled together. Runs that have ended never match. */
export type CancelFilter = Pick<RunFilter, 'kind' | 'program' | 'since' | 'until' | 'prefix' | 'after' | 'limit'> & {
  readonly status?: 'running' | 'suspended'
}

export interface CancelMatchingOptions extends Pick<CancelOptions, 'reason' | 'by'> {
  /** True: only reports the runs that match. */
  readonly dry?: boolean
}

/** The runs of a filter, newest first, and what became of them. */
export interface CancelledRuns {
  /** The runs that are cancelled, or whose processes are asked to cancel them; with `dry`, the runs that match. */
  readonly cancelled: readonly string[]
  readonly failed: readonly { readonly run: string; readonly error: FaultData }[]
  /** The run after which the next request continues, if there are more. */
  readonly next?: string
}

/** The parts of the front object that this needs. */
export interface CancelMatchingWorld {
  runs(filter: RunFilter): Promise<readonly RunRow[]>
  cancel(ref: string, options: CancelOptions): Promise<CancelResult>
}

/** Cancels the unfinished runs that match a filter, at most `limit` of them. It waits for no other process. */
export async function cancelMatching(
  world: CancelMatchingWorld,
  { status, limit = CANCELLED, ...filter }: CancelFilter,
  { dry = false, ...options }: CancelMatchingOptions = {},
): Promise<CancelledRuns> {
  const most = Math.min(limit, MOST_CANCELLED)
  const rows = await world.runs({ ...filter, status: status === undefined ? ['running', 'suspended'] : [status], limit: most + 1 })
  const matching = rows.slice(0, most)
  const cancelled: string[] = []
  const failed: { run: string; error: FaultData }[] = []
  for (const { id } of matching) {
    try {
      if (!dry) await world.cancel(id, { ...options, wait: 0 })
      cancelled.push(id)
    } catch (thrown) {
      if (!isFault(thrown)) throw thrown
      // A run that has ended in the meantime needs no cancellation.
      if (thrown.code !== 'R2001') failed.push({ run: id, error: faultData(thrown) })
    }
  }
  const last = matching.at(-1)
  return { cancelled, failed, ...(rows.length > most && last !== undefined ? { next: last.id } : {}) }
}
