import { isList, isObject, type Json, type JsonObject } from '../../../../kernel/index.ts'
import { quote } from '../../../../text/index.ts'
import { integerOf, textOf } from '../../dot/graph.ts'
import { fork } from '../../contract/asks.ts'
import type { BranchResult, BranchSpec, Handler, NodeContext, Steps } from '../../contract/handler.ts'
import { failure, isGood, type Outcome, refusal, success } from '../../contract/outcome.ts'
import { isEngineKey } from '../../contract/inputs.ts'
import { parseJson } from '../../language/parse-json.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { DISPATCH } from '../../model/capability-uris.ts'
import { key, writes, writesAt } from '../../model/operation-ports.ts'
import { ITEMS } from '../parameters.ts'

const AT_ONCE = 4

/** Runs a handler for each item of a collection (reference pipeline 4.9). */
const run: Handler = (nodeContext) => eachItem(nodeContext, 'map')

/** The settings for the items of a node, in both spellings of the reference. */
interface ItemsPlan {
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
 * Executes the item handler of a node for each item, each with its own context and the whole middleware chain of the item's
 * type. `map` and `parallel` differ in the keys that they write.
 */
export function eachItem(nodeContext: NodeContext, of: 'map' | 'parallel'): Outcome | Steps {
  const plan = planOf(nodeContext, of)
  return 'status' in plan ? plan : forkItems(nodeContext, plan, of)
}

function* forkItems(nodeContext: NodeContext, plan: ItemsPlan, of: 'map' | 'parallel'): Steps {
  const { node } = nodeContext
  const specs = plan.items.map(
    (item, i): BranchSpec => ({
      id: `${node.id}[${i}]`,
      item: { type: plan.type, attributes: plan.attributes, id: `${node.id}[${i}]` },
      values: { [plan.itemKey]: item, [plan.indexKey]: i },
    }),
  )
  const ends = yield* fork({ fork: specs, atOnce: plan.atOnce, ...(plan.onError === 'fail' ? { failFast: true } : {}) })
  return collectedOutcome(nodeContext, plan, ends, of)
}

function collectedOutcome({ node }: NodeContext, plan: ItemsPlan, ends: readonly BranchResult[], of: 'map' | 'parallel'): Outcome {
  const good = ends.filter(({ status }) => isGood(status))
  const bad = ends.flatMap(({ status, failure_reason, id }, i) =>
    isGood(status) ? [] : [{ index: i, id, reason: failure_reason ?? status }],
  )
  const values = ends.flatMap(({ status, context_updates }, i): Json[] => {
    if (!isGood(status)) return plan.onError === 'collect_nil' ? [null] : []
    return [context_updates[plan.resultKey] ?? plan.items[i] ?? null]
  })
  const updates: JsonObject = {
    [plan.collectKey]: values,
    [`map.${node.id}.count`]: ends.length,
    [`map.${node.id}.success_count`]: good.length,
    [`map.${node.id}.error_count`]: bad.length,
    [`map.${node.id}.errors`]: bad,
    ...(of === 'map'
      ? {}
      : { 'parallel.success_count': good.length, 'parallel.fail_count': bad.length, 'parallel.total_count': ends.length }),
  }
  const [first] = bad
  if (first !== undefined && (plan.onError === 'fail' || good.length === 0))
    return failure(`${node.id}: ${bad.length} of ${ends.length} items failed: ${first.reason}`, {
      context_updates: updates,
      retryable: false,
    })
  return first !== undefined && of === 'parallel' ? { status: 'partial_success', context_updates: updates } : success(updates)
}

function planOf(nodeContext: NodeContext, of: 'map' | 'parallel'): ItemsPlan | Outcome {
  const { attributes, node } = nodeContext
  const items = itemsOf(nodeContext)
  if (!isList(items)) return refusal(`${node.id}: ${items}`)
  const type = textOf(attributes, 'item_type') ?? textOf(attributes, 'handler_type') ?? textOf(attributes, 'item_handler')
  if (type === undefined) return refusal(`${node.id}: no handler for the items: write item_type`)
  const itemKey = textOf(attributes, 'item_key') ?? 'map.current_item'
  const indexKey = textOf(attributes, 'index_key') ?? 'map.current_index'
  const reserved = [itemKey, indexKey].find(isEngineKey)
  if (reserved !== undefined) return refusal(`${node.id}: the engine keeps ${quote(reserved)} for itself: give the items another key`)
  const itemAttributes = handlerAttributes(nodeContext)
  if (itemAttributes === undefined) return refusal(`${node.id}: handler_attrs is not a JSON object`)
  return {
    items,
    type,
    attributes: itemAttributes,
    itemKey,
    indexKey,
    resultKey: textOf(attributes, 'result_key') ?? 'last_response',
    collectKey: textOf(attributes, 'collect_key') ?? (of === 'map' ? 'map.results' : 'parallel.results'),
    atOnce: Math.max(1, integerOf(attributes, 'max_concurrency') ?? AT_ONCE),
    onError: textOf(attributes, 'on_item_error') ?? 'skip',
  }
}

/**
 * Returns the collection, or the reason why there is none. It is a list, JSON text of a list, lines of text, or `items` as JSON
 * or with commas.
 */
function itemsOf(nodeContext: NodeContext): readonly Json[] | string {
  const { attributes } = nodeContext
  const written = textOf(attributes, 'items')
  if (written !== undefined) return jsonList(written) ?? split(written, ',')
  const key = textOf(attributes, 'items_key') ?? textOf(attributes, 'source_key')
  if (key === undefined) return 'no collection: write items_key'
  const value = nodeContext.get(key)
  if (value === undefined || value === null) return `the context has no ${key}`
  if (isList(value)) return value
  if (typeof value !== 'string') return `${key} is not a list`
  return jsonList(value) ?? (isJsonObject(value) ? `${key} is an object, not a list` : split(value, '\n'))
}

function split(text: string, by: string): readonly string[] {
  return text
    .split(by)
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

function jsonList(text: string): readonly Json[] | undefined {
  const value = parseJson(text)
  return isList(value) ? value : undefined
}

function isJsonObject(text: string): boolean {
  return isObject(parseJson(text))
}

function handlerAttributes({ attributes }: NodeContext): JsonObject | undefined {
  const text = textOf(attributes, 'handler_attrs')
  if (text === undefined) return itemPrompt(attributes.get('prompt')?.value)
  const value = parseJson(text)
  return isObject(value) ? value : undefined
}

function itemPrompt(prompt: string | number | boolean | undefined): JsonObject {
  return prompt === undefined ? {} : { prompt }
}

export const map = defineOperation({
  name: 'map',
  does: 'Executes an operation for each item of a collection.',
  types: [],
  dispatch: [{ type: 'map' }],
  parameters: {
    ...ITEMS,
  },
  requires: ['items_key|source_key', 'item_type|handler_type'],
  reads: [key('items_key'), key('source_key')],
  writes: [writesAt('model', 'collect_key', 'map.results'), ...writes('engine', 'map.<id>.')],
  repeat: 'side_effecting',
  needs: () => [DISPATCH],
  item: () => true,
  run,
})
