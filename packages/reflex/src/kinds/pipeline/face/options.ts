import type { Host, Json, JsonObject, Store } from '../../../kernel/index.ts'
import type { Models } from '../../../models/index.ts'
import type { PolicyFile, Trust } from '../../../policy/index.ts'
import type { Environment, Tool } from '../../../tools/index.ts'
import type { HostActions } from '../operations/actions/registry.ts'
import type { Operation } from '../contract/define-operation.ts'
import type { HandlerRegistry } from '../engine/custom.ts'
import type { DotCache } from '../dot/cache.ts'
import type { StoredArtifact } from '../engine/artifacts.ts'
import type { Limits, Routing } from '../contract/handler.ts'
import type { RunHooks, Summariser, ToolHooks } from '../engine/host-hooks.ts'
import type { Outcome } from '../contract/outcome.ts'
import type { PipelineEvent } from '../folder/events.ts'
import type { EventStream } from './event-stream.ts'
import type { Transform } from '../language/transforms.ts'
import type { LintRule } from '../check/finding.ts'
import type { HostMiddleware } from '../engine/asynchronous.ts'
import type { LlmBackend } from './backend.ts'
import type { Interviewer } from './interviewers.ts'
import type { PipelineServices } from '../contract/services.ts'

/** The options of a pipeline run (seed pipeline 3.1, reference pipeline 3.1). All are optional. */
export interface PipelineRunOptions {
  /** The initial context. Throws `R2206` for a name that the engine reserves. */
  readonly initial_values?: JsonObject | undefined
  /** Answers questions. Default: the first option, as with `auto-approve`. */
  readonly interviewer?: Interviewer | undefined
  /** Answers prompts. Without it and without `models`, answers are simulated. */
  readonly llm_backend?: LlmBackend | undefined
  readonly models?: Models | undefined
  /** The run's folder. Default: `.runs/<run_id>` in the work folder. False: no files. */
  readonly logs_root?: string | false | undefined
  /** The largest number of executed nodes. */
  readonly max_steps?: number | undefined
  readonly limits?: Limits | undefined
  /** `lenient`: after a failure that no edge catches, the run follows an edge without a condition. Default `fail`: the run ends. */
  readonly onUnroutedFailure?: Routing['onUnroutedFailure']
  /** `fail`: a successful stage without an edge to follow fails the run. Default `success`: the run ends as at an exit. */
  readonly deadEnd?: Routing['deadEnd']
  /** True: small artifacts are also written to the run's folder, like large ones. */
  readonly persistArtifacts?: boolean | undefined
  /** Resumes from the latest checkpoint in `logs_root`. */
  readonly resume?: boolean | undefined
  /** Resumes from this checkpoint file. Checkpoints of other implementations are accepted. */
  readonly resume_from?: string | undefined
  /** Resumes even if the graph differs from that of the checkpoint. */
  readonly force?: boolean | undefined
  /**
   * `retry`: executes the stage again that was running when the checkpoint was written or that failed the run, even if it has
   * side effects.
   */
  readonly on_resume?: 'retry' | undefined
  /** The secret that signs checkpoints and verifies the checkpoint to resume from. */
  readonly hmac_secret?: string | Uint8Array | undefined
  /** False skips all lint rules except those that a run needs. */
  readonly validate?: boolean | undefined
  /** Rules of the host, applied after the built-in ones. */
  readonly rules?: readonly LintRule[] | undefined
  /** The cache of parsed texts. False: no cache. Default: one cache shared by all runs of the process. */
  readonly cache?: boolean | DotCache | undefined
  readonly transforms?: readonly Transform[] | undefined
  /** Handlers by node type. Default: the shared `Registry`. */
  readonly handlers?: HandlerRegistry | undefined
  /** Operations made by `defineOperation`, in addition to the built-in ones. Throws `R1165` for an operation that conflicts. */
  readonly operations?: readonly Operation[] | undefined
  /**
   * Actions by name, in addition to the built-in ones. An action wins over a built-in one of the same name. An action given
   * here is allowed.
   */
  readonly actions?: HostActions | undefined
  /** Commands and functions around the pipeline and around nodes that have no hooks of their own. */
  readonly hooks?: RunHooks | undefined
  /** Run around calls of tools when neither the node nor the graph has tool hooks. */
  readonly tool_hooks?: ToolHooks | undefined
  /** Writes the summary of earlier stages for models. Default: the built-in text. */
  readonly summarise?: Summariser | undefined
  /** Sessions, memory and search. Without them, sessions and memory are stored in the store. */
  readonly services?: PipelineServices | undefined
  /** Middleware that graphs and nodes can request by name. */
  readonly middleware?: ReadonlyMap<string, HostMiddleware> | undefined
  /** Middleware around every node, after the seven mandatory ones (seed pipeline 5.1). */
  readonly always?: readonly HostMiddleware[] | undefined
  /** Tools in addition to the built-in ones. A tool given here is allowed. */
  readonly tools?: readonly Tool[] | undefined
  /** Permissions in addition to the trust level. */
  readonly policy?: readonly PolicyFile[] | undefined
  readonly trust?: Trust | undefined
  /**
   * Allows a trusted author to disable the whole middleware chain with `mandatory_middleware=false` and `skip_middleware`
   * (reference pipeline 5.6).
   */
  readonly allow_disable_middleware?: boolean | undefined
  /** The trust in the author of the text. */
  readonly author?: 'trusted' | 'untrusted' | undefined
  readonly workdir?: string | undefined
  /** The environment; commands see a part of it. Default: empty. */
  readonly env?: Environment | undefined
  /** Pipelines that this one calls: texts by id. */
  readonly programs?: Readonly<Record<string, string>> | undefined
  readonly run_id?: string | undefined
  /** The agent for which the run acts. It selects memory, sessions and policy rules. Default: `agent_system`. */
  readonly agent_id?: string | undefined
  /** The store of the journal. Default: in memory. */
  readonly store?: Store | undefined
  /** Time and randomness. */
  readonly host?: Host | undefined
  /** Cancels the run. */
  readonly signal?: AbortSignal | undefined
  readonly on_event?: ((event: PipelineEvent) => void) | undefined
  /** Receives the events for iteration. */
  readonly events?: EventStream | undefined
}

/** The result of a run (reference pipeline 3.1). */
export interface PipelineResult {
  readonly run_id: string
  /** `suspended`: the run waits for a message from outside; its journal and checkpoint are stored. */
  readonly status: 'success' | 'fail' | 'cancelled' | 'suspended'
  /** The outcome of the last completed node. */
  readonly final_outcome: Outcome | null
  readonly failure_reason: string | null
  /** The fault of a failed run, as data. `data.stage` has the node that failed and the code of its failure. */
  readonly fault: JsonObject | null
  /** The completed nodes of the main path, in order. Nodes of branches are in the events. */
  readonly completed_nodes: readonly string[]
  readonly node_outcomes: Readonly<Record<string, Outcome>>
  readonly context: JsonObject
  /** The artifacts that nodes stored and did not remove. */
  readonly artifacts: readonly StoredArtifact[]
  /** Findings from before and during the run, as data of faults. None is an error. */
  readonly diagnostics: readonly Json[]
  readonly logs_root: string | null
  /** The options with which another `run` executes the failed stage again. Null if the run did not fail or has no folder. */
  readonly continue_with: Required<Pick<PipelineRunOptions, 'resume_from' | 'on_resume'>> | null
  readonly duration_ms: number
  readonly steps: number
}
