import type { Frame } from './frame.ts'
import type { Json } from '../journal/json.ts'
import type { Rec } from '../journal/record.ts'
import type { State } from './state.ts'

/** A record with its context, right after it was applied. */
export interface Change<Def = unknown> {
  /** The number of the record. */
  readonly n: number
  readonly at: number
  readonly record: Rec
  readonly state: State
  readonly frame: Frame
  readonly def: Def
  /** The position before the record. */
  readonly before: Json | undefined
}
