import type { Instant } from '../model/event.ts'
import type { RunTermination } from '../model/termination.ts'

/** An entry of the decision log: one for each event (reference 7.4). `Skip` is a word of the format that no supervisor uses. */
export interface Decision {
  readonly event_id: string
  readonly decision: 'Invoke' | 'Defer' | 'Skip'
  /** The time from which a deferred episode can run; null for a pass, and for a pump that found nothing. */
  readonly schedule_at: Instant | null
  readonly episode_id: number
  /** In milliseconds. */
  readonly deadline: number | null
  /** The end of the last attempt; null if there was none. */
  readonly termination: RunTermination | null
  /** The further attempts that were made. */
  readonly retry_count: number
}
