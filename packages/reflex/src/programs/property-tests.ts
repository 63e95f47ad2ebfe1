import type { Fault, Json, JsonObject } from '../kernel/index.ts'

/** A condition that every step of a program must meet. `text`: in the language of conditions (CEL). */
export interface StatedCondition {
  readonly name: string
  readonly text: string
  /** The file that states it. */
  readonly file?: string | undefined
}

/** Limits of a search. Equal limits give equal results. */
export interface SearchLimits {
  readonly seed: number
  /** The most events that are tried. */
  readonly events: number
}

/** A condition that a program broke. */
export interface BrokenCondition {
  readonly condition: StatedCondition
  /** The shortest events that were found, as a run takes them, one after another. The last one breaks it. */
  readonly events: readonly Json[]
  /** The reason, if the condition has no value there. */
  readonly why?: string | undefined
  /** The values of what the condition reads, by name. */
  readonly seen: readonly (readonly [name: string, value: Json])[]
}

/** The end of a search. */
export interface PropertyReport {
  readonly broken: readonly BrokenCondition[]
  /** The conditions that held. */
  readonly held: readonly StatedCondition[]
  /** The number of events that were tried before events were made shorter. */
  readonly events: number
  /** The number of different situations that were reached. */
  readonly situations: number
  /** Mistakes of the program that the search found besides, such as a function that is not pure. */
  readonly findings: readonly Fault[]
}

/** A program as a person names it for a command that runs nothing. */
export interface NamedProgram<Def = unknown> {
  readonly def: Def
  /** Its file, an absolute path; undefined for a program that no file has. */
  readonly file?: string | undefined
  /** The run options of its kind, with absolute paths. */
  readonly options: JsonObject
}

/** Searches events that break conditions of a program. Nothing leaves the process. */
export interface PropertyTester<Def = unknown> {
  /** Reads a file of conditions. Never throws. */
  read(text: string, file: string): { readonly conditions: readonly StatedCondition[]; readonly findings: readonly Fault[] }
  /** Searches, within the limits that a run of the program would have. Throws the first mistake of a condition, and of a file of its options. */
  test(program: NamedProgram<Def>, conditions: readonly StatedCondition[], limits: SearchLimits): PropertyReport
}
