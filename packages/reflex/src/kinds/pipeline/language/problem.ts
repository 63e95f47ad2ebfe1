import type { FaultDetails } from '../../../kernel/index.ts'
import type { Source } from '../../../text/index.ts'
import type { Span } from '../dot/graph.ts'

/** A problem in an attribute's text. Offsets are UTF-16 units of the unescaped text. */
export interface Problem {
  /** The name of the violated rule, as in the seed or reference. */
  readonly rule: 'condition_syntax' | 'condition_operator' | 'stylesheet_syntax' | 'stylesheet_property'
  readonly message: string
  readonly from: number
  readonly to: number
  /** A short fix for the note of a code frame. */
  readonly fix?: string | undefined
  /** The word that was probably meant. */
  readonly guess?: string | undefined
}

/** The largest number of reported problems of one attribute. */
export const MOST_PROBLEMS = 100

/** Characters that form an escape with a backslash before them. Any other pair stays two characters (reference pipeline 1.1 L6). */
const ESCAPES = new Set(['"', 'n', 't', '\\'])

/**
 * Converts an offset in an attribute's value to an offset in its source text. `raw` is the source text with its quotes, if it
 * has them. An offset after the value becomes that of the closing quote or the end.
 */
export function sourceOffset(raw: string, unescapedOffset: number): number {
  if (!raw.startsWith('"')) return Math.min(unescapedOffset, raw.length)
  const end = raw.length > 1 && raw.endsWith('"') ? raw.length - 1 : raw.length
  let at = 1
  for (let seen = 0; seen < unescapedOffset && at < end; seen++) {
    at += raw[at] === '\\' && ESCAPES.has(raw[at + 1] ?? '') ? 2 : 1
  }
  return Math.min(at, end)
}

/** Returns the place of a span of an attribute's value, with `note` in the code frame. Empty if there is no source. */
export function sourcePlace(source: Source | undefined, valueAt: Span | undefined, span: Span, note?: string): FaultDetails {
  if (source === undefined || valueAt === undefined) return {}
  const raw = source.text.slice(valueAt.from, valueAt.to)
  const from = valueAt.from + sourceOffset(raw, span.from)
  const to = valueAt.from + sourceOffset(raw, span.to)
  return source.details(from, Math.max(1, to - from), note)
}
