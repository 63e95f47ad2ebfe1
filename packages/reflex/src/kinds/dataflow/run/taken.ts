import type { Fault, Json } from '../../../kernel/index.ts'
import type { BoundContext } from '../adapter/bind-event.ts'
import type { Effect } from '../model/effect.ts'
import type { HostedEvent, Instant } from '../model/event.ts'
import type { PassValue } from '../model/value.ts'
import type { NodeTrace } from '../pass/evaluate.ts'
import type { Decision } from '../supervisor/decision.ts'
import type { GraphPosition, PendingIntent } from './position.ts'
import type { ReadPlace } from './read-place.ts'

/** An event as a step gets it. */
export interface Arrived {
  /** Its id in the inbox, which stands for an event that states none. */
  readonly id: string
  readonly body: Json
  /** The reason why a line of a source cannot be an event. */
  readonly problem?: string
  /** True for an event of the run itself: of a timer, or of the end of a program that it has started. */
  readonly isOwn?: boolean
  /** True for a message that says that no event follows. */
  readonly isClose?: boolean
  /** The place of its source behind it. Absent for an event that no source of the run has read. */
  readonly read?: ReadPlace
  /** Stands for no event: deferred items run that are due at this time. Only a capture that is imported states it. */
  readonly due?: Instant
  /** The mark of the fork in which the event was taken first, for an event of a capture that is imported. */
  readonly fork?: string
}

/** One pass, or the decision that there is none now. */
export interface PassReport {
  readonly event: HostedEvent
  /** The payload of the event merged with the context, as it arrived. A deferred item runs with its own, which is older. */
  readonly merged: BoundContext
  readonly decision: Decision
  /** The context of the pass; absent if none ran. */
  readonly context?: BoundContext
  readonly outputs?: Readonly<Record<string, PassValue>>
  readonly effects: readonly Effect[]
  readonly failure?: Fault
  /** The mark of the fork that made the pass; its intents have other ids. Absent for a run that is not a fork. */
  readonly fork?: string
  /** Every value of the pass, if they were asked for. */
  readonly trace?: readonly NodeTrace[]
}

/** An event that was refused: its place among those of the step, its id, and the reason. */
export interface Refusal {
  readonly index: number
  readonly id: string
  /** The line of the source that it was read from. */
  readonly place?: string
  readonly fault: Fault
}

/** The events that a step takes, and what became of them. */
export interface Taken {
  /** The number of events that were taken: all up to the first pass with an external intent. */
  readonly count: number
  readonly passes: readonly PassReport[]
  readonly refusals: readonly Refusal[]
  /** The keys of the board that change, each with its last value; undefined deletes it. */
  readonly writes: ReadonlyMap<string, Json | undefined>
  readonly position: GraphPosition
  readonly intents: readonly PendingIntent[]
  /** Stands for all outputs and effects. */
  readonly fingerprint: number
  /** An effect that cannot be realized: the run fails. Writes before it stay. */
  readonly fatal: Fault | undefined
}
