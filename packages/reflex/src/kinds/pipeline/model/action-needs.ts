import type { Origin } from './operation-ports.ts'
import type { Parameters } from './action-parameters.ts'

/** What can be said of an action without performing it. */
export interface ActionFacts {
  readonly parameters: Parameters
  /** Context values that it reads beside its parameters, where they are not handed over. */
  readonly reads?: readonly string[]
  /** What it needs beside `arbor://action/<name>`, as far as what the author wrote tells. */
  readonly needs?: (written: (parameter: string) => string | undefined) => readonly string[]
  /** What comes back: `derived` unless said. */
  readonly origin?: Origin
  /** The operation whose context keys it writes too. */
  readonly writesAs?: string
}
