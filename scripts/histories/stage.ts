import type { Reflex, ReflexOptions } from '../../packages/reflex/src/index.ts'
import type { VirtualHost } from '../../packages/reflex/src/testing/index.ts'
import type { Continuation } from '../../packages/reflex/test/histories/history.ts'

/** Where a history is lived: a folder, a clock, and processes over one store. */
export interface Stage {
  readonly folder: string
  readonly host: VirtualHost
  live(options?: ReflexOptions): Reflex
}

/** A life that is kept. */
export interface History {
  readonly about: string
  /** Gives the name of the run. */
  readonly live: (stage: Stage) => Promise<string>
  /** For one that is left in the middle. */
  readonly then?: Continuation
}
