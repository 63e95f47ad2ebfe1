import type { Term, FaultData, Json, JsonObject } from '../../../kernel/index.ts'
import type { Question } from '../../../people/index.ts'
import type { Attributes } from '../dot/graph.ts'
import type { TypedGraph, TypedNode } from '../model/typed.ts'
import type { ModelMessage } from '../../../models/index.ts'
import type { Label } from '../../../policy/label.ts'
import type { Fidelity } from './fidelity.ts'
import type { Outcome } from './outcome.ts'

/** The permissions and settings of the operator for a run: read once when it starts, and part of its record. */
export interface Permissions {
  readonly trust: string
  /** The denied capabilities of this program, and the rule that denies each. */
  readonly denied: Readonly<Record<string, string>>
  /** Capabilities that are granted on terms: after a question, or so many times (reference pipeline 5.2). */
  readonly terms: Readonly<Record<string, Term>>
  readonly workdir: string
  /** The run's own folder. */
  readonly folder: string
  /** The name of the run for people. */
  readonly run: string
  /** The run in which this pipeline began. Random draws come from it, so a node in the middle of its work draws the same in a fork. */
  readonly origin: string
  readonly limits: Limits
  /** Nothing of the run leaves this machine: a host that lacks something simulates it. */
  readonly simulated?: true
  /** The agent for which the run acts, if one was named at the start. */
  readonly agent?: string
  /** True if a trusted author may disable the whole middleware chain (reference pipeline 5.6). */
  readonly mayDisable?: boolean
  /** Hooks of the host around calls of tools: a command, or `true` for the port `tool_hook` (reference pipeline 10.3). */
  readonly toolHooks?: DeclaredHooks
  /** Hooks of the host, where graph and node have none of their own: a command, or `true` for the port `hook` (reference pipeline 10.3). */
  readonly hooks?: { readonly graph?: DeclaredHooks; readonly node?: DeclaredHooks }
  /** True if the host writes the summaries, through the port `summary` (reference pipeline 6.5). */
  readonly summarises?: true
  /** The operator's routing of runs that have no edge to follow; the rules of the reference if absent. */
  readonly routing?: Routing
  /** Set if the host has its own council. `checks`: it can return the state of a proposal. */
  readonly council?: { readonly checks: boolean }
  /** The actions of the host. Each wins over a built-in one of the same name. */
  readonly actions?: readonly string[]
  /** Functions of the host's services that nodes name, as `service.function`; absent where the host states none. */
  readonly services?: readonly string[]
}

/** Hooks in a record: commands, and `true` for functions of the host. */
export interface DeclaredHooks {
  readonly pre?: string | true
  readonly post?: string | true
}

/** The operator's choices for runs that have no edge to follow (reference pipeline 3.3, contradiction 6). */
export interface Routing {
  /** `lenient`: after a failure that no edge catches, the run follows an edge without a condition instead of ending. */
  readonly onUnroutedFailure?: 'fail' | 'lenient' | undefined
  /** `fail`: a successful stage without an edge to follow fails the run instead of ending it like an exit. */
  readonly deadEnd?: 'success' | 'fail' | undefined
}

/**
 * The limits of a run; a program may state lower ones (reference pipeline 3.11). `steps`, `time`, `tokens` and `cost` are the
 * operator's budget: the run asks when they are used up. `maxSteps`, `visits` and `depth` end the run, `branchSteps` ends a
 * branch.
 */
export interface Limits {
  readonly steps?: number
  readonly maxSteps?: number
  readonly visits?: number
  /** Milliseconds. */
  readonly time?: number
  readonly tokens?: number
  /** US dollars. */
  readonly cost?: number
  readonly depth?: number
  /** The limit of executed nodes in a branch. Default: 100; 0 for no limit. */
  readonly branchSteps?: number
}

/**
 * The view of a handler on the node that it executes. The context does not change during the execution: writes are part of the
 * outcome. All values are functions of the journal, so a restarted handler sees the same.
 */
export interface NodeContext {
  readonly node: TypedNode
  readonly typed: TypedGraph
  readonly attributes: Attributes
  /** The attributes that the alias adds for dispatch; nothing else may select the code that runs (reference pipeline 4.1). */
  readonly injected: Readonly<Record<string, string>>
  readonly permissions: Permissions
  /** The folder of the run in this round. */
  readonly folder: string
  /** The number of the attempt, from 1. */
  readonly attempt: number
  /** True if a branch executes the node. */
  readonly isBranch: boolean
  /** The number of visits of this node in this round, from 1. */
  readonly visit: number
  /** The start of this execution in milliseconds since the epoch. */
  readonly now: number
  /** The value with which the handler restarted itself in this attempt; undefined the first time. */
  readonly kept: Json | undefined
  /** The previous stage, without branches. */
  readonly previous: string | undefined
  /** The fidelity: the amount of previous context that a model sees. */
  readonly fidelity: Fidelity
  /**
   * Returns a value of the context: the exact key, otherwise without `context.`, otherwise a path into a value (reference
   * pipeline 4.1).
   */
  get(key: string): Json | undefined
  /** Returns a value of the context as text. A missing value is empty text. */
  text(key: string): string
  /** True if a value of the context is marked as hostile: nothing may use it (reference pipeline 5.3). */
  isHostile(key: string): boolean
  /** Returns the label of a value of the context: its origin and trust. */
  label(key: string): Label
  /** Returns all keys of the context that a program may read, in code point order. */
  keys(): readonly string[]
  /** Returns the last outcome of a node in this round. */
  outcome(node: string): Outcome | undefined
  /** Returns the stages of this round in the order in which they ended. */
  stages(): readonly Stage[]
  /** Returns the turns of a conversation. */
  conversation(thread: string): readonly (readonly ModelMessage[])[]
  /** Returns a number in [0, 1) that is the same for the same draw of the same execution. */
  random(): number
  /** Adds a note to the trace and to events: `[type, payload]`. */
  note(type: string, payload: JsonObject): void
}

/** A node that was executed in this round, with its last outcome. */
export interface Stage {
  readonly id: string
  readonly outcome: Outcome
}

/** The result of an effect. */
export type Settled = ({ readonly ok: Json; readonly error?: undefined } | { readonly ok?: undefined; readonly error: FaultData }) & {
  /** The key of the result on the board while the node is executed. */
  readonly at?: string
}

/** One effect: a port and its arguments. */
export interface EffectAsk {
  readonly effect: string
  readonly args: Json
}

/** Several branches of this program, each on a strand with its own context (reference pipeline 3.9.2). Allowed once in an execution. */
export interface ForkAsk {
  readonly fork: readonly BranchSpec[]
  /** The number of branches that run in parallel. */
  readonly atOnce: number
  /** After this number of successes, starts no more branches and stops the running ones. */
  readonly enough?: number
  /** After the first failure, starts no more branches and stops the running ones. */
  readonly failFast?: boolean
  /** The time limit of each branch in milliseconds. */
  readonly timeout?: number
  /** The limit of executed nodes in each branch. */
  readonly steps?: number
}

/** A branch: a path from an edge to the join, or one execution of a node. */
export interface BranchSpec {
  readonly id: string
  /** The index of its first edge. */
  readonly edge?: number
  /** The node at which it stops, without executing it. */
  readonly until?: string
  /** Executes this handler once, with these attributes, and ends. */
  readonly item?: { readonly type: string; readonly attributes: JsonObject; readonly id: string }
  /** Values written to its context before it starts. */
  readonly values?: JsonObject
}

/** The result of a branch (reference pipeline 3.9.2, result entry). */
export interface BranchResult {
  readonly id: string
  readonly status: Outcome['status']
  readonly notes?: string
  readonly failure_reason?: string
  readonly last_node?: string
  readonly context_updates: JsonObject
  readonly duration_ms: number
}

/** A request of a handler. */
export type Ask =
  | EffectAsk
  | { readonly all: readonly EffectAsk[] }
  /** A question to a person; `due` in milliseconds from now. */
  | { readonly question: Question; readonly due?: number | undefined }
  | { readonly sleep: number }
  | { readonly signal: string; readonly timeout?: number | undefined }
  /** A call of a program with named inputs. */
  | { readonly call: string; readonly inputs: JsonObject }
  /** A call of a program that is given as data. */
  | { readonly define: JsonObject; readonly kind: string; readonly id: string; readonly inputs: JsonObject }
  | ForkAsk
  /**
   * Starts a program in parallel to this node, with named inputs. It is stopped with the execution. With `detached` it
   * continues, and the pipeline ends after it. Answered at once with its name.
   */
  | { readonly begin: string; readonly inputs: JsonObject; readonly detached?: boolean }
  /** Reads the state of such a program. Answered at once. */
  | { readonly observe: string }
  /** Drops all answers and restarts the handler with this value as `scene.kept`: for loops of many rounds whose cost must not grow. */
  | { readonly again: Json }
  /** Stores a value on the board while the node is executed. Answered at once with its key. */
  | { readonly keep: Json }

/** The state of a program that runs in parallel to a node. */
export interface Observation {
  readonly status: 'running' | 'done' | 'failed' | 'cancelled'
  /** Its result. */
  readonly value: Json
  /** Its current node, and the number of executed nodes. */
  readonly node?: string
  readonly steps?: number
  /** The number of retries of that node. */
  readonly retries?: number
  /** The folder of that stage, relative to the folder of the run. */
  readonly folder?: string
}

/** The answer to a request. */
export type Answer =
  | Settled
  | readonly Settled[]
  | { readonly answer: Json; readonly by?: string | undefined }
  | { readonly late: true }
  | { readonly message: Json; readonly by?: string | undefined }
  | { readonly returned: 'done' | 'failed' | 'cancelled'; readonly value: Json }
  | { readonly branches: readonly BranchResult[] }
  | { readonly began: string }
  | { readonly seen: Observation }
  | { readonly kept: string }

/**
 * A handler: a function of the node's context that returns its outcome at once, or a generator that yields requests and returns
 * its outcome. It must depend only on the context and the answers: after a crash, and for each new answer in another process,
 * it is restarted with the recorded answers.
 */
export type Handler = (scene: NodeContext) => Outcome | Steps

/** A running handler. */
export type Steps = Generator<Ask, Outcome, Answer>
