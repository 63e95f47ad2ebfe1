import type { Fault } from '../journal/fault.ts'
import type { Leave } from './admission.ts'
import type { Frame } from '../state/frame.ts'
import type { Json, JsonObject } from '../journal/json.ts'
import type { EffectAnswer } from '../state/answers.ts'
import type { BoardReader } from '../state/scope.ts'
import type { EndStatus, EstimatedUsage, Ref } from '../journal/record.ts'
import type { RunFacts } from './settings.ts'
import type { InboxLimit } from './store.ts'
import type { StatedUsage } from '../journal/usage.ts'

/** The way to repeat an effect after a crash: freely, under the same key, or only after a person has agreed. */
export type Repeat = 'free' | 'keyed' | 'ask'

/** The facts about an effect before it is performed. */
export interface Traits {
  /** True if it changes something outside: all records before it are durable first (architecture, invariant 3). */
  readonly leaves: boolean
  readonly repeat: Repeat
  /** True if it may use what an operator limits: tokens, money. Its request is durable before it is performed. */
  readonly costs?: boolean | undefined
  /** Estimates the most that one try may use. Recorded as used when the effect is performed again after a crash. */
  readonly estimateUsage?: (() => EstimatedUsage) | undefined
  /** Returns the names of models that it may ask and that have no price. */
  readonly unpricedModels?: (() => readonly string[]) | undefined
  /** Returns what the call uses first, such as `tool:refund`, by which an operator limits calls. Absent or undefined: nothing that is limited. */
  readonly uses?: (() => string | undefined) | undefined
  /** Its needs are those that a program states ahead, which may lack paths, hosts and names. */
  readonly isAhead?: boolean | undefined
  /** True if it is performed before a node is entered: the node does not count as a step yet. All limits hold for it. */
  readonly enters?: boolean | undefined
  /** Capabilities that the policy must grant, such as `arbor://fs/read/srv/notes.txt`. */
  readonly needs?: readonly string[] | undefined
}

/** The way in which a port is closed: the run has ended, this process has released it, or another process has taken it over. */
export type HowClosed = EndStatus | 'left' | 'lost'

/** A run in the hands of a port that is opened and closed with it. The same object is passed to `open` and to `close`. */
export interface PortRun<S extends RunFacts = RunFacts> {
  readonly id: string
  /** The run that this run was forked from. */
  readonly forkedFrom: string | undefined
  /** The settings of the run, verified when it was opened. */
  readonly settings: S
  /** Aborted when the run is closed in this process while the port is being opened. */
  readonly signal: AbortSignal
  /** The result of `open`; undefined before. */
  readonly session: unknown
  /**
   * Sends the run a message by topic. Resolves with true once the run has recorded it or its inbox has it, and with false for an id
   * that was sent before. Rejects with `R2130` if the inbox is full.
   */
  message(
    topic: string,
    body: unknown,
    options?: { readonly id?: string; readonly frame?: Ref; readonly limit?: InboxLimit },
  ): Promise<boolean>
}

/** One effect in the hands of a port. */
export interface Call<S extends RunFacts = RunFacts> {
  readonly run: string
  /** The run that this run was forked from. */
  readonly forkedFrom: string | undefined
  /** The settings of the run, verified when it was opened. */
  readonly settings: S
  readonly id: Ref
  readonly port: string
  readonly args: Json | undefined
  /** The idempotency key: the same after a crash, another in a fork. */
  readonly key: string
  readonly frame: Frame
  /** The path of the node that asks, as people see it: `verify/score`. */
  readonly place: string
  /** True if the text of the program that asks, or of one that called it, is untrusted: the call has the lowest rights. */
  readonly untrusted: boolean
  /** True if a person has allowed a grant for this node, or its use is counted for this execution of the node. */
  isPermitted(grant: string): boolean
  /**
   * Takes room for what the call uses from now on, such as `model:openai`, and resolves with a function that leaves it. The room with which
   * the call began is taken at once. For any other, the call waits while it is under way, and rejects when `signal` is aborted. Rooms that
   * are still taken when the call ends are left. Undefined: nothing is limited.
   */
  enter(use: string, signal?: AbortSignal): Promise<Leave> | undefined
  /**
   * Resolves once it is certain that no other process has the run, usually at once. A call begins in that certainty; a port that has waited
   * for a store since then asks for it again before it acts. Rejects when the call is over, because the run was taken over or the effect dropped.
   */
  confirm(): Promise<void>
  /** Aborted when the effect is dropped. A late result reaches no program; that of an effect that leaves is noted in the journal. */
  readonly signal: AbortSignal
  /** The answers to questions that this effect has asked so far, in their order; empty for most effects. */
  readonly answers: readonly EffectAnswer[]
  /** The result of `open`, for a port that has one. */
  readonly session: unknown
  /** The compiled program of the frame that asked. */
  readonly def: unknown
  /** The compiled program of any frame of the run, by its pin. */
  definition(pin: number): unknown
  /** The frame's board as it is now, scopes outward. */
  reader(): BoardReader
  /**
   * Reports progress, which becomes a record and steps the frame. The first delta is recorded at once, then at most ten per second; deltas
   * between two records are joined, and the last ones are recorded before the result. Texts and lists, also under the same key of an
   * object, continue one another; any other value replaces the one before. A delta that `begins` replaces all earlier ones. The end of a
   * text that may be the start of a secret comes with the next delta, or before the result. After a restart of the effect, earlier
   * progress does not count; deltas after the end of the effect are ignored.
   */
  part(delta: Json, begins?: boolean): void
}

/** Returns what a simulated call gives in place of a result. A method, so that a port of more settings is a port of fewer. */
export type Simulation<S extends RunFacts> = { simulate(call: Call<S>): unknown }['simulate']

/** The result of a simulated call that would leave the machine. */
export const SIMULATED: JsonObject = { status: 'success', notes: '[Simulated]' }

/**
 * A door to the outside. A port states facts; the runtime decides from them when to perform and what to do
 * after a crash. A thrown error becomes the effect's failure, as a record; an interruption keeps the effect pending.
 */
export interface Port<S extends RunFacts = RunFacts> extends Traits {
  /** Facts of one call, where they differ from the port's own. */
  traits?(call: Call<S>): Traits
  perform(call: Call<S>): unknown
  /**
   * Opens the port for a run in this process: before its first effect there, or when a program whose kind names it in `Kind.ports` is
   * on the stack. Effects wait until it is open; what it returns is their `call.session`. Sets its own time limit. A failure fails the
   * effect with `R2107`, and the next effect tries again; a port that a program names stops the run in this process with `R2107`,
   * and the run is kept. Nothing is recorded: a resumed run opens its ports again, a crash closes nothing, and a replay, a fork and
   * a simulated run that does not perform open nothing.
   */
  open?(run: PortRun<S>): unknown
  /**
   * Closes the port, once for each `open` that has succeeded: when the run has ended and its end is durable, is left by this process,
   * or is lost to another one. Effects in flight were aborted before. A failure is reported as `R2108` and changes nothing.
   */
  close?(run: PortRun<S>, how: HowClosed): void | Promise<void>
  /**
   * Stands in for `perform` in a simulated run, from which nothing leaves. `perform`: the port only looks, or it chooses by
   * `call.settings`. `succeed`, and a port that does not say: a call that would leave the machine succeeds at once with `SIMULATED`,
   * any other is performed. A simulated call has the traits of the real one, but leaves nothing and may be repeated freely.
   */
  readonly simulate?: 'perform' | 'succeed' | Simulation<S>
  /** Turns a result into what the record holds; throws to refuse it. The default copies JSON. */
  accept?(raw: unknown, call: Call<S>): Json
  /** Reads what an effect has used from what the record holds of its end: a result, or a fault. Recorded beside it. */
  used?(result: Json): StatedUsage | undefined
  /** Turns what `perform` threw into the fault that the record holds. The default is `R2012` with the cause. */
  reject?(thrown: unknown, call: Call<S>): Fault
}
