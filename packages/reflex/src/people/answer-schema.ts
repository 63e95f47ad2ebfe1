import { runInNewContext } from 'node:vm'
import { z } from 'zod'
import { causeOf, type Json, type JsonObject } from '../kernel/index.ts'
import { schemaIssues } from '../text/json-schema/check.ts'
import { faults } from './faults.ts'

/** Milliseconds for reading one schema, which may contain itself. */
const CHECK_TIMEOUT_MS = 500
/** What does not fit, as far as a message lists it. */
const MAX_PROBLEMS = 10

/** The answer as its schema has it, or the fault `R4201` that says why not; `R4202` for a schema that cannot be checked. */
export function fitAnswer(schema: JsonObject, answer: Json): Json {
  withTimeout(() => validatorOf(schema).safeParse(null), schema)
  const found = schemaIssues(schema, answer)
  if (found.length === 0) return answer
  const problems = found
    .slice(0, MAX_PROBLEMS)
    .map(({ path, message }) => (path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`))
  const more = found.length > MAX_PROBLEMS ? `; and ${found.length - MAX_PROBLEMS} more` : ''
  throw faults.make('R4201', `the answer does not fit: ${problems.join('; ')}${more}`, { data: { schema } })
}

/** Why a JSON Schema cannot be checked, or undefined. */
export function schemaProblem(schema: JsonObject): string | undefined {
  try {
    withTimeout(() => validatorOf(schema).safeParse(null), schema)
    return undefined
  } catch (thrown) {
    const cause = causeOf(thrown)
    return typeof cause === 'string' ? cause : cause.message
  }
}

function validatorOf(schema: JsonObject): z.ZodType {
  return z.fromJSONSchema(schema)
}

/** Does something, and stops it when it takes too long: V8 ends whatever runs inside, expressions too. */
function withTimeout<Result>(work: () => Result, schema: JsonObject): Result {
  try {
    return runInNewContext('work()', { work }, { timeout: CHECK_TIMEOUT_MS }) as Result
  } catch (thrown) {
    const cause = causeOf(thrown)
    throw faults.make('R4202', `the schema of the answer cannot be checked: ${typeof cause === 'string' ? cause : cause.message}`, {
      data: { schema },
    })
  }
}
