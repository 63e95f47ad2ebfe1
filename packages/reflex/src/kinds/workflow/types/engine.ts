import type { FaultData } from '../../../kernel/journal/fault.ts'
import type { Host } from '../../../kernel/ports/host.ts'
import type { Json } from '../../../kernel/journal/json.ts'
import type { BlackboardEntry, BlackboardReader, BlackboardWrite } from './board.ts'
import type { InvocationId, Question, StackFrame } from './decision.ts'
import type { Edge, InputMapping, Node, ReturnMapping, Workflow } from './definition.ts'
import type { ExecutionInvalidateEvent, ExecutionRecordEvent, ExecutionTreeState } from './execution.ts'

/** `error` is part of the type and never taken: every failure suspends (seed workflow 3.4). */
export type EngineStatus = 'idle' | 'running' | 'suspended' | 'completed' | 'error'

/** What one step did (seed workflow 3.2). */
export type StepResult =
  | { status: 'advanced'; node: Node }
  | { status: 'invoked'; workflow: Workflow; node: Node }
  | { status: 'popped'; workflow: Workflow; node: Node }
  | { status: 'completed' }
  | Suspended

/** The engine waits: because the agent said so, or because something failed. `ask` is there when the agent asks something. */
export interface Suspended {
  status: 'suspended'
  reason: string
  ask?: Question
}

/** How a run of steps ended. */
export type RunResult = { status: 'completed' } | Suspended | { status: 'error'; error: { error: unknown; nodeId: string } }

/** Where a running engine was unwound to. */
export interface UnwindEvent {
  /** The scope that was active, then outward. */
  readonly discardedFrames: readonly StackFrame[]
  readonly targetDepth: number
  readonly restoredWorkflow: Workflow
  readonly restoredNode: Node
  readonly reinvoke: boolean
}

/**
 * Every event and what its handlers get: the nine of seed workflow 3.2, three of version 1.4, and the one that
 * begins a session. Payloads are frozen, boards and frames in them are copies.
 */
export interface EngineEvents {
  /** A new session replaces the one before: what was shown of that is over. The first event of `init`. */
  'engine:init': { readonly sessionId: string; readonly workflow: Workflow }
  'node:enter': { readonly node: Node; readonly workflow: Workflow }
  'node:exit': { readonly node: Node; readonly workflow: Workflow }
  'edge:traverse': { readonly edge: Edge; readonly workflow: Workflow }
  /** `workflow` is the one whose board was written; the entries' `source.stackDepth` says at which depth. */
  'blackboard:write': { readonly entries: readonly BlackboardEntry[]; readonly workflow: Workflow }
  /** `frame` is the caller, `workflow` the one that was called. */
  'workflow:push': { readonly frame: StackFrame; readonly workflow: Workflow }
  /** `frame` is the caller that goes on, `workflow` its workflow. */
  'workflow:pop': { readonly frame: StackFrame; readonly workflow: Workflow }
  'stack:unwind': UnwindEvent
  'execution:record': ExecutionRecordEvent
  'execution:invalidate': ExecutionInvalidateEvent
  'engine:complete': { readonly workflow: Workflow }
  'engine:suspend': { readonly reason: string; readonly nodeId: string; readonly ask?: Question }
  /** `error` is what was thrown, `fault` the same as JSON, for those who send it on. */
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

/** Called in the order of registration, at once, while the step is under way. */
export type EventHandler<Event extends EngineEvent = EngineEvent> = (payload: EngineEvents[Event]) => void

/** Settings of an engine; all have defaults. */
export interface EngineOptions {
  /** Saved to at each suspension and at completion (seed workflow 4.3). */
  readonly persistence?: PersistenceAdapter
  /** Clock and randomness; the machine's own by default. */
  readonly host?: Host
}

/** What a step or a run goes on with. */
export interface ResumeOptions {
  /** The answer for the node that suspended; its agent gets it as `input`. JSON; null is no answer. */
  readonly input?: unknown
  /** Interrupts the step, as `interrupt` does. */
  readonly signal?: AbortSignal
}

/** What a session starts with. */
export interface InitOptions {
  /** Written to the root board before the entry node is entered. */
  readonly blackboard?: readonly BlackboardWrite[]
}

/** How to unwind. */
export interface UnwindOptions {
  /** Call the workflow again at the next step, instead of deciding at the node that called it. */
  readonly reinvoke?: boolean
}

/** What a workflow that the host pushes gets and gives back. */
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
  /** The callers, the nearest first. */
  readonly stack: StackFrame[]
  /** Whether the call of the current node has returned, so that the next step decides there. */
  readonly skipInvocation: boolean
  /** Every workflow that was registered. */
  readonly workflowIds: string[]
  readonly executionTree: ExecutionTreeState
  readonly currentInvocationId?: InvocationId
  /** What the session waits for, if it does: `engine:error` after a failure, else the node's own question. */
  readonly suspension?: { readonly name: string; readonly about: Json; readonly due?: number }
}

/** The seed's name for a snapshot (seed workflow 4.3). */
export type EngineState = EngineSnapshot

/** Keeps sessions for a host (seed workflow 4.3). */
export interface PersistenceAdapter {
  save(sessionId: string, state: EngineState): Promise<void>
  load(sessionId: string): Promise<EngineState | null>
}

/** Functions for guards that are kept by name. */
export type GuardRegistry = Record<string, (blackboard: BlackboardReader) => boolean>

/** What a restored session needs beside its snapshot. */
export interface RestoreOptions {
  readonly guards?: GuardRegistry
}
