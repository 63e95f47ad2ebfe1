import type { Fault, FaultDetails, Json, JsonObject, Program, Run, Runtime } from '../kernel/index.ts'
import type { ProgramPlaces } from '../kinds/pipeline/face/file-above.ts'
import type { ModelFindings } from '../agents/index.ts'
import type { HostActions } from '../kinds/pipeline/operations/actions/registry.ts'
import type { HandlerRegistry, Operation, Transform } from '../kinds/pipeline/index.ts'
import type { FormattedText, Locator } from '../text/index.ts'
import type { Tools } from '../tools/index.ts'
import type { LocateTarget } from '../kinds/workflow/locate.ts'
import type { ProofLevel } from '../kinds/workflow/read-workflow.ts'
import type { GuardRegistry, Workflow } from '../kinds/workflow/types.ts'
import type { Effects } from '../kinds/workflow/verify.ts'

/** A program as its file gives it, before it is registered. */
export interface ReadProgram {
  readonly id: string
  /** The version that it states, for references of the form `kind:id@version`. */
  readonly version?: string | undefined
  readonly source: Json
  readonly def: unknown
  /** Why it cannot be stored as data, if it cannot. */
  readonly local: string | undefined
  /** The programs that it calls as objects, and not by name. */
  readonly callees?: readonly ReadProgram[]
}

/** What was read, and everything that was found. */
export interface ReadResult {
  readonly program?: ReadProgram
  readonly findings: readonly Fault[]
}

/** What is known of the tools and models that programs name. */
export interface ModelCheckOptions {
  readonly tools: Pick<Tools, 'names'>
  readonly models: ModelFindings
}

/** What hosts add to pipelines: handlers by the type that they take, and changes to every graph. */
export interface PipelineReadOptions extends Partial<ModelCheckOptions> {
  readonly handlers?: HandlerRegistry | undefined
  /** Operations beside those of Reflex. */
  readonly operations?: readonly Operation[] | undefined
  readonly transforms?: readonly Transform[] | undefined
  /** Actions beside the built-in ones. */
  readonly actions?: HostActions | undefined
  /** Names of the middleware that a pipeline can ask for; not checked where they are not told. */
  readonly middleware?: readonly string[] | undefined
}

/** What reading a program needs from its surroundings. */
export interface ReadOptions {
  readonly guards: GuardRegistry
  /** What those who will decide at its nodes say of them; of models, only where everything is proved that is known. */
  readonly inspect?: (workflow: Workflow, locate: Locator, proofs?: ProofLevel) => readonly Fault[]
  /** What those who will decide read and write, for proofs. */
  readonly effects?: Effects | undefined
  /** Finds the programs that it calls, by reference; without it calls are not checked. */
  readonly lookup?: (reference: string) => Program | undefined
  /** The names of the programs of a kind that it might call, for guesses; asked when one is not there. */
  readonly names?: (kind: string) => Iterable<string>
  /** The folder of the files that it names by a path; the folder of its own file unless set. */
  readonly places?: ProgramPlaces
  /** How much of a program is proved; all of it unless said. */
  readonly proofs?: ProofLevel
  /** False leaves lint rules out where a kind has them, but for those without which nothing can run. */
  readonly lint?: boolean
  /** What hosts add to pipelines. */
  readonly pipelines?: PipelineReadOptions | undefined
}

/** Where a run's folder is, and what signs what stands in it. */
export interface FolderOptions {
  readonly logsRoot: string
  readonly secret?: Uint8Array | undefined
  /** Small artifacts are files as well. */
  readonly persistArtifacts?: boolean | undefined
  /** Hears of a folder that cannot be written. */
  readonly onTrouble: (fault: Fault) => void
}

/** How programs of one kind are written in files, and which files their runs keep. */
export interface ProgramFormat {
  readonly kind: string
  /** Endings of file names that belong to it. */
  readonly endings: readonly string[]
  read(text: string, file: string, options: ReadOptions): ReadResult
  /** What a module exports, if it is a program of this kind; `options`: what can be proved of it as well. */
  accept(value: unknown, file: string, options?: ReadOptions): ReadResult | undefined
  /** Named inputs as a program takes them, those of `texts` read as what it declares. Throws for one that it does not take. */
  acceptInputs(def: unknown, input: JsonObject, texts: readonly string[]): JsonObject
  /** A text in the one form of the format, with its comments, or its errors. Never throws. */
  format(text: string, file?: string): FormattedText
  /** Runs can be told how they continue where the graph leads nowhere, and how long a branch may be. */
  readonly hasRouting?: true
  /** Its runs can be failed after a number of steps. */
  readonly countsSteps?: true
  /** It has rules that a run may leave out. */
  readonly hasLintRules?: true
  /** Keeps a folder of files for a run of this kind, from its next record on; resolves once it has caught up with the journal. */
  keepFolder?(runtime: Runtime, run: Run, options: FolderOptions): Promise<void>
  /** What a run is given that begins where a checkpoint file stands. Throws for one that cannot be gone on from. */
  resumeInput?(
    def: unknown,
    file: string,
    options: { readonly secret?: Uint8Array | undefined; readonly force?: boolean | undefined },
  ): JsonObject
  /** Where a node or an edge stands in the text of a program, with a note beside it. Never throws. */
  locate?(text: string, file: string | undefined, target: LocateTarget, note?: string): FaultDetails
}
