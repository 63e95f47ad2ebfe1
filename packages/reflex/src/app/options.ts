import type { RunHandle } from '../runs/handle.ts'
import type { Surroundings } from './host.ts'
import type { Fault, Store } from '../kernel/index.ts'
import type { LanguageModel, Model, Prices } from '../models/index.ts'
import type {
  HandlerRegistry,
  Operation,
  HostActions,
  HostMiddleware,
  PipelineServices,
  RunHooks,
  Summariser,
  ToolHooks,
  Transform,
} from '../kinds/pipeline/index.ts'
import type { ObserveOptions } from '../history/telemetry/api.ts'
import type { AgentChoice, PolicyFile, RunLimits, Trust } from '../policy/index.ts'
import type { Tool } from '../tools/index.ts'
import type { InputOf } from '../kinds/workflow/define-types.ts'
import type { UnknownTypes, WorkflowTypes } from '../programs/program-types.ts'
import type { DecisionAgent, GuardRegistry } from '../kinds/workflow/types.ts'

/** What a `Reflex` is made of. Everything has a default. */
export interface ReflexOptions {
  /** A path, an address such as `memory:`, or a store. Default: the nearest `.reflex/reflex.db` upwards, else made in `workdir`. */
  readonly store?: string | Store
  /** Where programs' files lie and tools work. Default: where the process was started. */
  readonly workdir?: string
  /** How far new runs are trusted. Default `probationary`. */
  readonly trust?: Trust
  /** What the operator allows and denies beside. */
  readonly policy?: readonly PolicyFile[]
  readonly tools?: readonly Tool[]
  /** Agents by name, beside the built-in ones. */
  readonly agents?: Readonly<Record<string, DecisionAgent>>
  /** Who decides where a program does not say: for all nodes, and for single ones. */
  readonly agent?: AgentChoice
  /** The model where neither run nor node names one: `provider:name`, a name of `models`, or a model. Default: `REFLEX_MODEL`. */
  readonly model?: string | Model | LanguageModel
  /** Models by name: of Reflex, or of the AI SDK. */
  readonly models?: Readonly<Record<string, Model | LanguageModel>>
  /** Asked in turn when a model fails. */
  readonly fallback?: readonly string[]
  /** A server that speaks the protocol of OpenAI, for models that name no provider. Default: `REFLEX_BASE_URL`. */
  readonly baseUrl?: string
  /** Takes a line for each reply of a model: a recording that can stand in for the models. */
  readonly record?: (line: string) => void
  /** US dollars per million tokens, beside the built-in ones. */
  readonly prices?: Prices
  /** Texts that never enter a record, beside the secrets of the environment. */
  readonly secrets?: readonly string[]
  /** Handlers of pipelines, by the type that they take. */
  readonly handlers?: HandlerRegistry
  /** Operations of pipelines that `defineOperation` made, beside those of Reflex. Throws `R1165` for one that does not fit. */
  readonly operations?: readonly Operation[]
  /** Actions of pipelines by name, beside the built-in ones; each goes before one of the same name. Giving one is allowing it. */
  readonly actions?: HostActions
  /** Commands and functions around pipelines and their nodes, where they have none of their own. */
  readonly hooks?: RunHooks
  /** Around calls of tools in pipelines, where neither node nor graph has hooks of its own. */
  readonly toolHooks?: ToolHooks
  /** Tells the models of pipelines what happened before, in place of the built-in text. */
  readonly summarise?: Summariser
  /** A trusted author of a pipeline may switch its mandatory middleware off. Never by default. */
  readonly allowDisableMiddleware?: boolean
  /** Sessions, memory and search of pipelines; sessions and memory live in the store where there is none. */
  readonly services?: PipelineServices
  /** Middleware that pipelines may ask for by name. */
  readonly middleware?: ReadonlyMap<string, HostMiddleware>
  /** Middleware around every node of every pipeline, after the mandatory seven. */
  readonly alwaysMiddleware?: readonly HostMiddleware[]
  /** `lenient`: in pipelines, a failure that nothing catches follows the edges without a condition. Otherwise it ends the run. */
  readonly onUnroutedFailure?: 'fail' | 'lenient'
  /** `fail`: a stage of a pipeline that succeeds and has no edge to follow fails the run. Otherwise it ends the run as an exit does. */
  readonly deadEnd?: 'success' | 'fail'
  /** Changes of every pipeline that is read. */
  readonly transforms?: readonly Transform[]
  /** Hears of what goes wrong without stopping a run. */
  readonly onTrouble?: (fault: Fault) => void
  /** Functions for guards that stand by name. */
  readonly guards?: GuardRegistry
  /** Folders in which programs are looked up by name, after the caller's own. */
  readonly programs?: readonly string[]
  /** Milliseconds without a sign of life after which another process may take over the runs of this one. 15,000 if absent. */
  readonly leaseMs?: number
  /** Who acts, for the journal. Default: `REFLEX_ACTOR`, else the user. */
  readonly actor?: string
  /**
   * Spans and metrics of the runs that this process carries, through `@opentelemetry/api`. Default: where the application has registered a provider.
   * False: never. Nothing is imported where nobody has set up telemetry.
   */
  readonly observe?: ObserveOptions | false
  readonly surroundings?: Surroundings
}

/** How a run is started. */
export interface RunOptions<Types extends WorkflowTypes = UnknownTypes> {
  /** Named inputs. One that does not fit what the program declares is refused before the run begins. */
  readonly input?: InputOf<NoInfer<Types>>
  /** The inputs that were written as text: each is read as what the program declares for it. */
  readonly texts?: readonly string[]
  readonly id?: string
  /** The kind of a file whose name does not tell it. */
  readonly kind?: string
  readonly trust?: Trust
  readonly agent?: AgentChoice
  /** The agent on whose behalf the run acts: whose memory and sessions it has, and whose rules of the policy count. `agent_system` if absent. */
  readonly agentId?: string
  /** The model where no node names one. */
  readonly model?: string
  /** A recording that answers in place of every model. */
  readonly recorded?: string
  /** Modules of tools that the run may call; a resume imports them again. */
  readonly tools?: readonly string[]
  /** What the run may use before it asks: executed nodes, milliseconds, tokens, US dollars. A resume goes on under it. */
  readonly limits?: RunLimits
  /** Nothing leaves this machine: models, and tools that would, are simulated. For good: a resume is simulated too. */
  readonly simulate?: boolean
  /** The folder of a pipeline's run; `runs/RUN` beside the store if absent. */
  readonly logs?: string
  /** A file with the secret that signs the checkpoints of a pipeline, and proves the one that is resumed from. */
  readonly hmacSecretFile?: string
  /** A checkpoint of the pipeline, also one that another implementation wrote: the run begins where it stands. */
  readonly resumeFrom?: string
  /** Resume although the checkpoint is of another graph. */
  readonly force?: boolean
  /** Of a pipeline, for this run in place of what `ReflexOptions` says: `lenient` lets a failure that nothing catches follow the edges without a condition. */
  readonly onUnroutedFailure?: 'fail' | 'lenient'
  /** Of a pipeline, for this run: `fail` makes a stage without an edge to follow the failure of the run. */
  readonly deadEnd?: 'success' | 'fail'
  /** Small artifacts are files of the run's folder too, as large ones are. */
  readonly persistArtifacts?: boolean
  /** False leaves out the rules of a pipeline but for those without which nothing can run. */
  readonly validate?: boolean
  /** Called before the first record: to listen. */
  readonly prepare?: (handle: RunHandle) => void
}

/** How a run is gone on with. */
export type ResumeOptions = Pick<RunOptions, 'prepare' | 'agent' | 'model' | 'recorded'>
