import type { JsonObject } from '../kernel/json.ts'
import { quote } from '../text/harmless.ts'
import { pipelineFaults } from './engine/faults.ts'

const PREFIXES: readonly string[] = ['#', '__', 'graph.', 'internal.']
const NAMES: ReadonlySet<string> = new Set(['current_node', 'outcome', 'preferred_label', 'last_stage'])

/** Whether the engine sets a key of the context by itself (reference pipeline 5.6). */
export function isEngineKey(key: string): boolean {
  return NAMES.has(key) || PREFIXES.some((prefix) => key.startsWith(prefix))
}

/** The inputs of a pipeline: whatever is given is in its context from the start. Throws `R2206` for a name that the engine keeps. */
export function takeInputs(input: JsonObject): JsonObject {
  const kept = Object.keys(input).find(isEngineKey)
  if (kept !== undefined) throw pipelineFaults.make('R2206', `the engine keeps ${quote(kept)} for itself`, { path: kept })
  return input
}
