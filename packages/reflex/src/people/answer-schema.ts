import { runInNewContext } from 'node:vm'
import { z } from 'zod'
import { causeOf, type Json, type JsonObject } from '../kernel/index.ts'
import { misfits } from '../text/json-schema/check.ts'
import { faults } from './faults.ts'

/** Milliseconds for reading one schema, which may contain itself. */
const LIMIT = 500
/** What does not fit, as far as a message lists it. */
const SHOWN = 10

/** The answer as its schema has it, or the fault `R4201` that says why not; `R4202` for a schema that cannot be checked. */
export function fitAnswer(schema: JsonObject, answer: Json): Json {
  limited(() => validatorOf(schema).safeParse(null), schema)
  const found = misfits(schema, answer)
  if (found.length === 0) return answer
  const problems = found
    .slice(0, SHOWN)
    .map(({ path, message }) => (path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`))
  const more = found.length > SHOWN ? `; and ${found.length - SHOWN} more` : ''
  throw faults.make('R4201', `the answer does not fit: ${problems.join('; ')}${more}`, { data: { schema } })
}

/** Why a JSON Schema cannot be checked, or undefined. */
export function schemaProblem(schema: JsonObject): string | undefined {
  try {
    limited(() => validatorOf(schema).safeParse(null), schema)
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
function limited<Result>(work: () => Result, schema: JsonObject): Result {
  try {
    return runInNewContext('work()', { work }, { timeout: LIMIT }) as Result
  } catch (thrown) {
    const cause = causeOf(thrown)
    throw faults.make('R4202', `the schema of the answer cannot be checked: ${typeof cause === 'string' ? cause : cause.message}`, {
      data: { schema },
    })
  }
}
