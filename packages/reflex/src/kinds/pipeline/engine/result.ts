import { canonicalJson, isObject, type Json } from '../../../kernel/journal/json.ts'
import { parseIfJson } from '../../../text/index.ts'
import type { TypedGraph } from '../model/typed.ts'

/** Keys in which handlers keep how they worked; what they made stands under the keys that nodes name. */
const ENGINE_OUTPUTS =
  /^(last_prompt$|context\.|last_stage$|llm\.|internal\.|human\.gate\.|parallel\.|map\.|fan_in\.|tool\.|session\.|budget_status$|workdir$)/

/**
 * What a pipeline came to: the values of its context that its nodes were told to write, and the last response; neither what it
 * was given unchanged, nor how the handlers worked; a response that is JSON as the value that it holds. `--json` has all of it.
 */
export function resultOf(typed: TypedGraph, value: Json, args: Json | undefined): { readonly value: Json; readonly how?: string } {
  if (!isObject(value) || !isObject(value['context'])) return { value }
  const given = isObject(args) ? args : {}
  const own = Object.entries(value['context']).filter(
    ([key, found]) => !ENGINE_OUTPUTS.test(key) && !isOfNode(typed, key) && !isSame(given[key], found),
  )
  const how = value['status'] === 'partial_success' ? { how: 'partial success: some stages did not succeed' } : {}
  return { value: Object.fromEntries(own.map(([key, found]) => [key, parseIfJson(found) as Json])), ...how }
}

/** `shell.build.output`: a key that a handler names after its node. */
function isOfNode({ nodes }: TypedGraph, key: string): boolean {
  const [, node] = key.split('.')
  return node !== undefined && nodes.has(node)
}

function isSame(given: Json | undefined, found: Json): boolean {
  return given !== undefined && canonicalJson(given) === canonicalJson(found)
}
