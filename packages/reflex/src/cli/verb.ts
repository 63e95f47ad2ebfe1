import type { Option } from 'commander'
import type { Console } from './console.ts'

/** Performs a verb, and returns the exit code. */
export type Action = (console: Console, words: readonly string[], flags: Record<string, unknown>) => Promise<number>

/** A verb of the command. */
export interface Verb {
  readonly name: string
  /** The words after the verb, in the syntax of commander: `<program>`, `[question]`, `<file...>`. */
  readonly words: readonly (readonly [syntax: string, about: string])[]
  /** The words as help shows them, if they differ from `words`. */
  readonly usage?: string
  readonly about: string
  readonly options: readonly Option[]
  readonly examples: readonly string[]
  readonly action: Action
}
