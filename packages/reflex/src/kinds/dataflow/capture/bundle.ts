import type { Json, JsonObject } from '../../../kernel/index.ts'
import type { Constraints } from '../model/constraints.ts'
import type { Effect } from '../model/effect.ts'
import type { EventKind, Instant } from '../model/event.ts'
import type { PassValue } from '../model/value.ts'
import type { Decision } from '../supervisor/decision.ts'

/** The format of captures that this runtime writes and reads. It is not that of the reference, whose numbers have other texts. */
export const CAPTURE_VERSION = 'reflex-dataflow/1'

/** An event of a capture. Payloads are canonical JSON. */
export interface CapturedEvent {
  readonly event_id: string
  readonly event_time: Instant
  readonly kind: EventKind
  readonly semantic_kind?: string
  /** The payload merged with the context: the snapshot of the pass. */
  readonly payload: string
  readonly payload_hash: string
  /** The payload as it arrived, if the merge changed it. */
  readonly incoming?: string
  readonly incoming_hash?: string
}

export interface CapturedEffect {
  readonly effect: Effect
  readonly effect_hash: string
}

/** The acknowledgement of an intent by its channel. */
export interface IntentAck {
  readonly intent_id: string
  readonly channel: string
  readonly status: 'accepted'
  readonly acceptance: 'durable'
  readonly egress_ref?: string
}

/** The reasons for which a run ends before its events do (reference 5.8). */
export const INTERRUPTIONS = [
  'host_stop_requested',
  'driver_terminated',
  'protocol_violation',
  'driver_io',
  'egress_ack_timeout',
  'egress_protocol_violation',
  'egress_io',
] as const
export type Interruption = (typeof INTERRUPTIONS)[number]

/** A decision of a capture, at the index of its event. */
export interface CapturedDecision extends Decision {
  readonly effects: readonly CapturedEffect[]
  /** The hash of the boundary outputs; null if no pass completed. */
  readonly outputs_hash: string | null
  readonly intent_acks?: readonly IntentAck[]
  readonly interruption?: Interruption
  /**
   * The mark of the fork that decided; absent for a run that was not a fork then. The ids of its intents are those of the graph `GRAPH~FORK`
   * (reference 5.2), because a fork never acts as its source.
   */
  readonly fork?: string
}

/** The part of a capture that is known before its first event. */
export interface BundleHeader {
  readonly capture_version: string
  readonly graph_id: string
  readonly config: Constraints
  readonly adapter_provenance: string
  readonly runtime_provenance: string
  readonly egress_provenance?: string
  /** The values with which the context began; absent for an empty one. */
  readonly initial_context?: JsonObject
}

/** A capture of a run (reference 8.1): what arrived, what was decided and what was emitted, with hashes. */
export interface Bundle extends BundleHeader {
  readonly events: readonly CapturedEvent[]
  readonly decisions: readonly CapturedDecision[]
  /** The hash over the header, the order of the events, the acknowledgements and the interruption. */
  readonly chain: string
}

/** One event of a run with all that came of it. */
export interface RecordedStep {
  readonly event: Pick<CapturedEvent, 'event_id' | 'kind'> & { readonly at: Instant; readonly semantic_kind?: string | undefined }
  /** The payload as it arrived. Absent: as the context. */
  readonly incoming?: Json
  /** The payload merged with the context. */
  readonly context: Json
  readonly decision: Decision
  readonly effects: readonly Effect[]
  readonly outputs: Readonly<Record<string, PassValue>> | null
  readonly acks?: readonly IntentAck[] | undefined
  readonly interruption?: Interruption | undefined
  readonly fork?: string | undefined
}

/** An event and its decision, as a capture has them. */
export interface CapturedStep {
  readonly event: CapturedEvent
  readonly decision: CapturedDecision
}
