import { copyJson, isFault, type Json, type JsonObject, thrownMessage } from '../kernel/index.ts'
import { faults } from './faults.ts'
import { misfitText } from './issue-text.ts'
import { isTooDeep } from './limits.ts'
import { type FindMisfits, schemaMisfits } from './misfits.ts'

/** A value that was read and checked, or a problem in words for the model that wrote it. */
export type CheckedValue = { readonly value: Json; readonly problem?: undefined } | { readonly problem: string }

/** Checks values against a JSON Schema. */
export type SchemaCheck = (value: unknown) => CheckedValue

/** The use of a schema: its owner and the name of a value, for messages, and the check. */
interface SchemaUse {
  readonly schemaOwner: string
  readonly subject?: string | undefined
  readonly check?: FindMisfits | undefined
}

const TOO_DEEP = 'the value is nested too deeply'

/** Creates the check for a JSON Schema. Throws `R4016` for a schema that cannot be used. */
export function schemaCheck(schema: JsonObject, { schemaOwner, subject = 'the answer', check = schemaMisfits }: SchemaUse): SchemaCheck {
  try {
    check(schema, null)
  } catch (thrown) {
    throw faults.make('R4016', `the schema of ${schemaOwner} cannot be used: ${thrownMessage(thrown)}`, {
      fix: 'write it with types, properties, enums and limits',
    })
  }
  return (value) => {
    if (value === undefined) return { problem: `${subject} is missing` }
    try {
      const json = copyJson(value, schemaOwner)
      const found = check(schema, json)
      return found.length === 0 ? { value: json } : { problem: misfitText(found, subject) }
    } catch (thrown) {
      if (thrown instanceof RangeError) return { problem: TOO_DEEP }
      return { problem: isFault(thrown) ? thrown.message : `${subject} cannot be checked: ${String(thrown)}` }
    }
  }
}

/**
 * Returns the JSON value in a text: alone, in a fenced block, or with words around it. A model that was asked for JSON
 * often adds words.
 */
export function jsonIn(text: string): CheckedValue {
  const whole = text.trim()
  const fenced = [...whole.matchAll(/^```[\w-]*[ \t]*\n([\s\S]*?)\n?^```/gm)].map(([, body = '']) => body)
  const from = whole.search(/[{[]/)
  const to = Math.max(whole.lastIndexOf('}'), whole.lastIndexOf(']'))
  for (const candidate of [whole, fenced.length === 1 ? (fenced[0] ?? '') : '', from < 0 ? '' : whole.slice(from, to + 1)]) {
    if (candidate === '') continue
    try {
      const value: unknown = JSON.parse(candidate)
      return isTooDeep(value) ? { problem: TOO_DEEP } : { value: copyJson(value, 'answer') }
    } catch (thrown) {
      if (isFault(thrown)) return { problem: thrown.message }
    }
  }
  return { problem: whole === '' ? 'the answer is empty' : 'the answer is not one JSON value' }
}
