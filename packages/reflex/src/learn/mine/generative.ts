import { isLong } from '../shapes/marks.ts'
import type { FilledRow } from './pattern.ts'
import type { PatternTemplate } from './template.ts'
import { scalarText, valueKey } from './values.ts'
import type { Json } from '../../kernel/index.ts'

/** A longer value is prose or the content of a file. */
const LONGEST = 200
/** The share of different values from which on a slot is new in every occurrence. */
const UNIQUE = 0.8
/** The share of occurrences that must have a word in common with the text of the user. */
const OVERLAP = 0.2
const WORD = /[\p{L}\p{N}]{3,}/gu

/**
 * Returns the first slot whose values a model writes: nothing explains them, and they are longer than 200 characters, or new in more than 80 % of
 * the occurrences without a word of the user's text (reference skill 1.21). A skill cannot fill such a slot.
 */
export function generativeSlot({ slots }: PatternTemplate, rows: readonly FilledRow[]): number | undefined {
  const found = slots.findIndex(({ origin }, slot) => origin === 'opaque' && isGenerative(rows, slot))
  return found < 0 ? undefined : found
}

function isGenerative(rows: readonly FilledRow[], slot: number): boolean {
  const values = rows.map(({ slots }) => slots[slot] ?? null)
  if (values.some((value) => isLong(value) || (scalarText(value) ?? valueKey(value)).length > LONGEST)) return true
  if (new Set(values.map(valueKey)).size <= UNIQUE * rows.length) return false
  return rows.filter(({ row, slots }) => hasWordOf(row.userText, slots[slot] ?? null)).length < OVERLAP * rows.length
}

function hasWordOf(userText: string, value: Json): boolean {
  const known = userText.toLowerCase()
  return ((scalarText(value) ?? valueKey(value)).toLowerCase().match(WORD) ?? []).some((word) => known.includes(word))
}
