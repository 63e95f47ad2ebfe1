import { type Validator, type ValidatorResult, copyJson, type JsonObject, thrownMessage } from '../../../../kernel/index.ts'
import { schemaIssues } from '../../../../text/json-schema/check.ts'
import { meaningFindings, schemaFindings } from '../../../../text/json-schema/schema-findings.ts'
import { isValidator } from './board-findings.ts'
import { jsonSchemaLoss } from './zod-loss.ts'
import type { BoardSchema } from '../../types/index.ts'

const validators = new WeakMap<object, Validator>()

/**
 * Returns the validators of a board's keys, or undefined if the board declares none (seed workflow 6.3). A schema only checks: a
 * valid value is written as given, even if its validator would change it.
 */
export function boardValidators(board: Readonly<Record<string, BoardSchema>> | undefined): Readonly<Record<string, Validator>> | undefined {
  const declared = Object.entries(board ?? {})
  if (declared.length === 0) return undefined
  return Object.fromEntries(declared.map(([key, schema]) => [key, validatorOf(schema)]))
}

function validatorOf(schema: BoardSchema): Validator {
  const known = validators.get(schema)
  if (known !== undefined) return known
  const validator = isValidator(schema) ? checkOnly(schema) : jsonValidator(schema)
  validators.set(schema, validator)
  return validator
}

function checkOnly(schema: Validator): Validator {
  const { vendor } = schema['~standard']
  const validate = (value: unknown): ValidatorResult | Promise<ValidatorResult> => {
    try {
      const result = schema['~standard'].validate(value)
      return result instanceof Promise || result.issues !== undefined ? result : { value }
    } catch (thrown) {
      return { issues: [{ message: `its validator failed: ${thrownMessage(thrown)}` }] }
    }
  }
  return { '~standard': { version: 1, vendor, validate } }
}

function jsonValidator(schema: JsonObject): Validator {
  const [finding] = schemaFindings({ schema })
  if (finding !== undefined) throw finding
  const json = copyJson(schema, 'schema')
  const validate = (value: unknown): ValidatorResult => {
    const issues = schemaIssues(json, copyJson(value, 'value'))
    return issues.length === 0 ? { value } : { issues }
  }
  return { '~standard': { version: 1, vendor: 'json-schema', validate } }
}

/** A schema as JSON Schema, or the reason why it has none. */
export type SchemaSource = { readonly schema: JsonObject } | { readonly reason: string }

const sources = new WeakMap<object, SchemaSource>()

/** Returns the JSON Schema that is equivalent to a schema: for a store, for a file, and to parse text. */
export function schemaSource(schema: BoardSchema): SchemaSource {
  const known = sources.get(schema)
  if (known !== undefined) return known
  const source = isValidator(schema) ? validatorSource(schema) : { schema }
  sources.set(schema, source)
  return source
}

/** The JSON Schema of a validator, if it has one (Standard JSON Schema). */
interface JsonSchemaSource {
  readonly jsonSchema?: { readonly input?: (options: { readonly target: string }) => unknown }
}

function validatorSource(validator: Validator): SchemaSource {
  const { vendor, jsonSchema } = validator['~standard'] as Validator['~standard'] & JsonSchemaSource
  if (typeof jsonSchema?.input !== 'function') return { reason: `${vendor} has no JSON Schema` }
  const loss = vendor === 'zod' ? jsonSchemaLoss(validator) : undefined
  if (loss !== undefined) return { reason: loss }
  try {
    const schema = copyJson(jsonSchema.input({ target: 'draft-2020-12' }), 'schema') as JsonObject
    // A schema that zod has written has the right shape.
    const [finding] = vendor === 'zod' ? meaningFindings(schema, ['board', 'schema']) : schemaFindings({ schema })
    return finding === undefined ? { schema } : { reason: finding.message }
  } catch (thrown) {
    return { reason: thrown instanceof Error ? thrown.message : 'it has no JSON Schema' }
  }
}
