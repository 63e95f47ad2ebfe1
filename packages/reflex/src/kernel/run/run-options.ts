import type { Committer } from './committer.ts'
import type { ContentHash } from '../journal/contents.ts'
import type { Definitions } from '../step/decide.ts'
import type { EffectWorld } from './effects.ts'
import type { Fault } from '../journal/fault.ts'
import type { Heartbeat } from './heartbeat.ts'
import type { Host } from '../ports/host.ts'
import type { ClosedWait } from '../state/closed-waits.ts'
import type { SearchRange } from './closed-wait-search.ts'
import type { Wait } from '../state/frame.ts'
import type { Ref } from '../journal/record.ts'
import type { Redactor } from '../journal/redact.ts'
import type { RunFacts } from '../ports/settings.ts'
import type { State } from '../state/state.ts'
import type { InboxLimit, Lease, Store, StoredProgram } from '../ports/store.ts'

/** A run that has ended, or that this process has released. */
export interface ClosedRun {
  readonly id: string
  readonly lease: Lease | undefined
  /** Resolves when its subscribers have processed their records. */
  subscribersDone(): Promise<void>
  /** Resolves when the ports that were open for it are closed. */
  portsClosed(): Promise<void>
}

/** The parts of its runtime that a run needs. */
export interface RunWorld<S extends RunFacts = RunFacts> extends EffectWorld<S> {
  readonly host: Host
  readonly store: Store | undefined
  readonly committer: Committer | undefined
  readonly heartbeat: Heartbeat | undefined
  /** Returns the time of this turn of the event loop. */
  clock(): number
  /** Removes secrets from inputs from outside before they are recorded. */
  readonly redact: Redactor | undefined
  /** Returns what stands for a content in the records of a run that keeps none. */
  readonly hash: ContentHash
  /** Called when a timer has fired: the time of this turn is outdated. */
  resetClock(): void
  /** Returns the record that closed a wait. */
  findClosedWait(run: string, matches: (wait: Wait) => boolean, range?: SearchRange): Promise<ClosedWait | undefined>
  onClosed(run: ClosedRun): void
  /** Called for faults that stop no run. */
  readonly onTrouble: ((fault: Fault) => void) | undefined
}

/** The parts of a run: its name, state, definitions and lease. */
export interface RunParts<S extends RunFacts> {
  readonly id: string
  readonly state: State
  readonly settings: S
  readonly definitions: Definitions
  readonly lease?: Lease | undefined
  /** The programs for the first batch. */
  readonly programs?: readonly StoredProgram[]
}

/** The options of waiting for a rest. */
export interface IdleOptions {
  /**
   * `rest`, the default: the run does nothing until a timer fires or an input arrives from outside. `people`: the run waits for an
   * input from outside, or a question is open. `end`: the run has ended.
   */
  readonly until?: 'rest' | 'people' | 'end'
  /** Milliseconds: a rest that a time ends sooner than this does not count. 0 if absent. */
  readonly ahead?: number
}

/** The options of a message by topic. */
export interface MessageOptions {
  /** The same id means the same message. Default: a random id. */
  readonly id?: string
  readonly by?: string
  /** The frame whose waits take it. Absent: any frame's. */
  readonly frame?: Ref
  /** Bounds the messages of the topic that wait. */
  readonly limit?: InboxLimit
}
