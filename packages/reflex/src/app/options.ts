import type { RunHandle } from '../runs/handle.ts'
import type { Surroundings } from './host.ts'
import type { Fault, Store } from '../kernel/index.ts'
import type { LanguageModel, Model, Prices } from '../models/index.ts'
import type { ObserveOptions } from '../history/telemetry/api.ts'
import type { AgentChoice, PolicyFile, RunLimits, Trust } from '../policy/index.ts'
import type { Tool } from '../tools/index.ts'
import type { InputOf, UnknownTypes, WorkflowTypes } from '../programs/program-types.ts'
import type { KINDS } from './kinds.ts'
import type { HostOptionsByKind, KindModules, RunOptionsByKind } from './options-by-kind.ts'

/** The options of a `Reflex` that all kinds share. Each has a default. */
export interface SharedOptions {
  /** A path, an address such as `memory:`, or a store. Default: the nearest `.reflex/reflex.db` upwards, else made in `workdir`. */
  readonly store?: string | Store
  /** The folder of the program files, in which tools work. Default: the folder in which the process was started. */
  readonly workdir?: string
  /** The trust of new runs. Default: `probationary`. */
  readonly trust?: Trust
  /** The capabilities that the operator allows and denies in addition to the level of trust. */
  readonly policy?: readonly PolicyFile[]
  readonly tools?: readonly Tool[]
  /** The agent that decides where a program names none: for all nodes, and for single nodes. */
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
  /** Hears of what goes wrong without stopping a run. */
  readonly onTrouble?: (fault: Fault) => void
  /** Folders in which programs are looked up by name, after the caller's own. */
  readonly programs?: readonly string[]
  /** Milliseconds without a sign of life after which another process may take over the runs of this one. 15,000 if absent. */
  readonly leaseMs?: number
  /** The name of the person or process that acts, for the journal. Default: `REFLEX_ACTOR`, else the user. */
  readonly actor?: string
  /**
   * Spans and metrics of the runs that this process carries, through `@opentelemetry/api`. Default: where the application has registered a provider.
   * False: never. Nothing is imported where nobody has set up telemetry.
   */
  readonly observe?: ObserveOptions | false
  readonly surroundings?: Surroundings
}

/**
 * The options of a `Reflex`: the shared ones, `kinds` to add kinds to the built-in ones, and the options of each kind under its
 * name: `new Reflex({ pipeline: { handlers }, workflow: { guards } })`.
 */
export type ReflexOptions<Modules extends KindModules = BuiltInKinds> = SharedOptions & {
  /** The kinds of programs. Default: `KINDS`. */
  readonly kinds?: Modules
} & HostOptionsByKind<Modules>

/** The kinds that a `Reflex` has unless it is given others. */
export type BuiltInKinds = typeof KINDS

/** The options of a run of any kind. */
export interface SharedRunOptions<Types extends WorkflowTypes = UnknownTypes> {
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
  /** The limits of the run; the run asks before it exceeds them: executed nodes, milliseconds, tokens, US dollars. A resume keeps them. */
  readonly limits?: Pick<RunLimits, 'steps' | 'time' | 'tokens' | 'cost'>
  /** Nothing leaves this machine: models, and tools that would, are simulated. For good: a resume is simulated too. */
  readonly simulate?: boolean
  /** Called before the first record: to listen. */
  readonly prepare?: (handle: RunHandle) => void
}

/** The options of a run: the shared ones, and those of each kind under its name: `{ pipeline: { resumeFrom } }`. */
export type RunOptions<Types extends WorkflowTypes = UnknownTypes, Modules extends KindModules = BuiltInKinds> = SharedRunOptions<Types> &
  RunOptionsByKind<Modules>

/** The options of a resume. */
export type ResumeOptions = Pick<SharedRunOptions, 'prepare' | 'agent' | 'model' | 'recorded'>
