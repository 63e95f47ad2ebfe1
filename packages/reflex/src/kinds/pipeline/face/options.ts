import type { Host } from '../../../kernel/ports/host.ts'
import type { Json, JsonObject } from '../../../kernel/journal/json.ts'
import type { Store } from '../../../kernel/ports/store.ts'
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

/** How a pipeline is run (seed pipeline 3.1, reference pipeline 3.1). Everything has a default. */
export interface PipelineRunOptions {
  /** In the context from the start. A name that the engine keeps is refused with `R2206`. */
  readonly initial_values?: JsonObject | undefined
  /** Answers questions; without one the first option counts, as `auto-approve` has it. */
  readonly interviewer?: Interviewer | undefined
  /** Answers prompts; without one and without `models` they are simulated. */
  readonly llm_backend?: LlmBackend | undefined
  readonly models?: Models | undefined
  /** The run's folder; `.runs/<run_id>` in the work folder unless told. False: no files at all. */
  readonly logs_root?: string | false | undefined
  /** Executions of nodes at most. */
  readonly max_steps?: number | undefined
  readonly limits?: Limits | undefined
  /** `lenient`: a failure that nothing catches follows the edges without a condition. Otherwise it ends the run. */
  readonly onUnroutedFailure?: Routing['onUnroutedFailure']
  /** `fail`: a stage that succeeds and has no edge to follow fails the run. Otherwise it ends the run as an exit does. */
  readonly deadEnd?: Routing['deadEnd']
  /** Small artifacts are files of the run's folder too, as large ones are. */
  readonly persistArtifacts?: boolean | undefined
  /** Go on from the latest checkpoint in `logs_root`. */
  readonly resume?: boolean | undefined
  /** Go on from this checkpoint file, also one of another implementation. */
  readonly resume_from?: string | undefined
  /** Resume although the graph is another one. */
  readonly force?: boolean | undefined
  /** `retry`: a stage that was under way when the checkpoint was written, or at which the run failed, is executed again, whatever it does outside. */
  readonly on_resume?: 'retry' | undefined
  /** Signs checkpoints, and proves the one that is resumed from. */
  readonly hmac_secret?: string | Uint8Array | undefined
  /** False leaves lint rules out, but for those without which nothing could run. */
  readonly validate?: boolean | undefined
  /** Rules of the host, after ours. */
  readonly rules?: readonly LintRule[] | undefined
  /** Where parsed texts are kept; false parses anew. All runs of a process share one unless told. */
  readonly cache?: boolean | DotCache | undefined
  readonly transforms?: readonly Transform[] | undefined
  /** Handlers by the type that they take; the shared `Registry` unless told. */
  readonly handlers?: HandlerRegistry | undefined
  /** Operations that `defineOperation` made, beside those of Reflex. Throws `R1165` for one that does not fit. */
  readonly operations?: readonly Operation[] | undefined
  /** Actions by name, beside the built-in ones; each goes before one of the same name, and giving one is allowing it. */
  readonly actions?: HostActions | undefined
  /** Commands and functions around the pipeline and around each node, where it has none of its own. */
  readonly hooks?: RunHooks | undefined
  /** Around calls of tools, where neither node nor graph has hooks of its own. */
  readonly tool_hooks?: ToolHooks | undefined
  /** Tells models what happened before, in place of the built-in text. */
  readonly summarise?: Summariser | undefined
  /** Sessions, memory and search; sessions and memory live in the store where there is none. */
  readonly services?: PipelineServices | undefined
  /** Middleware that graphs and nodes may ask for by name. */
  readonly middleware?: ReadonlyMap<string, HostMiddleware> | undefined
  /** Middleware around every node, after the mandatory seven (seed pipeline 5.1). */
  readonly always?: readonly HostMiddleware[] | undefined
  /** Tools beside the built-in ones; giving one is allowing it. */
  readonly tools?: readonly Tool[] | undefined
  /** What is allowed and denied beside the level of trust. */
  readonly policy?: readonly PolicyFile[] | undefined
  readonly trust?: Trust | undefined
  /** `mandatory_middleware=false` and `skip_middleware` of a trusted author hold for all of the chain (reference pipeline 5.6). */
  readonly allow_disable_middleware?: boolean | undefined
  /** Who wrote the text: nobody vouches for it, or whoever starts the run. */
  readonly author?: 'trusted' | 'untrusted' | undefined
  readonly workdir?: string | undefined
  /** The environment that commands see a part of; empty unless told. */
  readonly env?: Environment | undefined
  /** Pipelines that this one calls, by id, as text. */
  readonly programs?: Readonly<Record<string, string>> | undefined
  readonly run_id?: string | undefined
  /** The agent on whose behalf the run acts: whose memory and sessions it has, and whose rules of the policy count. `agent_system` if absent. */
  readonly agent_id?: string | undefined
  /** Where the journal is kept; in memory unless told. */
  readonly store?: Store | undefined
  /** Time and randomness. */
  readonly host?: Host | undefined
  /** Cancels the run. */
  readonly signal?: AbortSignal | undefined
  readonly on_event?: ((event: PipelineEvent) => void) | undefined
  /** Gets the events for whoever iterates over it. */
  readonly events?: EventStream | undefined
}

/** How a run ended (reference pipeline 3.1). */
export interface PipelineResult {
  readonly run_id: string
  /** `suspended`: it waits for a message that only somebody else can send; its journal and checkpoint stand there. */
  readonly status: 'success' | 'fail' | 'cancelled' | 'suspended'
  /** That of the last completed node. */
  readonly final_outcome: Outcome | null
  readonly failure_reason: string | null
  /** The fault of a run that failed, as data: `data.stage` has the node that failed, with the code of its own failure. */
  readonly fault: JsonObject | null
  /** Of the main walk, in their order; what branches executed is in the events. */
  readonly completed_nodes: readonly string[]
  readonly node_outcomes: Readonly<Record<string, Outcome>>
  readonly context: JsonObject
  /** What nodes have stored beside the context, and not removed. */
  readonly artifacts: readonly StoredArtifact[]
  /** What was found before and during the run, as data of faults: none of it is an error. */
  readonly diagnostics: readonly Json[]
  readonly logs_root: string | null
  /** The options with which another `run` executes the stage again at which this one failed; null where it did not fail, or kept no folder. */
  readonly continue_with: Required<Pick<PipelineRunOptions, 'resume_from' | 'on_resume'>> | null
  readonly duration_ms: number
  readonly steps: number
}
