import type { Fault } from '../../../kernel/journal/fault.ts'
import type { Parameters } from '../model/action-parameters.ts'

/** What is known of the surroundings of a pipeline; what is left out is not checked. */
export interface LintOptions {
  /** The text that the graph was parsed from: findings then have lines, columns and code frames. */
  readonly source?: { readonly text: string; readonly file?: string | undefined } | undefined
  /** What is dangerous is refused of an author who is not trusted; `trusted` unless said (reference pipeline 11.3). */
  readonly author?: 'trusted' | 'untrusted' | undefined
  /** The names of the actions that nodes can name; not checked where they are not told. */
  readonly actions?: Iterable<string> | undefined
  /** The parameters of an action that a host performs; those of Reflex are known. */
  readonly parameters?: ((action: string) => Parameters | undefined) | undefined
  /** The names of the tools that models can be offered. */
  readonly tools?: readonly string[] | undefined
  /** Returns the findings about the name of a model, before any request. */
  readonly models?: ((name: string) => readonly Fault[]) | undefined
  /** The names of the middleware that the graph and its nodes can ask for; not checked where they are not told. */
  readonly middleware?: Iterable<string> | undefined
  /** False leaves all rules out but those without which nothing can run. */
  readonly lint?: boolean | undefined
  /** Whether a file that a node names can be found from this pipeline. */
  readonly exists?: ((path: string) => boolean) | undefined
  /** Whether a program that a node calls is there, by `kind:id`. */
  readonly knows?: ((reference: string) => boolean) | undefined
}
