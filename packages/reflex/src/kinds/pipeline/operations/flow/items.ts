import { isList, isObject, type Json, type JsonObject } from '../../../../kernel/journal/json.ts'
import { quote } from '../../../../text/harmless.ts'
import { integerOf, textOf } from '../../dot/graph.ts'
import { fork } from '../../contract/asks.ts'
import type { BranchEnd, BranchSpec, Handler, Scene, Steps } from '../../contract/handler.ts'
import { failure, isGood, type Outcome, refusal, success } from '../../contract/outcome.ts'
import { isEngineKey } from '../../contract/inputs.ts'
import { jsonIn } from '../../language/json-in.ts'

const AT_ONCE = 4

/** Runs a handler for each item of a collection (reference pipeline 4.9). */
export const map: Handler = (scene) => eachItem(scene, 'map')

/** What a node says of how its items are handled; both spellings of the reference. */
interface Plan {
  readonly items: readonly Json[]
  readonly type: string
  readonly attributes: JsonObject
  readonly itemKey: string
  readonly indexKey: string
  readonly resultKey: string
  readonly collectKey: string
  readonly atOnce: number
  readonly onError: string
}

/**
 * One execution of a node's item handler for each item, each with a context of its own and the whole chain around the real
 * type. `map` keeps to the node's own keys; `parallel` says what a block of branches says as well.
 */
export function eachItem(scene: Scene, of: 'map' | 'parallel'): Outcome | Steps {
  const plan = planOf(scene, of)
  return 'status' in plan ? plan : eachOf(scene, plan, of)
}

function* eachOf(scene: Scene, plan: Plan, of: 'map' | 'parallel'): Steps {
  const { node } = scene
  const specs = plan.items.map(
    (item, i): BranchSpec => ({
      id: `${node.id}[${i}]`,
      item: { type: plan.type, attributes: plan.attributes, id: `${node.id}[${i}]` },
      values: { [plan.itemKey]: item, [plan.indexKey]: i },
    }),
  )
  const ended = yield* fork({ fork: specs, atOnce: plan.atOnce, ...(plan.onError === 'fail' ? { failFast: true } : {}) })
  return collected(scene, plan, ended, of)
}

function collected({ node }: Scene, plan: Plan, ended: readonly BranchEnd[], of: 'map' | 'parallel'): Outcome {
  const good = ended.filter(({ status }) => isGood(status))
  const bad = ended.flatMap(({ status, failure_reason, id }, i) =>
    isGood(status) ? [] : [{ index: i, id, reason: failure_reason ?? status }],
  )
  const values = ended.flatMap(({ status, context_updates }, i): Json[] => {
    if (!isGood(status)) return plan.onError === 'collect_nil' ? [null] : []
    return [context_updates[plan.resultKey] ?? plan.items[i] ?? null]
  })
  const updates: JsonObject = {
    [plan.collectKey]: values,
    [`map.${node.id}.count`]: ended.length,
    [`map.${node.id}.success_count`]: good.length,
    [`map.${node.id}.error_count`]: bad.length,
    [`map.${node.id}.errors`]: bad,
    ...(of === 'map'
      ? {}
      : { 'parallel.success_count': good.length, 'parallel.fail_count': bad.length, 'parallel.total_count': ended.length }),
  }
  const [first] = bad
  if (first !== undefined && (plan.onError === 'fail' || good.length === 0))
    return failure(`${node.id}: ${bad.length} of ${ended.length} items failed: ${first.reason}`, {
      context_updates: updates,
      retryable: false,
    })
  return first !== undefined && of === 'parallel' ? { status: 'partial_success', context_updates: updates } : success(updates)
}

function planOf(scene: Scene, of: 'map' | 'parallel'): Plan | Outcome {
  const { attributes, node } = scene
  const items = itemsOf(scene)
  if (!isList(items)) return refusal(`${node.id}: ${items}`)
  const type = textOf(attributes, 'item_type') ?? textOf(attributes, 'handler_type') ?? textOf(attributes, 'item_handler')
  if (type === undefined) return refusal(`${node.id}: no handler for the items: write item_type`)
  const itemKey = textOf(attributes, 'item_key') ?? 'map.current_item'
  const indexKey = textOf(attributes, 'index_key') ?? 'map.current_index'
  const kept = [itemKey, indexKey].find(isEngineKey)
  if (kept !== undefined) return refusal(`${node.id}: the engine keeps ${quote(kept)} for itself: give the items another key`)
  const own = handlerAttributes(scene)
  if (own === undefined) return refusal(`${node.id}: handler_attrs is no JSON object`)
  return {
    items,
    type,
    attributes: own,
    itemKey,
    indexKey,
    resultKey: textOf(attributes, 'result_key') ?? 'last_response',
    collectKey: textOf(attributes, 'collect_key') ?? (of === 'map' ? 'map.results' : 'parallel.results'),
    atOnce: Math.max(1, integerOf(attributes, 'max_concurrency') ?? AT_ONCE),
    onError: textOf(attributes, 'on_item_error') ?? 'skip',
  }
}

/** The collection, or why there is none: a list, JSON text of one, lines of text, or `items` as JSON or with commas. */
function itemsOf(scene: Scene): readonly Json[] | string {
  const { attributes } = scene
  const written = textOf(attributes, 'items')
  if (written !== undefined) return jsonList(written) ?? split(written, ',')
  const key = textOf(attributes, 'items_key') ?? textOf(attributes, 'source_key')
  if (key === undefined) return 'no collection: write items_key'
  const value = scene.get(key)
  if (value === undefined || value === null) return `the context has no ${key}`
  if (isList(value)) return value
  if (typeof value !== 'string') return `${key} holds no list`
  return jsonList(value) ?? (isJsonObject(value) ? `${key} holds an object, no list` : split(value, '\n'))
}

function split(text: string, by: string): readonly string[] {
  return text
    .split(by)
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

function jsonList(text: string): readonly Json[] | undefined {
  const value = jsonIn(text)
  return isList(value) ? value : undefined
}

function isJsonObject(text: string): boolean {
  return isObject(jsonIn(text))
}

function handlerAttributes({ attributes }: Scene): JsonObject | undefined {
  const text = textOf(attributes, 'handler_attrs')
  if (text === undefined) return itemPrompt(attributes.get('prompt')?.value)
  const value = jsonIn(text)
  return isObject(value) ? value : undefined
}

function itemPrompt(prompt: string | number | boolean | undefined): JsonObject {
  return prompt === undefined ? {} : { prompt }
}
