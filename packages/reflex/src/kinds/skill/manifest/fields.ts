import type { Json } from '../../../kernel/index.ts'
import type { ManifestRule } from './rules.ts'

/** The part of a version that a change of a field raises; `identity` fields name the version itself, `none` ones are not part of the contract. */
export type Change = 'major' | 'minor' | 'patch' | 'identity' | 'none'

/** The form of a value. Bounds are inclusive; lengths are in UTF-16 units. */
export type Form =
  | TextForm
  | { readonly kind: 'number'; readonly isWhole?: boolean; readonly least?: number; readonly above?: number; readonly most?: number }
  | { readonly kind: 'flag' }
  | { readonly kind: 'list'; readonly of: Form; readonly rule?: ManifestRule; readonly least?: number; readonly most: number }
  | { readonly kind: 'map'; readonly of: Form; readonly keys?: RegExp; readonly most: number }
  | { readonly kind: 'object'; readonly fields: Readonly<Record<string, Field>> }
  | { readonly kind: 'json'; readonly isObject?: boolean }
  | { readonly kind: 'either'; readonly what: string; readonly forms: readonly Form[] }

export interface TextForm {
  readonly kind: 'text'
  readonly least?: number
  readonly most: number
  readonly pattern?: RegExp
  /** The only words that it can be. */
  readonly words?: readonly string[]
  /** The pattern or the language in words, for messages and the page: `a template`. */
  readonly what?: string
  /** True for text that a model reads. */
  readonly isProse?: boolean
}

/** One row of the table: everything that Reflex knows about a field of a manifest. */
export interface Field {
  readonly form: Form
  readonly isRequired?: boolean
  readonly fallback?: Json
  /** The rule that a wrong value breaks. Default: `E_TYPE`, `E_RANGE` or `E_ENUM`. */
  readonly rule?: ManifestRule
  readonly change?: Change
  readonly about: string
}

export function text(most: number, options: Omit<TextForm, 'kind' | 'most'> = {}): TextForm {
  return { kind: 'text', most, ...options }
}

export function words(allowed: readonly string[]): TextForm {
  return { kind: 'text', most: 60, words: allowed }
}

export function number(least: number, most?: number): Form {
  return { kind: 'number', least, ...(most === undefined ? {} : { most }) }
}

export function whole(least: number, most: number): Form {
  return { kind: 'number', isWhole: true, least, most }
}

export function list(of: Form, most: number, rule?: ManifestRule): Form {
  return { kind: 'list', of, most, ...(rule === undefined ? {} : { rule }) }
}

export function object(fields: Readonly<Record<string, Field>>): Form {
  return { kind: 'object', fields }
}

export const FLAG: Form = { kind: 'flag' }
/** A template (reference skill 1.5). */
export const TEMPLATE = text(8_000, { what: 'a template' })
/** A CEL expression; its own limits are checked when it is compiled. */
export const EXPRESSION = text(8_000, { what: 'a CEL expression' })
