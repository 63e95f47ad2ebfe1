import type { FaultDetails } from '../../../kernel/journal/fault.ts'
import type { Source } from '../../../text/source.ts'
import type { Span } from '../dot/graph.ts'

/** A stretch of an attribute's text and what is wrong with it; offsets in UTF-16 units of the unescaped text. */
export interface Problem {
  /** The name of the rule that it breaks, as the seed or reference has it. */
  readonly rule: 'condition_syntax' | 'condition_operator' | 'stylesheet_syntax' | 'stylesheet_property'
  readonly message: string
  readonly from: number
  readonly to: number
  /** In few words, ready for the note behind a code frame's carets. */
  readonly fix?: string | undefined
  /** The word that was probably meant. */
  readonly guess?: string | undefined
}

/** Problems that are told of one attribute: more than anybody reads. */
export const MOST_PROBLEMS = 100

/** Characters that stand for one after a backslash; any other pair keeps both (reference pipeline 1.1 L6). */
const ESCAPES = new Set(['"', 'n', 't', '\\'])

/**
 * Where a character of an attribute's value stands in the text that it was written as: `raw` as it is in the source,
 * with its quotes if it has them. An offset beyond the value is that of the closing quote or the end.
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

/** The place of a stretch of an attribute's value, with `note` behind the carets; nothing if no source holds it. */
export function sourcePlace(source: Source | undefined, valueAt: Span | undefined, span: Span, note?: string): FaultDetails {
  if (source === undefined || valueAt === undefined) return {}
  const raw = source.text.slice(valueAt.from, valueAt.to)
  const from = valueAt.from + sourceOffset(raw, span.from)
  const to = valueAt.from + sourceOffset(raw, span.to)
  return source.details(from, Math.max(1, to - from), note)
}
