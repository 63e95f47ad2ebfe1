import type { z, ZodType } from 'zod'
import type { Call, Fault, FaultFamily, Host, Json, JsonObject, Kind, Port, Redactor, Run, Runtime, Store } from '../kernel/index.ts'
import type { Models } from '../models/index.ts'
import type { JudgedCall, OperatorPolicy, RunSettings } from '../policy/index.ts'
import type { WrittenLabels } from '../policy/written-labels.ts'
import type { Form } from '../text/index.ts'
import type { LineProcess, LineProgram, ToolCall, Tools } from '../tools/index.ts'
import type { KindView } from './kind-view.ts'
import type { LiveRuns } from './live-runs.ts'
import type { Companion, Language, LanguageNames, Reader } from './language.ts'
import type { Parts } from './part-help.ts'
import type { PropertyTester } from './property-tests.ts'
import type { TakesValues } from './program-types.ts'
import type { RunCaptures } from './run-captures.ts'
import type { RunOptionTable } from './run-options.ts'
import type { Route } from './route.ts'
import type { KindVerb } from './verb.ts'

/**
 * The parts of a kind that are known before any of its programs is: they are read when a `Reflex` is made. `Options`: what its hosts
 * give; `Own`: the options of its runs; `Value`: what `run` takes as a program of the kind, beside files.
 */
export interface KindHead<Name extends string = string, Options = unknown, Own extends RunOptionTable = RunOptionTable, Value = object>
  extends TakesValues<Value> {
  readonly name: Name
  readonly language: LanguageNames
  readonly faults: readonly FaultFamily<string>[]
  /** Names of the ports of Reflex that its steps ask for. It asks for its own ports without naming them. */
  readonly uses: readonly string[]
  /**
   * True if only the process that began a run can continue it, because code of the host drives it: no worker takes such runs, and a run
   * whose process has ended is shown as interrupted.
   */
  readonly isHosted?: boolean
  /** True if it stores programs without files, which its reader then lists. */
  readonly hasStored?: boolean
  /** The form of the host options. Absent: the kind has none. */
  readonly hostOptions?: Form
  /**
   * Returns the schema of the host options that a settings file beside programs may give: facts, and nothing that gives a permission. Absent:
   * the file may give none. The head of a kind loads no library of schemas, so it gets it.
   */
  readonly fileOptions?: (zod: typeof z) => ZodType
  /** The run options of the kind; each is also a flag of the command. */
  readonly runOptions?: Own
  /** Files beside its programs that `validate` writes. */
  readonly companions?: readonly Companion[]
  /** Verbs of the command for runs of this kind. */
  readonly verbs?: readonly KindVerb[]
  /** Loads the requests that a server answers for programs and runs of this kind. */
  readonly routes?: () => Promise<readonly Route[]>
  /** Returns the capabilities that the options of a host allow: a function that is given is allowed. */
  grants?(options: Options): readonly string[]
}

/** The parts of a kind that only its programs and their runs need. */
export interface KindBody<Options = unknown, Def = unknown> {
  readonly language: Language
  readonly view: KindView
  /** The files that a run of this kind writes. */
  readonly folder?: RunFolder<Def>
  /** How its runs take events and other versions of their program. Absent: they do not. */
  readonly live?: LiveRuns
  /** Searches events that break conditions of its programs, for `reflex test`. Absent: they cannot be tested so. */
  readonly tests?: PropertyTester<Def>
  /** The files in which it captures its runs, for `export --format` and `replay FILE`. */
  readonly captures?: RunCaptures
  /** The parts of which its programs are built, for `reflex explain`. */
  readonly parts?: Parts
  /** Makes the parts that need a host. `options`: those of the host, as `new Reflex({ NAME: options })`. */
  make(world: KindWorld, options?: Options): MadeKind<Def>
}

/** Everything that a kind brings to a `Reflex`, there when the `Reflex` is made. */
export interface KindModule<
  Name extends string = string,
  Options = unknown,
  Def = unknown,
  Own extends RunOptionTable = RunOptionTable,
  Value = object,
> extends KindHead<Name, Options, Own, Value>,
    KindBody<Options, Def> {
  readonly language: Language
}

/** The same for a kind whose body is loaded when one of its programs or runs is first met. */
export interface LazyKindModule<
  Name extends string = string,
  Options = unknown,
  Def = unknown,
  Own extends RunOptionTable = RunOptionTable,
  Value = object,
> extends KindHead<Name, Options, Own, Value> {
  /** Called by each `Reflex` that meets the kind, again only after a rejection, which is reported as `R2125`. */
  load(): Promise<KindBody<Options, Def>>
}

/** A kind as a `Reflex` takes it. */
export type AnyKindModule = KindModule | LazyKindModule

/** The parts of a kind that need a host. */
export interface MadeKind<Def = unknown> {
  readonly kind: Kind<Def>
  readonly reader: Reader<Def>
  /** The ports that it brings; each says what it does in a simulated run (`Port.simulate`). No other kind has one of these names. */
  readonly ports: Readonly<Record<string, Port<RunSettings>>>
  /** Returns the whole request of a call to a model that refers to the board of its frame; undefined for a call of another kind. */
  modelRequest?(call: Call<RunSettings>): Json | undefined
  /** Returns the run folder of a call if programs of the kind give their runs several, one after another; undefined otherwise. */
  runFolder?(call: JudgedCall): string | undefined
  /** True for a program of the kind whose frames keep the labels of values, so that tools return theirs with a label. */
  keepsLabels?(def: unknown): boolean
  /**
   * Releases what the kind has opened for the `Reflex`, such as workers. Called once, by `Reflex.close`, after all runs are closed and before the
   * store is. What it throws is thrown there, after everything is closed. A crash closes nothing, so what stays open must not need it.
   */
  close?(): void | Promise<void>
}

/** The parts of a `Reflex` from which kinds are made. */
export interface KindWorld {
  readonly host: Host
  readonly store: Store
  readonly workdir: string
  /** Folders that are reserved for Reflex. */
  readonly reserved: readonly string[]
  readonly policy: OperatorPolicy
  readonly models: Models
  /** Returns the findings about the name of a model. */
  readonly modelFindings: (name: string) => readonly Fault[]
  readonly tools: Tools
  /** Starts a program that reads and writes lines, confined as a command of the call is. Throws `R4130`, `R4133` and `R4134`. */
  readonly startLines: (program: LineProgram, call: ToolCall) => Promise<LineProcess>
  /** Returns a variable of the environment of this process; undefined for one that is not set. */
  readonly variable: (name: string) => string | undefined
  /** Returns a call of a port as its tools see it: its folders, and what the policy allows it. */
  readonly toolCall: (call: Call<RunSettings>) => ToolCall
  /** Tools and models without effects outside, for simulated runs. */
  readonly simulated: { readonly tools: Tools; readonly models: Models }
  /** Removes secrets from replies of models. */
  readonly redact: Redactor
  /** Returns the sealed text of a value, which stands for it in records; the port `tool` opens it. */
  readonly seal: (value: Json) => string
  /** Returns the hash of a value under a key of this user, as 64 hexadecimal digits. */
  readonly digest: (value: Json) => string
  /** Returns what the host gives to another kind, whose options are those of this one, too. */
  readonly optionsOf: (kind: string) => unknown
  /** The labels of everything that runs have written. */
  readonly labels: WrittenLabels
  /** True if a program can be read from a file at this path. */
  readonly isProgram: (path: string) => boolean
  /** Reports a fault that stops nothing. */
  readonly report: (fault: Fault) => void
}

/** The folder of a run, and the secret that signs its files. */
export interface FolderOptions {
  readonly logsRoot: string
  readonly secret?: Uint8Array | undefined
  /** True if small artifacts are also files. */
  readonly persistArtifacts?: boolean | undefined
  /** Called with the fault of a folder that cannot be written. */
  readonly onTrouble: (fault: Fault) => void
}

/** The files of a run's folder. */
export interface RunFolder<Def = unknown> {
  /** Writes the files of a run from its next record on. Resolves when they are up to date with the journal. */
  keep(runtime: Runtime<RunSettings>, run: Run<RunSettings>, options: FolderOptions): Promise<void>
  /**
   * Returns the input of a run that begins at another place because of its options, such as a checkpoint; empty otherwise.
   * `options`: the run options, with absolute paths; `secret` verifies files; `file`: that of the program, an absolute path; `input`: the
   * inputs that were given. Throws for a file that cannot be used.
   */
  beginsAt?(
    def: Def,
    options: Readonly<Record<string, unknown>>,
    from: { readonly secret: Uint8Array | undefined; readonly file: string | undefined; readonly input: JsonObject },
  ): JsonObject
  /**
   * Returns what the files of the operator beside a program say about it where another program calls it: arguments that are recorded with the
   * run and that no program can write, and the file that says so. Undefined if there is no such file. Throws for a file that cannot be used.
   */
  calledWith?(def: Def, at: { readonly file: string | undefined }): { readonly file: string; readonly input: JsonObject } | undefined
  /** Returns the programs that a run can start because of its input, besides those that its program calls. */
  startsBesides?(input: JsonObject): readonly string[]
}
