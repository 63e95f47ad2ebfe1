import type { FaultData, Host, Json } from '../../../kernel/index.ts'
import type { BlackboardEntry, BlackboardReader, BlackboardWrite } from './board.ts'
import type { InvocationId, Question, StackFrame } from './decision.ts'
import type { Edge, InputMapping, Node, ReturnMapping, Workflow } from './definition.ts'
import type { ExecutionInvalidateEvent, ExecutionRecordEvent, ExecutionTreeState } from './execution.ts'

/** The state of an engine. `error` is part of the type and never used: every failure suspends (seed workflow 3.4). */
export type EngineStatus = 'idle' | 'running' | 'suspended' | 'completed' | 'error'

/** The result of one step (seed workflow 3.2). */
export type StepResult =
  | { status: 'advanced'; node: Node }
  | { status: 'invoked'; workflow: Workflow; node: Node }
  | { status: 'popped'; workflow: Workflow; node: Node }
  | { status: 'completed' }
  | Suspended

/** The engine waits because the agent suspended or because something failed. `ask` is present if the agent asks a question. */
export interface Suspended {
  status: 'suspended'
  reason: string
  ask?: Question
}

/** The result of a run. */
export type RunResult = { status: 'completed' } | Suspended | { status: 'error'; error: { error: unknown; nodeId: string } }

/** The event of an unwound engine. */
export interface UnwindEvent {
  /** The active frame first, then its callers. */
  readonly discardedFrames: readonly StackFrame[]
  readonly targetDepth: number
  readonly restoredWorkflow: Workflow
  readonly restoredNode: Node
  readonly reinvoke: boolean
}

/**
 * Every event and its payload: the nine of seed workflow 3.2, three of version 1.4, and the one that begins a session. Payloads
 * are frozen; boards and frames in them are copies.
 */
export interface EngineEvents {
  /** A new session replaces the earlier one, whose state is no longer valid. It is the first event of `init`. */
  'engine:init': { readonly sessionId: string; readonly workflow: Workflow }
  'node:enter': { readonly node: Node; readonly workflow: Workflow }
  'node:exit': { readonly node: Node; readonly workflow: Workflow }
  'edge:traverse': { readonly edge: Edge; readonly workflow: Workflow }
  /** `workflow` is the one whose board was written; `source.stackDepth` of the entries is its depth. */
  'blackboard:write': { readonly entries: readonly BlackboardEntry[]; readonly workflow: Workflow }
  /** `frame` is the caller, `workflow` the called one. */
  'workflow:push': { readonly frame: StackFrame; readonly workflow: Workflow }
  /** `frame` is the caller that continues, `workflow` its workflow. */
  'workflow:pop': { readonly frame: StackFrame; readonly workflow: Workflow }
  'stack:unwind': UnwindEvent
  'execution:record': ExecutionRecordEvent
  'execution:invalidate': ExecutionInvalidateEvent
  'engine:complete': { readonly workflow: Workflow }
  'engine:suspend': { readonly reason: string; readonly nodeId: string; readonly ask?: Question }
  /** `error` is the thrown value, `fault` the same failure as JSON, to be sent on. */
  'engine:error': {
    readonly error: unknown
    readonly fault: FaultData
    readonly nodeId: string
    readonly workflow: Workflow
    readonly node: Node
  }
}

/** The name of an event. */
export type EngineEvent = keyof EngineEvents

/** Handles an event, synchronously during the step. Handlers are called in the order of registration. */
export type EventHandler<Event extends EngineEvent = EngineEvent> = (payload: EngineEvents[Event]) => void

/** Settings of an engine; all have defaults. */
export interface EngineOptions {
  /** Saves the session at each suspension and at completion (seed workflow 4.3). */
  readonly persistence?: PersistenceAdapter
  /** Clock and randomness. Default: those of the machine. */
  readonly host?: Host
}

/** Options of a step or a run. */
export interface ResumeOptions {
  /** The answer for the suspended node, as JSON; its agent gets it as `input`. Null is not an answer. */
  readonly input?: unknown
  /** Interrupts the step, as `interrupt` does. */
  readonly signal?: AbortSignal
}

/** Options of a new session. */
export interface InitOptions {
  /** Writes on the root board before the entry node is entered. */
  readonly blackboard?: readonly BlackboardWrite[]
}

/** Options of an unwind. */
export interface UnwindOptions {
  /** True to repeat the call at the next step, instead of deciding at the calling node. */
  readonly reinvoke?: boolean
}

/** The inputs and returns of a workflow that the host pushes. */
export interface PushWorkflowOptions {
  readonly inputMap?: readonly InputMapping[]
  readonly returnMap?: readonly ReturnMapping[]
}

/** A session as JSON: its position, boards and stack, without definitions, guards, agent and handlers. */
export interface EngineSnapshot {
  readonly version: string
  /** ISO 8601. */
  readonly createdAt: string
  readonly sessionId: string
  readonly status: EngineStatus
  readonly currentWorkflowId: string
  readonly currentNodeId: string
  readonly currentBlackboard: BlackboardEntry[]
  /** The callers, nearest first. */
  readonly stack: StackFrame[]
  /** True if the call of the current node has returned, so that the next step decides there. */
  readonly skipInvocation: boolean
  /** The ids of all registered workflows. */
  readonly workflowIds: string[]
  readonly executionTree: ExecutionTreeState
  readonly currentInvocationId?: InvocationId
  /** The wait of the session, if there is one: `engine:error` after a failure, else the question of the node. */
  readonly suspension?: { readonly name: string; readonly about: Json; readonly due?: number }
}

/** The seed's name for a snapshot (seed workflow 4.3). */
export type EngineState = EngineSnapshot

/** Keeps sessions for a host (seed workflow 4.3). */
export interface PersistenceAdapter {
  save(sessionId: string, state: EngineState): Promise<void>
  load(sessionId: string): Promise<EngineState | null>
}

/** A function of a guard: pure, ends, and answers at once. */
export type GuardFunction = (blackboard: BlackboardReader) => boolean

/** A function of a guard in one version. A run keeps the version with which it was started. */
export interface GuardVersion {
  readonly version: string
  readonly evaluate: GuardFunction
}

/** Functions of guards that are stored by name: a function, or its versions, of which the last one is used where none is named. */
export type GuardRegistry = Record<string, GuardFunction | GuardVersion | readonly GuardVersion[]>

/** Options of a restored session. */
export interface RestoreOptions {
  readonly guards?: GuardRegistry
}
