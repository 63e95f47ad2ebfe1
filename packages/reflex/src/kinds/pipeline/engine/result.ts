import { canonicalJson, isObject, type Json } from '../../../kernel/index.ts'
import { parseIfJson } from '../../../text/index.ts'
import type { TypedGraph } from '../model/typed.ts'

/** The keys in which handlers describe their work; their results are under the keys that nodes name. */
const ENGINE_OUTPUTS =
  /^(last_prompt$|context\.|last_stage$|llm\.|internal\.|human\.gate\.|parallel\.|map\.|fan_in\.|tool\.|session\.|budget_status$|workdir$)/

/**
 * Returns the result of a pipeline: the values that its nodes write by name, and the last response, without unchanged
 * inputs and the keys of handlers. A response that is JSON is parsed. `--json` has the whole context.
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

/** True for a key that a handler names after its node, such as `shell.build.output`. */
function isOfNode({ nodes }: TypedGraph, key: string): boolean {
  const [, node] = key.split('.')
  return node !== undefined && nodes.has(node)
}

function isSame(given: Json | undefined, found: Json): boolean {
  return given !== undefined && canonicalJson(given) === canonicalJson(found)
}
