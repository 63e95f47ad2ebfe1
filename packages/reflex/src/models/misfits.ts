import { createContext, Script } from 'node:vm'
import { z } from 'zod'
import type { Json, JsonObject } from '../kernel/index.ts'
import { issueMisfits, type Misfit } from './issue-words.ts'

/**
 * What a JSON Schema objects to in a value; nothing if it fits. Comes to an end whatever stands in both, for models write
 * the one and strangers the other. Throws for a schema that it cannot check, whatever the value.
 */
export type FindMisfits = (schema: JsonObject, value: Json) => readonly Misfit[]

/** Milliseconds for one check: a pattern of JavaScript may take for ever, and no other limit can stop it. */
const LIMIT = 500

/** Where work is done that can be stopped. One for all, since making one takes longer than most checks; nothing stays in it. */
const bench: { work?: (() => readonly Misfit[]) | undefined } = {}
const room = createContext(bench)
const WORK = new Script('work()')

/** The check where none is given: zod's, stopped when it takes too long. */
export const zodMisfits: FindMisfits = (schema, value) => {
  bench.work = () => {
    const read = z.fromJSONSchema(structuredClone(schema) as Parameters<typeof z.fromJSONSchema>[0]).safeParse(value)
    return read.success ? [] : issueMisfits(read.error.issues, value)
  }
  try {
    // V8 ends whatever runs inside, regular expressions too.
    return WORK.runInContext(room, { timeout: LIMIT }) as readonly Misfit[]
  } catch (thrown) {
    if (!isTimeout(thrown)) throw thrown
    return [{ message: 'takes too long to check against the schema', path: [] }]
  } finally {
    bench.work = undefined
  }
}

function isTimeout(thrown: unknown): boolean {
  return typeof thrown === 'object' && thrown !== null && 'code' in thrown && thrown.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
}
