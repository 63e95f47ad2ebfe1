import { runInNewContext } from 'node:vm'
import { z } from 'zod'
import { causeOf, type Json, type JsonObject } from '../kernel/index.ts'
import { schemaIssues } from '../text/json-schema/check.ts'
import { faults } from './faults.ts'

/** The time limit in milliseconds for reading one schema. A schema can contain itself. */
const CHECK_TIMEOUT_MS = 500
/** The number of problems that a message lists. */
const MAX_PROBLEMS = 10

/**
 * Returns the answer if it matches its schema. Throws `R4201` with the reasons if it does not, and `R4202` if the schema cannot be checked.
 */
export function fitAnswer(schema: JsonObject, answer: Json): Json {
  withTimeout(() => validatorOf(schema).safeParse(null), schema)
  const found = schemaIssues(schema, answer)
  if (found.length === 0) return answer
  const problems = found.slice(0, MAX_PROBLEMS).map(({ path, message }) => ({ path, message }))
  const texts = problems.map(({ path, message }) => (path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`))
  const more = found.length > MAX_PROBLEMS ? `; and ${found.length - MAX_PROBLEMS} more` : ''
  throw faults.make('R4201', `the answer does not match its schema: ${texts.join('; ')}${more}`, { data: { schema, problems } })
}

/** Returns the reason why a JSON Schema cannot be checked; undefined if it can be checked. */
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

/** Runs a function and stops it after the time limit. V8 stops everything that runs inside, also regular expressions. Throws `R4202`. */
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
