import type { Domain } from './domain.ts'

/** A number of a pass as the proofs see it. Equal terms have equal indexes. */
export interface SymbolicNumber {
  readonly term: number
  readonly domain: Domain
  /** Its value, if it is the same in every pass. */
  readonly constant?: number
  /** The choice that it is. */
  readonly choice?: { readonly condition: number; readonly yes: SymbolicNumber; readonly no: SymbolicNumber; readonly depth: number }
  /** The keys with numbers of the graph's own memory that it depends on. */
  readonly memory: ReadonlySet<string>
}

/** A series of a pass. `elements`: the range of its values; absent for a series that is always empty. */
export interface SymbolicSeries {
  readonly elements?: Domain
  /** The most values that it has, where a window states it. */
  readonly most?: number
  readonly memory: ReadonlySet<string>
}

/** A value of a pass: a number, the formula of a Bool or an event, or another value of which only the equality is known. */
export type SymbolicValue =
  | { readonly type: 'Number'; readonly number: SymbolicNumber }
  | { readonly type: 'Bool'; readonly formula: number }
  | { readonly type: 'other'; readonly term: number; readonly series?: SymbolicSeries }
