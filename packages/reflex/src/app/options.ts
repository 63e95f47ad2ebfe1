import type { RunHandle } from '../runs/handle.ts'
import type { Surroundings } from './host.ts'
import type { Fault, FaultData, Peek, RunStatus, Store } from '../kernel/index.ts'
import type { LanguageModel, Model, Prices } from '../models/index.ts'
import type { ObserveOptions } from '../history/telemetry/api.ts'
import type { ProposedServers } from '../mcp/index.ts'
import type { AgentChoice, PolicyFile, RunLimits, Trust } from '../policy/index.ts'
import type { Tool } from '../tools/index.ts'
import type { InputOf, UnknownTypes, WorkflowTypes } from '../programs/program-types.ts'
import type { KINDS } from './kinds.ts'
import type { HostOptionsByKind, KindModules, RunOptionsByKind } from './options-by-kind.ts'

/** The options of a `Reflex` that all kinds share. Each has a default. */
export interface SharedOptions {
  /**
   * A path, an address such as `memory:`, or a store. Default: the nearest `.reflex/reflex.db` in `workdir` or above it,
   * otherwise a new one in `workdir`.
   */
  readonly store?: string | Store
  /** The folder of the program files, in which tools work. Default: the folder in which the process was started. */
  readonly workdir?: string
  /** The trust of new runs. Default: `probationary`. */
  readonly trust?: Trust
  /** The capabilities that the operator allows and denies in addition to the level of trust. */
  readonly policy?: readonly PolicyFile[]
  readonly tools?: readonly Tool[]
  /**
   * MCP servers that a settings file proposes, and its path. Each is started only if a policy outside the folder of that file names it, with
   * its hashes. Servers that `policy` names need not be proposed.
   */
  readonly mcp?: ProposedServers
  /** The default agent for decisions: for all nodes, and for single nodes. */
  readonly agent?: AgentChoice
  /** The default model: `provider:name`, a name of `models`, or a model. Default: `REFLEX_MODEL`. */
  readonly model?: string | Model | LanguageModel
  /** Models by name: of Reflex, or of the AI SDK. */
  readonly models?: Readonly<Record<string, Model | LanguageModel>>
  /** Models that are tried in order when a model fails. */
  readonly fallback?: readonly string[]
  /** A server with the OpenAI protocol, for models without a provider. Default: `REFLEX_BASE_URL`. */
  readonly baseUrl?: string
  /** Receives a line for each reply of a model. The lines form a recording that can replace the models. */
  readonly record?: (line: string) => void
  /** US dollars per million tokens, in addition to the built-in prices. */
  readonly prices?: Prices
  /** Texts that never enter a record, in addition to the secrets of the environment. */
  readonly secrets?: readonly string[]
  /**
   * Returns the value of a secret by its name, such as `vault://ci/token`, each time that a tool gets it: the value is in no record. Default:
   * the variable of `env://NAME`, where a policy file allows `arbor://secret/env/NAME`. Names that it is given are allowed.
   */
  readonly secretOf?: (name: string) => string | undefined | Promise<string | undefined>
  /** Receives faults that do not stop a run. */
  readonly onTrouble?: (fault: Fault) => void
  /** Folders in which programs are searched for by name, after the folder of the caller. */
  readonly programs?: readonly string[]
  /** Milliseconds without a heartbeat after which another process may take over the runs of this one. Default: 15,000. */
  readonly leaseMs?: number
  /** The name of the person or process that acts, for the journal. Default: `REFLEX_ACTOR`, else the user. */
  readonly actor?: string
  /**
   * Spans and metrics of the runs of this process, through `@opentelemetry/api`. Default: on if the application has registered
   * a provider. False: off. Nothing is imported if telemetry is not set up.
   */
  readonly observe?: ObserveOptions | false
  /**
   * True, or the settings of a worker: runs are carried on by the workers of the cluster of the store, which must be in Postgres. A run that is
   * started is stored and left to them, and its handle follows it. Needs the package `reflex-runtime-cluster`.
   */
  readonly cluster?: true | ClusterSettings
  readonly surroundings?: Surroundings
}

/** What a process says when it joins the cluster of its store as a worker. */
export interface ClusterSettings {
  /** The queues that it serves. Default: all. */
  readonly queues?: readonly string[]
  /** What the operator says of it, such as `gpu`. */
  readonly has?: readonly string[]
  /** The most turns of runs at once. Default: 64. */
  readonly slots?: number
}

/**
 * The options of a `Reflex`: the shared ones, `kinds` to add kinds to the built-in ones, and the options of each kind under its
 * name: `new Reflex({ pipeline: { handlers }, workflow: { guards } })`.
 */
export type ReflexOptions<Modules extends KindModules = BuiltInKinds> = SharedOptions & {
  /** The kinds of programs. Default: `KINDS`. */
  readonly kinds?: Modules
} & HostOptionsByKind<Modules>

/** The default kinds of a `Reflex`. */
export type BuiltInKinds = typeof KINDS

/** The options of a run of any kind. */
export interface SharedRunOptions<Types extends WorkflowTypes = UnknownTypes> {
  /** Named inputs. An input that does not match its declaration is refused before the run starts. */
  readonly input?: InputOf<NoInfer<Types>>
  /** Inputs as text: each is converted to its declared type. */
  readonly texts?: readonly string[]
  readonly id?: string
  /** The kind of a program file, if its name does not show it. */
  readonly kind?: string
  readonly trust?: Trust
  readonly agent?: AgentChoice
  /** The agent for which the run acts. It selects memory, sessions and policy rules. Default: `agent_system`. */
  readonly agentId?: string
  /** The model of nodes that name none. */
  readonly model?: string
  /** A recording that replaces all models. */
  readonly recorded?: string
  /** Modules of tools that the run may call. A resume imports them again. */
  readonly tools?: readonly string[]
  /** The limits of the run; the run asks before it exceeds them: executed nodes, milliseconds, tokens, US dollars. A resume keeps them. */
  readonly limits?: Pick<RunLimits, 'steps' | 'time' | 'tokens' | 'cost'>
  /** True: models, and tools with effects outside, are simulated; nothing leaves this machine. Permanent: a resume is simulated too. */
  readonly simulate?: boolean
  /** True: the inputs are text from outside, as that of a client, and not the operator's. They get its label. */
  readonly outside?: boolean
  /** The name of the person or program that starts the run, for the journal. Default: the actor of the `Reflex`. */
  readonly by?: string
  /** Called before the first record, to add listeners. */
  readonly prepare?: (handle: RunHandle) => void
  /** With a cluster: the queue in which the run waits for a worker. Default: `default`. */
  readonly queue?: string
  /** With a cluster: the customer for whom the run works. Tenants share the workers fairly. */
  readonly tenant?: string
  /** With a cluster: a lower number goes first in its queue and tenant. Default: 0. */
  readonly priority?: number
  /** With a cluster: what its workers must have, as their operators say: `gpu` for those that joined with `has: ['gpu']`. */
  readonly needs?: readonly string[]
}

/** The options of a run: the shared ones, and those of each kind under its name: `{ pipeline: { resumeFrom } }`. */
export type RunOptions<Types extends WorkflowTypes = UnknownTypes, Modules extends KindModules = BuiltInKinds> = SharedRunOptions<Types> &
  RunOptionsByKind<Modules>

/** The options of a resume. */
export interface ResumeOptions extends Pick<SharedRunOptions, 'prepare' | 'agent' | 'model' | 'recorded'> {
  /** Called with the stored run, once what it names is loaded and before it is opened. What it throws rejects the resume; nothing is recorded. */
  readonly inspect?: (stored: Peek) => void
}

/** The options of a worker. */
export interface WorkOptions {
  /** Ends the worker: it takes no more runs, and releases its runs after `grace`. */
  readonly signal?: AbortSignal
  /** Milliseconds for effects in flight to finish after the signal; other effects that can wait are not started. Default: 0. */
  readonly grace?: number
  /** The largest number of runs in parallel. Default: the slots of the option `cluster`, else 64. */
  readonly maxRuns?: number
  readonly onEvent?: (event: WorkerEvent) => void
}

/** An event of a worker about a run. */
export type WorkerEvent =
  /** Before anything of the run continues, to add listeners. */
  | { readonly did: 'took'; readonly run: string; readonly handle: RunHandle }
  /** `records`: the number of new records. Zero: nothing could be done. */
  | { readonly did: 'left'; readonly run: string; readonly status: RunStatus; readonly records: number; readonly handle: RunHandle }
  /** Without a run: the store cannot be read. `R5002`: another process continues the run. */
  | { readonly did: 'failed'; readonly run: string | undefined; readonly fault: FaultData }
