import type { JsonObject, RunFacts } from '../kernel/index.ts'
import type { Trust } from './trust.ts'

/** The default agent for decisions. The run stores it, so a resume needs no flag. */
export interface AgentChoice {
  /** An agent by name, for all nodes. */
  readonly default?: string
  /** An agent for single nodes, by `node` or `workflow/node`. */
  readonly perNode?: Readonly<Record<string, string>>
  /** Decisions as data, for the agent named `script`. */
  readonly script?: JsonObject
  /** The model for nodes that name none: `provider:name`. */
  readonly model?: string
  /** A recording that replaces all models: the absolute path of its file. */
  readonly recorded?: string
}

/** The limits of an operator for a run. The run asks before it exceeds some of them, and fails when it exceeds the others. */
export interface RunLimits {
  /** The number of executed nodes. */
  readonly steps?: number
  /** The number of executed nodes after which the run fails without asking. */
  readonly maxSteps?: number
  /** Milliseconds. */
  readonly time?: number
  readonly tokens?: number
  /** US dollars. */
  readonly cost?: number
  /** The largest depth of nested pipelines, counted also through programs of other kinds. Default: 8. A deeper call fails its node. */
  readonly depth?: number
  /** The number of executed nodes in a branch of a pipeline after which the branch fails. Default: that of the pipeline, otherwise 100. */
  readonly branchSteps?: number
}

/** The routing of a run at a node without an edge to follow. */
export interface RunRouting {
  readonly onUnroutedFailure?: 'fail' | 'lenient' | undefined
  readonly deadEnd?: 'success' | 'fail' | undefined
}

/** The restrictions of a policy file that a run began under. They hold for as long as it runs, also where the file is not named again. */
export interface RunRestriction {
  /** The file that it was read from, for messages. */
  readonly file: string
  readonly deny?: readonly string[]
  readonly ask?: readonly string[]
  /** Capabilities that the file grants for a time or a number of uses: the trust level alone does not grant them. */
  readonly bounded?: readonly string[]
}

/** The settings that the operator chose for a run. Each call passes them to ports and to the policy; a resume restores them. */
export interface RunSettings extends RunFacts {
  readonly trust: Trust
  /** True if the journal claims more trust than it can prove: the run has the default trust. */
  readonly lowered?: true
  /** The folder of the program files, in which tools work: a real path of this machine. */
  readonly workdir: string
  /** The run's own folder: a real path of this machine. */
  readonly folder: string
  /** The file of its program, an absolute path. */
  readonly file?: string
  /** The file of events that the operator named: an absolute path. */
  readonly events?: string
  readonly agent?: AgentChoice
  /** The agent for which the run acts: it selects memory and policy rules. */
  readonly agentId?: string
  /** A later policy adds to these and lifts none. A fork has those of the process that makes it. */
  readonly restrictions?: readonly RunRestriction[]
  /** Tool modules that the operator named, as absolute paths. */
  readonly tools?: readonly string[]
  readonly limits?: RunLimits
  readonly routing?: RunRouting
  /** True if small artifacts are also files of its folder. */
  readonly persistArtifacts?: true
  /** The folder of the run, if it is not the default, and the file with the secret that signs its checkpoints. Absolute paths. */
  readonly logs?: { readonly folder?: string; readonly secret?: string }
}
