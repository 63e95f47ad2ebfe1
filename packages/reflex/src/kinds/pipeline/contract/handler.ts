import type { Term, FaultData, Json, JsonObject } from '../../../kernel/index.ts'
import type { Question } from '../../../people/index.ts'
import type { Attributes } from '../dot/graph.ts'
import type { TypedGraph, TypedNode } from '../model/typed.ts'
import type { ModelMessage } from '../../../models/index.ts'
import type { Label } from '../../../policy/label.ts'
import type { Fidelity } from './fidelity.ts'
import type { Outcome } from './outcome.ts'

/** What the operator has settled for a run: read once, when it begins, and part of its record. */
export interface Permissions {
  readonly trust: string
  /** Capabilities of this program that are refused, and what refuses them. */
  readonly denied: Readonly<Record<string, string>>
  /** Capabilities that are granted on terms: after a question, or so many times (reference pipeline 5.2). */
  readonly terms: Readonly<Record<string, Term>>
  readonly workdir: string
  /** The run's own folder. */
  readonly folder: string
  /** The run, as people call it. */
  readonly run: string
  /** The run in which this pipeline began. Random draws come from it, so a node in the middle of its work draws the same in a fork. */
  readonly origin: string
  readonly limits: Limits
  /** Nothing of the run leaves this machine: a host that lacks something simulates it. */
  readonly simulated?: true
  /** The agent on whose behalf the run acts, where whoever started it named one. */
  readonly agent?: string
  /** Whether a trusted author may switch the whole chain off (reference pipeline 5.6). */
  readonly mayDisable?: boolean
  /** Hooks of the host around calls of tools: a command, or `true` for the port `tool_hook` (reference pipeline 10.3). */
  readonly toolHooks?: DeclaredHooks
  /** Hooks of the host, where graph and node have none of their own: a command, or `true` for the port `hook` (reference pipeline 10.3). */
  readonly hooks?: { readonly graph?: DeclaredHooks; readonly node?: DeclaredHooks }
  /** The host sums up what happened itself, behind the port `summary` (reference pipeline 6.5). */
  readonly summarises?: true
  /** How the operator wants runs to go where the graph leads nowhere; the rules of the reference where absent. */
  readonly routing?: Routing
  /** The host has a council of its own: whether it can be asked how a proposal stands. */
  readonly council?: { readonly checks: boolean }
  /** Names of actions that the host has; each goes before one of Reflex of the same name. */
  readonly actions?: readonly string[]
  /** Functions of the host's services that nodes name, as `service.function`; absent where the host states none. */
  readonly services?: readonly string[]
}

/** Hooks as a record has them: commands, and `true` for functions of the host. */
export interface DeclaredHooks {
  readonly pre?: string | true
  readonly post?: string | true
}

/** Choices of an operator for where a graph leads nowhere (reference pipeline 3.3, contradiction 6). */
export interface Routing {
  /** `lenient`: a failure that nothing catches follows the edges without a condition, instead of ending the run. */
  readonly onUnroutedFailure?: 'fail' | 'lenient' | undefined
  /** `fail`: a stage that succeeds and has no edge to follow fails the run, instead of ending it as an exit does. */
  readonly deadEnd?: 'success' | 'fail' | undefined
}

/**
 * Bounds of a run; a program may state lower ones (reference pipeline 3.11). `steps`, `time`, `tokens` and `cost` are the
 * operator's budget: once they are used up the run asks. `maxSteps`, `visits` and `depth` end it, `branchSteps` a branch.
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
  /** Executions of nodes in one branch: 100 where nobody states a bound, 0 for none. */
  readonly branchSteps?: number
}

/**
 * What a handler sees of the node that it executes. The context does not change while it does: what it writes comes with
 * its outcome. Everything is a function of the journal, so that a handler that is begun again sees the same.
 */
export interface NodeContext {
  readonly node: TypedNode
  readonly typed: TypedGraph
  readonly attributes: Attributes
  /** What the alias says for dispatch; nothing else may choose which code runs (reference pipeline 4.1). */
  readonly injected: Readonly<Record<string, string>>
  readonly permissions: Permissions
  /** The folder of the run in this lap. */
  readonly folder: string
  /** From 1. */
  readonly attempt: number
  /** A branch is executed: it walks the pipeline beside others. */
  readonly isBranch: boolean
  /** How often this node has been entered in this lap, from 1. */
  readonly visit: number
  /** When this execution began: milliseconds since the epoch. */
  readonly now: number
  /** What the handler has asked to begin again with, in this attempt; nothing the first time. */
  readonly kept: Json | undefined
  /** The stage before, branches left out. */
  readonly previous: string | undefined
  /** How much of what happened before a model is told. */
  readonly fidelity: Fidelity
  /** A value of the context: exactly, else without `context.`, else by a walk into it (reference pipeline 4.1). */
  get(key: string): Json | undefined
  /** The same as text; what is not there is empty. */
  text(key: string): string
  /** Whether a value of the context was found to be hostile: nothing may use it (reference pipeline 5.3). */
  isHostile(key: string): boolean
  /** Returns where a value of the context comes from, and how far it is trusted. */
  label(key: string): Label
  /** Every key of the context that a program may read, in the order of the code points. */
  keys(): readonly string[]
  /** The last outcome of a node of this lap. */
  outcome(node: string): Outcome | undefined
  /** The stages of this lap in the order in which they ended. */
  stages(): readonly Stage[]
  /** What has been said in a conversation, turn by turn. */
  conversation(thread: string): readonly (readonly ModelMessage[])[]
  /** In [0, 1): the same each time that this draw of this execution is made. */
  random(): number
  /** A remark for readers of the trace and for events: `[type, payload]`. */
  note(type: string, payload: JsonObject): void
}

/** A node that has been executed in this lap, and how it ended the last time. */
export interface Stage {
  readonly id: string
  readonly outcome: Outcome
}

/** How an effect ended. */
export type Settled = ({ readonly ok: Json; readonly error?: undefined } | { readonly ok?: undefined; readonly error: FaultData }) & {
  /** The key on the board under which it stands while the node is executed. */
  readonly at?: string
}

/** One effect: a port and its arguments. */
export interface EffectAsk {
  readonly effect: string
  readonly args: Json
}

/** Several branches of this program, each on a strand with a context of its own (reference pipeline 3.9.2). Once in an execution. */
export interface ForkAsk {
  readonly fork: readonly BranchSpec[]
  /** How many run at once. */
  readonly atOnce: number
  /** Begin no more and stop those that run, once this many have succeeded. */
  readonly enough?: number
  /** Begin no more and stop those that run at the first failure. */
  readonly failFast?: boolean
  /** Milliseconds for each branch. */
  readonly timeout?: number
  /** Executions of nodes for each branch. */
  readonly steps?: number
}

/** One branch: a walk from an edge to where the branches join, or one execution of a node. */
export interface BranchSpec {
  readonly id: string
  /** The index of the edge that it begins with. */
  readonly edge?: number
  /** The node before which it stops. */
  readonly until?: string
  /** Executes this handler once, with these attributes, and ends. */
  readonly item?: { readonly type: string; readonly attributes: JsonObject; readonly id: string }
  /** Written into its context before it begins. */
  readonly values?: JsonObject
}

/** How a branch ended (reference pipeline 3.9.2, result entry). */
export interface BranchResult {
  readonly id: string
  readonly status: Outcome['status']
  readonly notes?: string
  readonly failure_reason?: string
  readonly last_node?: string
  readonly context_updates: JsonObject
  readonly duration_ms: number
}

/** What a handler needs from outside before it can go on. */
export type Ask =
  | EffectAsk
  | { readonly all: readonly EffectAsk[] }
  /** A person; `due` in milliseconds from now. */
  | { readonly question: Question; readonly due?: number | undefined }
  | { readonly sleep: number }
  | { readonly signal: string; readonly timeout?: number | undefined }
  /** A program, on the stack: named inputs only. */
  | { readonly call: string; readonly inputs: JsonObject }
  /** The same, of a program that came as data. */
  | { readonly define: JsonObject; readonly kind: string; readonly id: string; readonly inputs: JsonObject }
  | ForkAsk
  /**
   * A program that runs beside this node, with named inputs only; it is stopped with the execution, or with `detached` runs on, and
   * the pipeline ends once it has ended. Answers at once with its name.
   */
  | { readonly begin: string; readonly inputs: JsonObject; readonly detached?: boolean }
  /** How such a program stands. Answers at once. */
  | { readonly observe: string }
  /** Forgets every answer and begins the handler again with this as `scene.kept`: for loops of many rounds, each as quick as the first. */
  | { readonly again: Json }
  /** Keeps a value on the board while the node is executed; returns its key at once. */
  | { readonly keep: Json }

/** How a program that runs beside a node stands. */
export interface Observation {
  readonly status: 'running' | 'done' | 'failed' | 'cancelled'
  /** What it ended with. */
  readonly value: Json
  /** The node where it stands, and how many it has executed. */
  readonly node?: string
  readonly steps?: number
  /** How often that node has been tried again. */
  readonly retries?: number
  /** The folder of that stage, from the folder of the run. */
  readonly folder?: string
}

/** What comes back for each. */
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
 * A handler: a function of the scene that gives its outcome at once, or a generator that yields what it needs from outside
 * and returns its outcome. It must be a function of the scene and of the answers alone: after a crash, and for each new
 * answer in another process, it is begun again and given the recorded answers.
 */
export type Handler = (scene: NodeContext) => Outcome | Steps

/** A handler under way. */
export type Steps = Generator<Ask, Outcome, Answer>
