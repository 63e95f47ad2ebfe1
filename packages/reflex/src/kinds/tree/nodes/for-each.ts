import { isList, isObject, type Json } from '../../../kernel/index.ts'
import { FAILURE, type Next, RUNNING, SKIPPED, SUCCESS, type Tick, type TreeNode } from '../manifest/behaviour.ts'
import { defineNode } from '../manifest/manifest.ts'
import { beginParallel, passedOver, passItems } from './for-each-parallel.ts'
import { ofChild } from './outcomes.ts'
import { STRATEGIES } from './parallel.ts'
import { write } from './write.ts'
import { textOf } from '../model/text-of.ts'

export const forEach = defineNode({
  type: 'for_each',
  role: 'composite',
  children: [1, 1],
  lua: { shapes: [['collection_key', 'config'], ['collection_key', 'children'], ['config']], wraps: true },
  parameters: [
    { name: 'collection_key', type: 'key', flow: 'in', required: true, doc: 'The key of a list or an object.' },
    {
      name: 'item_key',
      type: 'key',
      flow: 'out',
      default: 'item',
      doc: 'The key that holds the current item; an object gives { key, value }.',
    },
    { name: 'index_key', type: 'key', flow: 'out', doc: 'The key that holds the number of the item, from 0.' },
    { name: 'continue_on_failure', type: 'flag', default: false, doc: 'True: a failure is noted, and the next item follows.' },
    { name: 'min_items', type: 'count', default: 0, doc: 'Fewer items are a failure.' },
    {
      name: 'parallel',
      type: 'flag',
      default: false,
      doc: 'True: the items are ticked side by side, each with a copy of the child in a scope of its own. What they write is merged once all have ended, or one has failed; the others are halted then. At most 1000 items.',
    },
    { name: 'max_concurrent', type: 'count', least: 1, doc: 'With parallel: the most items between start and end. Default: all.' },
    {
      name: 'merge_strategy',
      type: 'enum',
      values: STRATEGIES,
      aliases: ['merge'],
      doc: 'With parallel: what becomes of a key that several items wrote. Default: collect.',
    },
    { name: 'per_key_strategies', type: 'map', values: STRATEGIES, aliases: ['merge'], doc: 'With parallel: the strategy of single keys.' },
  ],
  propagates: 'any',
  outcomes(children, { min_items, continue_on_failure, parallel }) {
    const child = ofChild(children)
    const canFail = child.failure || Number(min_items) > 0 || continue_on_failure === true || parallel === true
    return { success: true, failure: canFail, running: child.running }
  },
  check(params) {
    const without = params.parallel === true ? undefined : ONLY_PARALLEL.find((name) => params[name] !== undefined)
    return without === undefined ? undefined : `${without} has an effect only with parallel = true`
  },
  doc: 'Ticks its child once for each item of a collection, as it was at the beginning. Several items may end in one tick. An empty collection is a success.',
  example: 'BT.for_each("hosts", { item_key = "host", BT.action("check", { fn = "net.check" }) })',
  behaviour: {
    enter(tick, node) {
      const { collection_key, min_items } = node.params
      const items = itemsOf(tick.board(node).get(textOf(collection_key)))
      if (items === undefined) return report(tick, node, [], tick.fail(node, `${textOf(collection_key)} holds no list and no object`))
      if (items.length < Number(min_items))
        return report(tick, node, [], tick.fail(node, `${items.length} items, and at least ${textOf(min_items)} are needed`))
      if (items.length === 0) return report(tick, node, [], SUCCESS)
      tick.board(node).setInternal(itemsKey(node), items)
      return isParallel(node) ? sideBySide(tick, node, beginParallel(tick, node, items)) : next(tick, node, 0, [])
    },
    resume: (tick, node) => (isParallel(node) ? sideBySide(tick, node, passItems(tick, node, kept(tick, node), -1)) : 0),
    child(tick, node, child, outcome) {
      if (isParallel(node)) {
        if (outcome === SKIPPED) passedOver(tick, node, child)
        return sideBySide(tick, node, passItems(tick, node, kept(tick, node), child.place))
      }
      if (outcome === RUNNING) return RUNNING
      const [index = 0, ...failed] = (tick.own(node) ?? []) as number[]
      const nowFailed = outcome === FAILURE ? [...failed, index] : failed
      if (outcome === FAILURE && node.params.continue_on_failure !== true)
        return end(tick, node, resultsOf(tick, node, index, nowFailed), FAILURE)
      if (outcome !== SKIPPED || child.children.length > 0) tick.refresh(node)
      return next(tick, node, index + 1, nowFailed)
    },
    halt(tick, node) {
      if (!isParallel(node)) return forget(tick, node)
      tick.board(node).deleteInternal(itemsKey(node))
      for (const child of node.children) tick.shutScope(child)
    },
  },
})

/** The parameters of a parallel loop. */
const ONLY_PARALLEL = ['max_concurrent', 'merge_strategy', 'per_key_strategies'] as const

function isParallel({ params }: TreeNode): boolean {
  return params.parallel === true
}

/** The items of a parallel loop that has ended are forgotten. */
function sideBySide(tick: Tick, node: TreeNode, next: Next): Next {
  if (next === SUCCESS || next === FAILURE) tick.board(node).deleteInternal(itemsKey(node))
  return next
}

/** The items of a collection; undefined if it is none. */
function itemsOf(value: Json | undefined): readonly Json[] | undefined {
  if (isList(value)) return value
  return isObject(value) ? Object.entries(value).map(([key, item]) => ({ key, value: item })) : undefined
}

function itemsKey({ path }: TreeNode): string {
  return `_for_each.${path}`
}

function kept(tick: Tick, node: TreeNode): readonly Json[] {
  const items = tick.board(node).get(itemsKey(node))
  return isList(items) ? items : []
}

function next(tick: Tick, node: TreeNode, index: number, failed: readonly number[]): Next {
  const items = kept(tick, node)
  if (index >= items.length) return end(tick, node, resultsOf(tick, node, index - 1, failed), SUCCESS)
  const { item_key, index_key } = node.params
  tick.keep(node, [index, ...failed])
  const writes: [string, Json][] = [[textOf(item_key), items[index] ?? null]]
  if (index_key !== undefined) writes.push([textOf(index_key), index])
  const refused = write(tick, node, writes)
  return refused === undefined ? 0 : end(tick, node, resultsOf(tick, node, index, [...failed, index]), refused)
}

/** The results of the items up to an index, in order. */
function resultsOf(tick: Tick, node: TreeNode, last: number, failed: readonly number[]): Json {
  const items = kept(tick, node).slice(0, last + 1)
  return items.map((item, index) => ({ index, status: failed.includes(index) ? 'failure' : 'success', item }))
}

function report<Answer extends Next>(tick: Tick, node: TreeNode, results: Json, answer: Answer): Answer {
  tick.board(node).setInternal('_for_each_results', results)
  return answer
}

function end<Answer extends Next>(tick: Tick, node: TreeNode, results: Json, answer: Answer): Answer {
  forget(tick, node)
  return report(tick, node, results, answer)
}

function forget(tick: Tick, node: TreeNode): void {
  const { item_key, index_key } = node.params
  const board = tick.board(node)
  board.deleteInternal(itemsKey(node))
  board.delete(textOf(item_key))
  if (index_key !== undefined) board.delete(textOf(index_key))
}
