import type { Json } from '../../kernel/index.ts'
import type { Skeleton } from './skeleton.ts'
import type { ValuePath } from './values.ts'

/** Where a value of an argument comes from: a slot, or the result of an earlier step. */
export type Source =
  | { readonly kind: 'slot'; readonly slot: number }
  /** `isParsed`: the result is a text of JSON, and the path leads into what it says. */
  | { readonly kind: 'result'; readonly step: number; readonly path: ValuePath; readonly isParsed: boolean }

/** A part of a text: constant, or from a source. */
export type Piece = { readonly kind: 'text'; readonly text: string } | Source

/** How the value of a leaf is made: one piece is the whole value with its type; several are joined to a text. */
export type LeafRule = readonly Piece[]

/** Where a slot gets its value before the skill begins. */
export type SlotOrigin = 'board' | 'user_text' | 'opaque' | 'secret'

/** An input of a mined skill. */
export interface SlotRule {
  readonly origin: SlotOrigin
  /** The path of the blackboard, if the origin is `board`. */
  readonly path?: string
  /** The leaf that names it, and its values in the rows that were looked at; undefined where a rule does not hold. */
  readonly leaf: number
  readonly values: readonly (Json | undefined)[]
}

/** The arguments of all steps with rules for what varies. */
export interface PatternTemplate {
  readonly steps: readonly Skeleton[]
  readonly places: readonly { readonly step: number; readonly path: ValuePath; readonly isWord: boolean }[]
  readonly rules: readonly LeafRule[]
  /** The leaves in the order in which their rules find the values of slots. */
  readonly order: readonly number[]
  readonly slots: readonly SlotRule[]
}
