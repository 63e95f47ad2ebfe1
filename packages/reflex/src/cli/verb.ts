import type { Option } from 'commander'
import type { Console } from './console.ts'

/** Does what a verb says, and gives the exit code. */
export type Action = (console: Console, words: readonly string[], flags: Record<string, unknown>) => Promise<number>

/** A verb of the command. */
export interface Verb {
  readonly name: string
  /** Words after it, as commander writes them: `<program>`, `[question]`, `<file...>`. */
  readonly words: readonly (readonly [syntax: string, about: string])[]
  /** The words as help shows them, where they are not simply these. */
  readonly usage?: string
  readonly about: string
  readonly options: readonly Option[]
  readonly examples: readonly string[]
  readonly action: Action
}
