import type { JsonObject } from '../../../kernel/index.ts'

/** The class by which the supervisor schedules an event. A `Pump` only takes what was deferred. */
export const EVENT_KINDS = ['Pump', 'DataAvailable', 'Command'] as const
export type EventKind = (typeof EVENT_KINDS)[number]

/** An event as it arrives (reference 6.2). */
export interface HostedEvent {
  readonly event_id: string
  readonly kind: EventKind
  /** Its time, which is not the time of arrival. */
  readonly at: { readonly secs: number; readonly nanos: number }
  /** Selects the schema of the adapter. */
  readonly semantic_kind?: string
  readonly payload?: JsonObject
}

/** The time of an event. */
export type Instant = HostedEvent['at']
