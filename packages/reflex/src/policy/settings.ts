import type { JsonObject, RunFacts } from '../kernel/index.ts'
import type { Trust } from './trust.ts'

/** The agent that decides where a program names none. The run keeps it, so a resume needs no flag. */
export interface AgentChoice {
  /** An agent by name, for all nodes. */
  readonly default?: string
  /** The same for single nodes, by `node` or `workflow/node`. */
  readonly perNode?: Readonly<Record<string, string>>
  /** Decisions as data, for the agent called `script`. */
  readonly script?: JsonObject
  /** The model where no node names one: `provider:name`. */
  readonly model?: string
  /** A recording that answers in place of every model: its file, an absolute path. */
  readonly recorded?: string
}

/** The limits that an operator sets for a run: it asks before it exceeds some, and fails when it exceeds others. */
export interface RunLimits {
  /** Executions of nodes. */
  readonly steps?: number
  /** Executions of nodes after which it fails, unasked. */
  readonly maxSteps?: number
  /** Milliseconds. */
  readonly time?: number
  readonly tokens?: number
  /** US dollars. */
  readonly cost?: number
  /** The most pipelines inside each other, also with programs of other kinds between them: 8 unless set. A deeper one fails its node. */
  readonly depth?: number
  /** Executions of nodes in one branch of a pipeline: 100 where neither it nor the pipeline states a bound. The branch fails beyond it. */
  readonly branchSteps?: number
}

/** The behaviour of a run at a node that has no edge to follow. */
export interface RunRouting {
  readonly onUnroutedFailure?: 'fail' | 'lenient' | undefined
  readonly deadEnd?: 'success' | 'fail' | undefined
}

/** The settings that the operator chose for a run. Each call hands them to ports and to the policy; a resume has them again. */
export interface RunSettings extends RunFacts {
  readonly trust: Trust
  /** The journal claims more trust than it can prove, so the run has the usual one. */
  readonly lowered?: true
  /** The folder of the program files, in which tools work, in this process: a real path. */
  readonly workdir: string
  /** The run's own folder, in this process: a real path. */
  readonly folder: string
  /** The file of its program, an absolute path. */
  readonly file?: string
  readonly agent?: AgentChoice
  /** The agent on whose behalf it acts: whose memory it has, and by whose rules the policy judges it. */
  readonly agentId?: string
  /** Modules of tools that the operator named, as absolute paths. */
  readonly tools?: readonly string[]
  readonly limits?: RunLimits
  readonly routing?: RunRouting
  /** Small artifacts are files of its folder too. */
  readonly persistArtifacts?: true
  /** The folder of the run, if it is not in the usual place, and the file of the secret that signs its checkpoints. Absolute paths. */
  readonly logs?: { readonly folder?: string; readonly secret?: string }
}
