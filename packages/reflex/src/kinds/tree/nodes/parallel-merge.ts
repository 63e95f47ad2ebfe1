import { isObject, type Json } from '../../../kernel/index.ts'
import { type MergedWrites, type MergeStrategies, mergeWrites } from '../board/merge.ts'
import { mergeStrategyType } from '../board/merge-strategy.ts'
import { FAILURE, type NodeBoard, type Outcome, SUCCESS, type Tick, type TreeNode } from '../manifest/behaviour.ts'
import { textOf } from '../model/text-of.ts'
import { write } from './write.ts'

export function strategiesOf({ params }: TreeNode): MergeStrategies {
  const { merge_strategy, per_key_strategies } = params
  const keys = Object.entries(isObject(per_key_strategies) ? per_key_strategies : {})
  return {
    default: mergeStrategyType(textOf(merge_strategy ?? 'collect')),
    keys: Object.fromEntries(keys.map(([key, name]) => [key, mergeStrategyType(textOf(name))])),
  }
}

interface Ending {
  readonly successes: number
  readonly failures: number
  readonly cancelled: number
  readonly strategies: MergeStrategies
}

/** Merges what the children wrote, reports what happened to each, and returns the answer: a conflict is a failure whatever the policy says. */
export function finish(tick: Tick, node: TreeNode, answer: Outcome, { successes, failures, cancelled, strategies }: Ending): Outcome {
  const board = tick.board(node)
  const contributors = node.children.filter(
    (child) => tick.outcome(child) === SUCCESS || (node.params.merge_failed === true && tick.outcome(child) === FAILURE),
  )
  const refused = mergeChildren(tick, node, contributors, { strategies })
  const errors = node.children.filter((child) => tick.outcome(child) === FAILURE).map((child) => errorOf(tick, child))
  for (const child of node.children) tick.shutScope(child)
  const final = refused ?? answer
  const { policy } = node.params
  const total = node.children.length
  const status = final === SUCCESS ? 'success' : 'failure'
  report(board, node, 'summary', { successes, failures, cancelled, total, policy: policy ?? '', status })
  report(board, node, 'child_errors', errors)
  for (const { error, ...child } of errors)
    tick.emit('tree.parallel.child_failed', { parallel_node_id: node.id, ...child, error_message: error })
  if (refused !== undefined) return refused
  if (answer !== FAILURE) return answer
  return tick.fail(node, `${failures} of ${total} children failed: ${errors.map(({ error }) => error).join('; ')}`)
}

/** How the writes of children are merged. `without`: keys that are not. */
export interface Merging {
  readonly strategies: MergeStrategies
  readonly without?: readonly (Json | undefined)[]
}

/** Merges what children wrote in their scopes, and reports conflicts. Returns FAILURE, with its reason, if a key could not be merged; the others are. */
export function mergeChildren(
  tick: Tick,
  node: TreeNode,
  contributors: readonly TreeNode[],
  { strategies, without = [] }: Merging,
): typeof FAILURE | undefined {
  const merged: MergedWrites = mergeWrites(
    contributors.map((child) => ({
      index: child.place,
      id: child.id,
      writes:
        without.length === 0 ? tick.scopeWrites(child) : new Map([...tick.scopeWrites(child)].filter(([key]) => !without.includes(key))),
    })),
    strategies,
    (key, value) => tick.refusal(node, key, value),
  )
  const unwritten = write(tick, node, merged.writes)
  const conflicted = merged.conflicts.map(({ key, writers, previews }) => ({ key, writers, child_values: previews }))
  report(tick.board(node), node, 'conflicts', conflicted.length === 0 ? undefined : conflicted)
  for (const { key, writers, previews } of merged.conflicts) {
    const children = writers.map((child_id, i) => ({ child_id, value_preview: previews[i] ?? '' }))
    tick.emit('tree.parallel.conflict', { parallel_node_id: node.id, key, writer_count: writers.length, children })
  }
  const [refused] = merged.faults
  return refused === undefined ? unwritten : tick.fail(node, refused)
}

function errorOf(tick: Tick, child: TreeNode): { child_id: string; child_index: number; error: string; error_code?: string } {
  const { reason, code } = tick.failure(child)
  return { child_id: child.id, child_index: child.place, error: reason, ...(code === undefined ? {} : { error_code: code }) }
}

/** Writes a report under its common key and under one of the node, so that nested parallel nodes do not overwrite it. */
function report(board: NodeBoard, { id }: TreeNode, what: string, value: Json | undefined): void {
  for (const key of [`_parallel_${what}`, `_parallel_${id}_${what}`]) {
    if (value === undefined) board.deleteInternal(key)
    else board.setInternal(key, value)
  }
}
