import type { JsonObject } from '../kernel/index.ts'

/** An attribute of a part of programs, for help. */
export interface PartAttribute {
  readonly name: string
  readonly aliases: readonly string[]
  readonly takes: string
  /** The value where it is left out; empty where there is none. */
  readonly usual: string
  readonly does: string
  readonly isRequired: boolean
}

/** A part of which programs are built, such as an operation, as `reflex explain` shows it. */
export interface PartHelp {
  readonly name: string
  readonly does: string
  /** Facts for the right margin. */
  readonly facts: readonly string[]
  /** The ways in which a program writes it. */
  readonly written: readonly string[]
  readonly attributes: readonly PartAttribute[]
  /** The same for `--json`. */
  readonly document: JsonObject
}

/** The parts of which the programs of a kind are built. */
export interface Parts {
  /** All names, for guesses. */
  names(): readonly string[]
  /** Returns the help of a part; undefined for an unknown name. */
  find(name: string): PartHelp | undefined
}
