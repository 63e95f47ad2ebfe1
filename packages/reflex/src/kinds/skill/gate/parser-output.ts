import { isList, isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import { readJson } from '../../../text/index.ts'
import { readSlotValue } from '../manifest/slot-values.ts'
import type { Slot } from '../model/slot.ts'

/** The reply of a parser in UTF-16 units. */
const LONGEST = 8192

/** The value of a slot that a parser has found, or why there is none. */
export type ParsedSlot = { readonly value: Json } | { readonly problem: string }

/**
 * Reads the reply of a parser: a value or a problem for each declared output (reference skill 1.11). The reply must be one strict JSON object
 * with exactly these outputs. A value counts if it is valid for its slot, and grounded: it occurs verbatim in the text that the model has
 * read, apart from case and Unicode compatibility. What the model adds to the text is a guess, and a guess is never used. True and false
 * cannot be grounded in words.
 */
export function acceptOutput(output: string, slots: readonly Slot[], text: string): ReadonlyMap<string, ParsedSlot> {
  const reply = strictObject(output)
  const names = slots.map(({ name }) => name)
  const all = (problem: string): ReadonlyMap<string, ParsedSlot> => new Map(names.map((name) => [name, { problem }]))
  if (reply === undefined) return all('the parser did not reply with one JSON object')
  if (Object.keys(reply).length !== names.length || !names.every((name) => Object.hasOwn(reply, name)))
    return all(`the parser must reply with exactly ${names.join(', ')}`)
  const folded = fold(text)
  return new Map(slots.map((slot) => [slot.name, acceptValue(slot, reply[slot.name] ?? null, folded)]))
}

function acceptValue(slot: Slot, given: Json, text: string): ParsedSlot {
  if (given === null) return { problem: 'the parser did not find it' }
  const verdict = readSlotValue(slot, given)
  if ('problem' in verdict) return { problem: 'the parser found no valid value' }
  return isGrounded(given, text) ? verdict : { problem: 'the parser found a value that is not in the text' }
}

/** Returns a JSON object from strict JSON text, in which no key comes twice; undefined for anything else. */
function strictObject(text: string): JsonObject | undefined {
  if (text.length > LONGEST) return undefined
  try {
    const value = JSON.parse(text) as Json
    // A repeated key is fine for JSON.parse, which keeps the last one.
    return isObject(value) && readJson(text).findings.every(({ code }) => code !== 'R1002') ? value : undefined
  } catch {
    return undefined
  }
}

function isGrounded(value: Json, text: string): boolean {
  if (typeof value === 'boolean') return true
  if (value === null) return false
  if (isList(value)) return value.every((item) => isGrounded(item, text))
  if (typeof value === 'object') return Object.values(value).every((item) => isGrounded(item, text))
  const part = fold(String(value))
  return part !== '' && text.includes(part)
}

/** Returns a text for a comparison that ignores case and Unicode compatibility; `ß` and `SS` are equal. */
function fold(text: string): string {
  return text.normalize('NFKC').toUpperCase().toLowerCase()
}
