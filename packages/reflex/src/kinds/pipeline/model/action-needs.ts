import type { Origin } from './operation-ports.ts'
import type { Parameters } from './action-parameters.ts'

/** The facts about an action that are known without performing it. */
export interface ActionFacts {
  readonly parameters: Parameters
  /** Context values that it reads in addition to its parameters, if the node does not pass them. */
  readonly reads?: readonly string[]
  /** Returns the capabilities that it needs in addition to `arbor://action/<name>`, as far as the written parameters show. */
  readonly needs?: (written: (parameter: string) => string | undefined) => readonly string[]
  /** The origin of the result. Default: `derived`. */
  readonly origin?: Origin
  /** The operation whose context keys it also writes. */
  readonly writesAs?: string
}
