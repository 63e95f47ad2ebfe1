import { type Json, isList } from '../../../kernel/index.ts'
import { FAILURE, type Next, type Outcome, RUNNING, SUCCESS, type Tick, type TreeNode } from '../manifest/behaviour.ts'
import { faults } from '../model/faults.ts'
import { textOf } from '../model/text-of.ts'
import { mergeChildren, strategiesOf } from './parallel-merge.ts'
import { write } from './write.ts'

/** The most items of a parallel loop: each has nodes of its own. */
const MOST = 1000

/** A parallel loop: the children of its node, one for each item, and the places of those that were not ticked to an end. */
interface Loop {
  readonly items: readonly Json[]
  /** The places of items whose child was skipped, and of items that were refused. */
  readonly skipped: readonly number[]
  readonly refused: readonly number[]
}

/** Begins a parallel loop: each item has a copy of the child, in a scope of its own. */
export function beginParallel(tick: Tick, node: TreeNode, items: readonly Json[]): Next {
  if (items.length > MOST) {
    const message = `${node.path} has ${items.length} items, and a parallel loop has at most ${MOST}`
    return tick.fail(node, faults.make('R1257', message, { path: node.path, data: { items: items.length, most: MOST } }))
  }
  tick.repeat(node, items.length)
  return passItems(tick, node, items, -1)
}

/** Returns the next item of this pass, or the answer of the loop after the last one. */
export function passItems(tick: Tick, node: TreeNode, items: readonly Json[], from: number): Next {
  const { max_concurrent, continue_on_failure } = node.params
  let loop = loopOf(tick, node, items)
  let counts = countsOf(tick, node, loop)
  for (let place = from + 1; place < items.length; place++) {
    const child = node.children[place]
    if (child === undefined) continue
    const outcome = tick.outcome(child)
    if (outcome === RUNNING) return place
    if (outcome !== undefined || loop.skipped.includes(place) || loop.refused.includes(place)) continue
    // After a failure that ends the loop no other item begins.
    if ((counts.failed > 0 && continue_on_failure !== true) || counts.running >= Number(max_concurrent ?? items.length)) continue
    if (begins(tick, node, child, items[place] ?? null)) return place
    loop = loopOf(tick, node, items)
    counts = countsOf(tick, node, loop)
  }
  return conclude(tick, node, loop)
}

/** The child of an item was skipped. */
export function passedOver(tick: Tick, node: TreeNode, { place }: TreeNode): void {
  const [skipped, refused] = keptLists(tick, node)
  tick.keep(node, [[...skipped, place], refused])
}

/** Gives a child its item. Returns false if the item does not fit the schema of its key. */
function begins(tick: Tick, node: TreeNode, child: TreeNode, item: Json): boolean {
  const { item_key, index_key } = node.params
  tick.openScope(child)
  const writes: [string, Json][] = [[textOf(item_key), item]]
  if (index_key !== undefined) writes.push([textOf(index_key), child.place])
  if (write(tick, child, writes) === undefined) return true
  const [skipped, refused] = keptLists(tick, node)
  tick.keep(node, [skipped, [...refused, child.place]])
  return false
}

function keptLists(tick: Tick, node: TreeNode): [skipped: readonly number[], refused: readonly number[]] {
  const [skipped, refused] = tick.own(node) ?? []
  return [isList(skipped) ? (skipped as readonly number[]) : [], isList(refused) ? (refused as readonly number[]) : []]
}

function loopOf(tick: Tick, node: TreeNode, items: readonly Json[]): Loop {
  const [skipped, refused] = keptLists(tick, node)
  return { items, skipped, refused }
}

function countsOf(tick: Tick, node: TreeNode, { items, skipped, refused }: Loop): { running: number; failed: number; ended: number } {
  let [running, failed, ended] = [0, refused.length, skipped.length + refused.length]
  for (let place = 0; place < items.length; place++) {
    const child = node.children[place]
    const outcome = child === undefined ? undefined : tick.outcome(child)
    if (outcome === RUNNING) running++
    else if (outcome !== undefined) ended++
    if (outcome === FAILURE) failed++
  }
  return { running, failed, ended }
}

function conclude(tick: Tick, node: TreeNode, loop: Loop): Next {
  const { failed, ended } = countsOf(tick, node, loop)
  const hasFailed = failed > 0 && node.params.continue_on_failure !== true
  if (!hasFailed && ended < loop.items.length) return RUNNING
  const results = resultsOf(tick, node, loop)
  const reason = hasFailed ? firstReason(tick, node, loop) : ''
  for (const child of node.children) if (tick.outcome(child) === RUNNING) tick.halt(child)
  return finish(tick, node, results, hasFailed ? tick.fail(node, reason) : SUCCESS)
}

/** Merges what the items that succeeded have written, except for their items, and writes the results. */
function finish(tick: Tick, node: TreeNode, results: Json, answer: Outcome): Outcome {
  const { item_key, index_key } = node.params
  const contributors = node.children.filter((child) => tick.outcome(child) === SUCCESS)
  const refused = mergeChildren(tick, node, contributors, { strategies: strategiesOf(node), without: [item_key, index_key] })
  for (const child of node.children) tick.shutScope(child)
  tick.board(node).setInternal('_for_each_results', results)
  return refused ?? answer
}

/** The results of the items that have begun, in order. */
function resultsOf(tick: Tick, node: TreeNode, { items, skipped, refused }: Loop): Json {
  return items.flatMap((item, index): Json[] => {
    const child = node.children[index]
    const outcome = child === undefined ? undefined : tick.outcome(child)
    if (refused.includes(index) || outcome === FAILURE) return [{ index, status: 'failure', item }]
    if (outcome === RUNNING) return [{ index, status: 'cancelled', item }]
    return outcome === SUCCESS || skipped.includes(index) ? [{ index, status: 'success', item }] : []
  })
}

function firstReason(tick: Tick, node: TreeNode, { items, refused }: Loop): string {
  const place = items.findIndex((_, i) => refused.includes(i) || outcomeAt(tick, node, i) === FAILURE)
  const child = node.children[place]
  return `item ${place} failed: ${child === undefined ? '' : tick.reason(child)}`
}

function outcomeAt(tick: Tick, node: TreeNode, place: number): Outcome | undefined {
  const child = node.children[place]
  return child === undefined ? undefined : tick.outcome(child)
}
