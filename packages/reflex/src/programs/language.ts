import type { Fault, FaultDetails, Json, JsonObject, Program } from '../kernel/index.ts'
import type { FormattedText } from '../text/index.ts'
import type { ProgramPlaces } from './file-above.ts'
import type { HostParts, NamingSettings } from './host-parts.ts'

/** The element to find: an edge, otherwise a node, otherwise the program itself. */
export interface LocateTarget {
  readonly edge?: string | undefined
  readonly node?: string | undefined
}

/** The JSON Schema of files that a kind reads. */
export interface PublishedSchema {
  readonly name: string
  readonly about: string
  /** The files with this shape. */
  readonly files: string
  schema(): Promise<object>
}

/** The files and texts that are programs of a kind. */
export interface LanguageNames {
  /** The endings of file names, the default first. Each belongs to only one kind. */
  readonly endings: readonly string[]
  readonly schemas?: readonly PublishedSchema[]
  /** True if a text is a program of this kind, by its beginning. For texts without a file name. */
  owns(text: string): boolean
}

/** The written form of the programs of a kind. It needs no host. */
export interface Language extends LanguageNames {
  /** Formats a text and keeps its comments, or returns its errors. Never throws. */
  format(text: string, file?: string): FormattedText
  /** The names of the written forms of its programs, if there are several. */
  readonly forms?: readonly string[]
  /** Writes a program in another form, or returns its errors. Findings beside a text are warnings. Never rejects for a wrong text. */
  convert?(text: string, file: string | undefined, form: string): Promise<FormattedText>
  /** Returns the place of a node or an edge in the text of a program, with a note. Never throws. */
  locate?(text: string, file: string | undefined, target: LocateTarget, note?: string): FaultDetails
}

/** A program as read from its file, before it is registered. */
export interface ReadProgram {
  readonly id: string
  /** The version that it states, for references of the form `kind:id@version`. */
  readonly version?: string | undefined
  readonly source: Json
  readonly def: unknown
  /** The reason why it cannot be stored as data, if there is one. */
  readonly local?: string | undefined
  /** The programs that it calls as objects instead of by name. */
  readonly callees?: readonly ReadProgram[]
}

/** The program that was read, and all findings. */
export interface ReadResult {
  readonly program?: ReadProgram
  readonly findings: readonly Fault[]
  /** The paths of other files whose text is part of the program, also if it has errors. In a folder they are no programs of their own. */
  readonly parts?: readonly string[]
}

/** Companion files by name, such as `{ adapter: '/work/alerts.adapter.json' }`. */
export type CompanionFiles = Readonly<Record<string, string>>

/** The context of reading a program. */
export interface ReadContext {
  /** Finds called programs by reference. Without it calls are not checked. */
  readonly lookup?: (reference: string) => Program | undefined
  /** Returns the names of programs of a kind, for suggestions. Called when a program is missing. */
  readonly names?: (kind: string) => Iterable<string>
  /** The folders of the files that it names by path. Default: the folder of its own file. */
  readonly places?: ProgramPlaces
  /** The companion files by name that a person named in place of those beside the program: absolute paths. */
  readonly companions?: CompanionFiles
  /** The depth of the checks of a program: all of them, all but those of its calls, or only those that refuse it. Default: all. */
  readonly depth?: 'all' | 'alone' | 'errors'
  /** False skips lint rules, except those that a run needs. */
  readonly lint?: boolean
}

/** A file beside a program that can be written from the program: `validate` writes it with a flag of its own. */
export interface Companion {
  readonly name: string
  /** The flag of `validate`: `--write-adapter`. No other kind has it. */
  readonly flag: `--${string}`
  /** The text of the help. */
  readonly does: string
}

/** The text of a companion file, or the errors because of which there is none. */
export interface CompanionText {
  /** Its place beside the program. */
  readonly file: string
  /** The text that it has now; undefined for a file that does not exist. */
  readonly before?: string | undefined
  /** Absent if the program, or the file as it is, has errors. */
  readonly text?: string | undefined
  readonly findings: readonly Fault[]
}

/** A model that a program asks. */
export interface AskedModel {
  /** `provider:name`, or a name of the application. Absent: that of the run or of the host. */
  readonly name?: string | undefined
  /** The models that are asked in turn if that one fails. Absent: those of the host. */
  readonly fallback?: readonly string[] | undefined
}

/** Reads programs of one kind, with the extensions of the host. */
export interface Reader<Def = unknown> {
  /** Reads the text of a file. Never throws for an invalid text. */
  read(text: string, file: string, context: ReadContext): ReadResult | Promise<ReadResult>
  /** Reads the export of a module or a value; undefined if it is not a program of this kind. Without `context`, nothing is proved. */
  accept?(value: unknown, file?: string, context?: ReadContext): ReadResult | undefined | Promise<ReadResult | undefined>
  /**
   * Finds a program that is stored for its kind, without a file, by its id or `id@version`; undefined if there is none. Its permissions are those of a
   * program of the operator.
   */
  stored?(id: string): Promise<ReadResult | undefined>
  /** Returns the ids of the stored programs that may be called now. The head of the kind says that it has some (`hasStored`). */
  storedIds?(): Promise<readonly string[]>
  /** Returns a companion file as the text of a program needs it; what a person wrote in it stays. Writes nothing. */
  companion?(name: string, text: string, file: string, context: ReadContext): CompanionText | undefined
  /** Returns the names of the tools that a program calls by name, as it is written. Absent: they are only in its capabilities. */
  tools?(def: Def): readonly string[]
  /** The parts that the host has given to the kind, and those that its programs name. Absent: programs of the kind name no parts of a host. */
  readonly hostParts?: HostParts
  /** Returns the models that a program asks, as far as that is written in it; a name that is a template is left out. Absent: it asks none. */
  models?(def: Def, settings: NamingSettings): readonly AskedModel[]
  /** Checks and returns named inputs; `texts` are converted to the declared types. Throws for an invalid input. */
  inputs?(def: Def, input: JsonObject, texts: readonly string[]): JsonObject
  /** Returns further arguments that label inputs as text from outside. Absent: the kind keeps no labels on its board. */
  outside?(input: JsonObject): JsonObject
}
