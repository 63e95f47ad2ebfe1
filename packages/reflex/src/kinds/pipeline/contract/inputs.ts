import type { Json, JsonObject } from '../../../kernel/index.ts'
import { shortJson, quote } from '../../../text/index.ts'
import { pipelineFaults } from './faults.ts'
import { renderText } from '../language/render.ts'

const PREFIXES: readonly string[] = ['#', '__', 'graph.', 'internal.']
const NAMES: ReadonlySet<string> = new Set(['current_node', 'outcome', 'preferred_label', 'last_stage'])

/** Whether the engine sets a key of the context by itself (reference pipeline 5.6). */
export function isEngineKey(key: string): boolean {
  return NAMES.has(key) || PREFIXES.some((prefix) => key.startsWith(prefix))
}

/** How much of a budget is left, from the best to the worst. */
const BUDGET_STATUSES: readonly string[] = ['normal', 'low', 'over']

/**
 * The worse of what the engine finds and what an input states: a caller may hold a pipeline to less than the run's own
 * budget, never to more.
 */
export function worseBudget(found: Json, stated: Json | undefined): Json {
  const rank = (status: Json | undefined): number => BUDGET_STATUSES.indexOf(renderText(status))
  return stated !== undefined && rank(stated) > rank(found) ? stated : found
}

/** Why the engine would shadow an input; nothing for one that it leaves alone. */
export function inputProblem(key: string, value: Json | undefined): string | undefined {
  if (isEngineKey(key)) return `the engine keeps ${quote(key)} for itself`
  if (key !== 'budget_status' || BUDGET_STATUSES.includes(renderText(value))) return undefined
  return `the engine keeps "budget_status" for itself; an input may state ${BUDGET_STATUSES.join(', ')}, not ${quote(shortJson(value ?? null))}`
}

/** The inputs of a pipeline: whatever is given is in its context from the start. Throws `R2206` for one that the engine would shadow. */
export function checkInputs(input: JsonObject): JsonObject {
  for (const [key, value] of Object.entries(input)) {
    const why = inputProblem(key, value)
    if (why !== undefined) throw pipelineFaults.make('R2206', why, { path: key })
  }
  return input
}
