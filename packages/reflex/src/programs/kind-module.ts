import type { Fault, FaultFamily, Host, JsonObject, Kind, Port, Redactor, Run, Runtime, Store } from '../kernel/index.ts'
import type { Models } from '../models/index.ts'
import type { OperatorPolicy, RunSettings } from '../policy/index.ts'
import type { WrittenLabels } from '../policy/written-labels.ts'
import type { Form } from '../text/index.ts'
import type { Tools } from '../tools/index.ts'
import type { KindFace } from './kinds.ts'
import type { Reader } from './language.ts'
import type { RunOptionTable } from './run-options.ts'

/**
 * Everything that a kind brings to a `Reflex`. The parts without a host are there at once: its name, language, view, faults and
 * the options of its runs; `make` gives the rest. `Options`: what its hosts give, as `new Reflex({ NAME: options })`.
 */
export interface KindModule<Name extends string = string, Options = unknown, Def = unknown, Own extends RunOptionTable = RunOptionTable>
  extends KindFace {
  readonly name: Name
  readonly faults: readonly FaultFamily<string>[]
  /** The form of the options that its hosts give; absent: it takes none. */
  readonly hostOptions?: Form
  /** Options of its runs, each also a flag of the command. */
  readonly runOptions?: Own
  /** The files that a run of this kind keeps. */
  readonly folder?: RunFolder<Def>
  /** Capabilities that the options of a host allow: giving a function is allowing it. */
  grants?(options: Options): readonly string[]
  make(world: KindWorld, options?: Options): MadeKind<Def>
}

/** The parts of a kind that need a host. */
export interface MadeKind<Def = unknown> {
  readonly kind: Kind<Def>
  readonly reader: Reader<Def>
  /** The ports that it brings; each says what it does in a simulated run (`Port.simulate`). */
  readonly ports: Readonly<Record<string, Port<RunSettings>>>
  /** Names of ports that its steps ask for, its own and others: all must be there. */
  readonly uses: readonly string[]
}

/** The parts of a `Reflex` that kinds are made with. */
export interface KindWorld {
  readonly host: Host
  readonly store: Store
  readonly workdir: string
  /** Folders that Reflex keeps for itself. */
  readonly reserved: readonly string[]
  readonly policy: OperatorPolicy
  readonly models: Models
  /** Returns the findings about the name of a model. */
  readonly modelFindings: (name: string) => readonly Fault[]
  readonly tools: Tools
  /** Tools and models that reach nothing outside, for simulated runs. */
  readonly simulated: { readonly tools: Tools; readonly models: Models }
  /** Takes secrets out of replies of models. */
  readonly redact: Redactor
  /** Labels of what runs have written. */
  readonly labels: WrittenLabels
  /** True if a program could be read from a file at this path. */
  readonly isProgram: (path: string) => boolean
}

/** The place of a run's folder, and what signs its files. */
export interface FolderOptions {
  readonly logsRoot: string
  readonly secret?: Uint8Array | undefined
  /** Small artifacts are files as well. */
  readonly persistArtifacts?: boolean | undefined
  /** Called with the fault of a folder that cannot be written. */
  readonly onTrouble: (fault: Fault) => void
}

/** The files that runs of a kind keep in a folder. */
export interface RunFolder<Def = unknown> {
  /** Keeps a folder of files for a run, from its next record on; resolves once it has caught up with the journal. */
  keep(runtime: Runtime<RunSettings>, run: Run<RunSettings>, options: FolderOptions): Promise<void>
  /**
   * The input of a run that its options let begin elsewhere, as at a checkpoint; empty where they do not. `options`: those of the
   * run, its paths absolute; `secret` proves files. Throws for a file that cannot be continued.
   */
  beginsAt?(def: Def, options: Readonly<Record<string, unknown>>, proof: { readonly secret: Uint8Array | undefined }): JsonObject
}
