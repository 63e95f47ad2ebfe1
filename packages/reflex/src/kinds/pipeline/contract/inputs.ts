import type { Json, JsonObject } from '../../../kernel/index.ts'
import { shortJson, quote } from '../../../text/index.ts'
import { pipelineFaults } from './faults.ts'
import { renderText } from '../language/render.ts'

const PREFIXES: readonly string[] = ['#', '__', 'graph.', 'internal.']
const NAMES: ReadonlySet<string> = new Set(['current_node', 'outcome', 'preferred_label', 'last_stage'])

/** True if the engine sets this key of the context (reference pipeline 5.6). */
export function isEngineKey(key: string): boolean {
  return NAMES.has(key) || PREFIXES.some((prefix) => key.startsWith(prefix))
}

/** The values of the budget status, from best to worst. */
const BUDGET_STATUSES: readonly string[] = ['normal', 'low', 'over']

/**
 * Returns the worse of the engine's budget status and the stated one: a caller can give a pipeline less than the run's budget,
 * never more.
 */
export function worseBudget(found: Json, stated: Json | undefined): Json {
  const rank = (status: Json | undefined): number => BUDGET_STATUSES.indexOf(renderText(status))
  return stated !== undefined && rank(stated) > rank(found) ? stated : found
}

/** Returns the reason why the engine would overwrite an input; undefined for a valid input. */
export function inputProblem(key: string, value: Json | undefined): string | undefined {
  if (isEngineKey(key)) return `the engine keeps ${quote(key)} for itself`
  if (key !== 'budget_status' || BUDGET_STATUSES.includes(renderText(value))) return undefined
  return `the engine keeps "budget_status" for itself; an input may state ${BUDGET_STATUSES.join(', ')}, not ${quote(shortJson(value ?? null))}`
}

/** Checks the inputs of a pipeline, which form its initial context. Throws `R2206` for an input that the engine would overwrite. */
export function checkInputs(input: JsonObject): JsonObject {
  for (const [key, value] of Object.entries(input)) {
    const why = inputProblem(key, value)
    if (why !== undefined) throw pipelineFaults.make('R2206', why, { path: key })
  }
  return input
}
