import type { Fault, FaultDetails, Json, JsonObject, Program } from '../kernel/index.ts'
import type { FormattedText } from '../text/index.ts'
import type { ProgramPlaces } from './file-above.ts'

/** The part of a program that is looked for: an edge, else a node, else the program itself. */
export interface LocateTarget {
  readonly edge?: string | undefined
  readonly node?: string | undefined
}

/** A JSON Schema of files that a kind reads. */
export interface PublishedSchema {
  readonly name: string
  readonly about: string
  /** The files that have this shape. */
  readonly files: string
  schema(): Promise<object>
}

/** The files and texts that are programs of a kind. */
export interface LanguageNames {
  /** Endings of the names of files, the usual one first. No other kind has one of them. */
  readonly endings: readonly string[]
  readonly schemas?: readonly PublishedSchema[]
  /** True if a text is a program of this kind, by its beginning: for texts without a file name. */
  owns(text: string): boolean
}

/** The written form of the programs of a kind. It needs no host. */
export interface Language extends LanguageNames {
  /** A text in the one form of the language, with its comments, or its errors. Never throws. */
  format(text: string, file?: string): FormattedText
  /** The place of a node or an edge in the text of a program, with a note beside it. Never throws. */
  locate?(text: string, file: string | undefined, target: LocateTarget, note?: string): FaultDetails
}

/** A program as its file gives it, before it is registered. */
export interface ReadProgram {
  readonly id: string
  /** The version that it states, for references of the form `kind:id@version`. */
  readonly version?: string | undefined
  readonly source: Json
  readonly def: unknown
  /** Why it cannot be stored as data, if it cannot. */
  readonly local?: string | undefined
  /** The programs that it calls as objects, and not by name. */
  readonly callees?: readonly ReadProgram[]
}

/** The program that was read, and all findings. */
export interface ReadResult {
  readonly program?: ReadProgram
  readonly findings: readonly Fault[]
}

/** The surroundings that reading a program needs. */
export interface ReadContext {
  /** Finds the programs that it calls, by reference; without it calls are not checked. */
  readonly lookup?: (reference: string) => Program | undefined
  /** The names of the programs of a kind that it might call, for guesses; asked when one is not there. */
  readonly names?: (kind: string) => Iterable<string>
  /** The folders of the files that it names by a path; the folder of its own file unless set. */
  readonly places?: ProgramPlaces
  /** The depth of the checks of a program: all of them, all but those of its calls, or only those that refuse it. Default: all. */
  readonly depth?: 'all' | 'alone' | 'errors'
  /** False leaves out lint rules, except those without which nothing can run. */
  readonly lint?: boolean
}

/** Reads programs of one kind, with what the host adds to it. */
export interface Reader<Def = unknown> {
  /** Reads the text of a file. Never throws for a wrong text. */
  read(text: string, file: string, context: ReadContext): ReadResult | Promise<ReadResult>
  /** Reads the export of a module or a value; undefined if it is not a program of this kind. `context` absent: nothing is proved. */
  accept?(value: unknown, file?: string, context?: ReadContext): ReadResult | undefined
  /** Named inputs as a program takes them; those of `texts` are read as what it declares. Throws for one that it does not take. */
  inputs?(def: Def, input: JsonObject, texts: readonly string[]): JsonObject
}
