import type { Fault } from '../../../kernel/index.ts'
import type { Parameters } from '../model/action-parameters.ts'

/** The known surroundings of a pipeline. A rule whose option is absent is skipped. */
export interface LintOptions {
  /** The text that the graph was parsed from. It gives findings lines, columns and code frames. */
  readonly source?: { readonly text: string; readonly file?: string | undefined } | undefined
  /** The trust in the author. Dangerous attributes of an untrusted author are errors. Default: `trusted` (reference pipeline 11.3). */
  readonly author?: 'trusted' | 'untrusted' | undefined
  /** The names of the actions that nodes can use. Not checked if absent. */
  readonly actions?: Iterable<string> | undefined
  /** Returns the parameters of an action of the host. Those of built-in actions are known. */
  readonly parameters?: ((action: string) => Parameters | undefined) | undefined
  /** The names of the tools that models can get. */
  readonly tools?: readonly string[] | undefined
  /** Returns the findings about the name of a model, without a request. */
  readonly models?: ((name: string) => readonly Fault[]) | undefined
  /** The names of the middleware that the graph and its nodes can request. Not checked if absent. */
  readonly middleware?: Iterable<string> | undefined
  /** False skips all rules except those that a run needs. */
  readonly lint?: boolean | undefined
  /** True if a file that a node names can be found from this pipeline. */
  readonly exists?: ((path: string) => boolean) | undefined
  /** True if the program that a node calls exists, by `kind:id`. */
  readonly knows?: ((reference: string) => boolean) | undefined
}
