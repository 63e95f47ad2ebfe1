import { type Validator, type Fault, isObject } from '../../../../kernel/index.ts'
import { type Locator, type Path, quote } from '../../../../text/index.ts'
import { schemaFindings } from '../../../../text/json-schema/schema-findings.ts'
import { faults } from '../faults.ts'

/** True if a schema is a validator, not a JSON Schema. */
export function isValidator(schema: unknown): schema is Validator {
  return (typeof schema === 'object' || typeof schema === 'function') && schema !== null && '~standard' in schema
}

/**
 * Returns the findings about a board of unknown shape: those of `schemaFindings`, and `R1058` for a value that is not a schema.
 * Validators are not checked.
 */
export function boardFindings(board: unknown, locate: Locator): Fault[] {
  if (board === undefined) return []
  if (!isObject(board)) return [shapeFault(['board'], '"board" must be an object of schemas', locate)]
  return Object.entries(board).flatMap(([key, schema]: [string, unknown]) => {
    if (isValidator(schema)) return []
    if (isObject(schema)) return schemaFindings({ [key]: schema }, locate)
    return [shapeFault(['board', key], `the value of ${quote(key)} in "board" is not a schema`, locate)]
  })
}

function shapeFault(path: Path, message: string, locate: Locator): Fault {
  const fix = 'write a JSON Schema, such as {"type": "string"}, or a validator'
  return faults.make('R1058', message, { rule: 'SCHEMA_VIOLATION', ...locate(path), fix })
}
