import type { Json, JsonObject } from '../../../../kernel/index.ts'
import { integerOf, isOn, numberOf, textOf } from '../../dot/graph.ts'
import { evaluateCondition } from '../../language/condition-evaluate.ts'
import { durationOf } from '../../language/duration.ts'
import { fork } from '../../contract/asks.ts'
import type { BranchResult, BranchSpec, ForkAsk, Handler, NodeContext, Steps } from '../../contract/handler.ts'
import { failure, isGood, type Outcome, refusal, success } from '../../contract/outcome.ts'
import { eachItem } from './items.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { attribute } from '../../model/attribute.ts'
import { key, writes } from '../../model/operation-ports.ts'
import { ITEMS } from '../parameters.ts'

const AT_ONCE = 4
const BRANCH_STEPS = 'parallel_branch_max_steps'

/** Runs the branches of a parallel node, or a handler for each item (reference pipeline 3.9.2 to 3.9.5). */
const run: Handler = (context) => {
  if (context.attributes.has('items') || context.attributes.has('items_key')) return eachItem(context, 'parallel')
  return branches(context)
}

function branches(context: NodeContext): Outcome | Steps {
  const { node, typed } = context
  const join = textOf(context.attributes, 'join_target') ?? typed.joins.get(node.id)
  const openEdges = (typed.outgoing.get(node.id) ?? []).filter(
    ({ condition }) => condition === undefined || evaluateCondition(condition, conditionScope(context)),
  )
  const [only] = openEdges
  if (only === undefined) return refusal(`${node.id}: no branches`)
  if (openEdges.length === 1 && typed.joins.get(node.id) === undefined && !context.attributes.has('join_target')) return success()
  if (openEdges.length === 1 && only.edge.to === join) return singleBranch(context, only.edge.to, join)
  const specs = openEdges.map(({ edge }): BranchSpec => ({ id: edge.to, edge: edge.index, ...(join === undefined ? {} : { until: join }) }))
  return forkBranches(context, specs, join)
}

/** Returns the outcome of a block with one empty branch: its only edge leads to the join (reference pipeline 3.9.4). */
function singleBranch(context: NodeContext, target: string, join: string): Outcome {
  if (context.get('parallel.results') !== undefined) return success(undefined, { join })
  return success(resultsOf([{ id: target, status: 'success', context_updates: {}, duration_ms: 0 }]), { join })
}

function* forkBranches(context: NodeContext, specs: readonly BranchSpec[], join: string | undefined): Steps {
  const { attributes, node } = context
  const policy = textOf(attributes, 'join_policy') ?? 'wait_all'
  const errors = textOf(attributes, 'error_policy') ?? 'continue'
  const enough = policy === 'first_success' ? 1 : policy === 'k_of_n' ? (integerOf(attributes, 'join_k') ?? 1) : undefined
  const timeout = durationOf(attributes, 'branch_timeout')
  const steps = integerOf(attributes, BRANCH_STEPS) ?? integerOf(context.typed.graph.attributes, BRANCH_STEPS)
  const ask: ForkAsk = {
    fork: specs,
    atOnce: Math.max(1, integerOf(attributes, 'max_parallel') ?? AT_ONCE),
    ...(enough === undefined ? {} : { enough }),
    ...(errors === 'fail_fast' ? { failFast: true } : {}),
    ...(timeout === undefined ? {} : { timeout }),
    ...(steps === undefined ? {} : { steps: Math.max(0, steps) }),
  }
  context.note('parallel_started', { node_id: node.id, branch_count: specs.length })
  const ends = yield* fork(ask)
  const results = errors === 'ignore' ? ends.filter(({ status }) => status !== 'fail') : ends
  const good = results.filter(({ status }) => isGood(status)).length
  const failed = results.filter(({ status }) => status === 'fail').length
  context.note('parallel_completed', { node_id: node.id, success_count: good, failure_count: failed, duration_ms: longest(ends) })
  const verdict = joinOutcome(policy, context, { good, failed, total: specs.length, left: results.length })
  if (verdict.status === 'fail') return { ...verdict, context_updates: resultsOf(results) }
  const updates = { ...(mergesContext(context) ? mergedUpdates(results) : {}), ...resultsOf(results) }
  return { ...verdict, context_updates: updates, ...(join === undefined ? {} : { join }) }
}

interface BranchCounts {
  readonly good: number
  readonly failed: number
  readonly total: number
  readonly left: number
}

/** Returns the outcome of a block of branches (reference pipeline 3.9.2, status table). */
function joinOutcome(policy: string, { attributes, node }: NodeContext, { good, failed, total, left }: BranchCounts): Outcome {
  const tooFew = (needed: string): Outcome => failure(`${node.id}: ${good} of ${total} branches succeeded, ${needed}`, { retryable: false })
  if (left === 0) return failure(`${node.id}: no branch has a result`, { retryable: false })
  switch (policy) {
    case 'first_success':
      return good >= 1 ? success() : tooFew('one is needed')
    case 'k_of_n': {
      const k = integerOf(attributes, 'join_k') ?? 1
      return good >= k ? success() : tooFew(`${k} are needed`)
    }
    case 'quorum': {
      const fraction = numberOf(attributes, 'quorum_fraction') ?? 0.5
      return good / total >= fraction ? success() : tooFew(`a share of ${fraction} is needed`)
    }
    case 'wait_all':
      return failed === 0 ? success() : { status: 'partial_success', notes: `${failed} of ${total} branches failed` }
    default:
      return refusal(`${node.id}: there is no join_policy ${JSON.stringify(policy)}`)
  }
}

/** Returns the values that a join reads: one entry per branch in edge order, and the number of successes. */
export function resultsOf(ends: readonly BranchResult[]): JsonObject {
  const good = ends.filter(({ status }) => isGood(status)).length
  return {
    'parallel.results': ends.map(entryOf),
    'parallel.success_count': good,
    'parallel.fail_count': ends.filter(({ status }) => status === 'fail').length,
    'parallel.total_count': ends.length,
  }
}

function entryOf({ id, status, notes, failure_reason, last_node, context_updates, duration_ms }: BranchResult): Json {
  const score = [context_updates['score'], context_updates['branch.score']].map(Number).find((n) => Number.isFinite(n)) ?? 0
  return {
    id,
    status,
    score,
    ...(notes === undefined ? {} : { notes }),
    ...(failure_reason === undefined ? {} : { failure_reason }),
    ...(last_node === undefined ? {} : { last_node }),
    context_updates,
    duration_ms,
  }
}

/**
 * True if the node keeps the writes of its branches. After a successful join it then gets the writes of all branches, also
 * failed ones, in edge order (reference pipeline 3.9.3).
 */
function mergesContext({ attributes }: NodeContext): boolean {
  return isOn(attributes, 'merge_context') || isOn(attributes, 'fan_out')
}

function mergedUpdates(ends: readonly BranchResult[]): JsonObject {
  const pairs = ends.flatMap(({ context_updates }) => Object.entries(context_updates)).filter(([key]) => !key.startsWith('parallel.'))
  return Object.fromEntries(pairs)
}

function longest(ends: readonly BranchResult[]): number {
  return Math.max(0, ...ends.map(({ duration_ms }) => duration_ms))
}

function conditionScope(context: NodeContext) {
  const { status = 'success', preferred_label = '' } = context.outcome(context.previous ?? '') ?? {}
  return { outcome: status, preferredLabel: preferred_label, get: (key: string) => context.get(key) }
}

export const parallel = defineOperation({
  name: 'parallel',
  does: 'Runs its branches in parallel, or an operation for each item.',
  types: [],
  shape: 'component',
  dispatch: [{ type: 'parallel' }],
  parameters: {
    ...ITEMS,
    join_policy: attribute(['wait_all', 'first_success', 'k_of_n', 'quorum'], 'The condition for the success of a block of branches.', {
      usual: 'wait_all',
    }),
    join_k: attribute('int', 'The number of branches that must succeed, for `k_of_n`.', { usual: '1' }),
    quorum_fraction: attribute('number', 'The share of branches that must succeed, for `quorum`.', { usual: '0.5' }),
    error_policy: attribute(['continue', 'fail_fast', 'ignore'], 'The effect of a failed branch on the others.', {
      usual: 'continue',
      lenient: true,
    }),
    max_parallel: attribute('int', 'The limit of branches that run in parallel.', { usual: '4' }),
    join_target: attribute('node', 'The node at which the branches join.', { usual: 'inferred' }),
    branch_timeout: attribute('duration', 'The time limit of a branch.'),
    parallel_branch_max_steps: attribute('int', 'The limit of executed nodes in a branch; 0 for no limit.', { usual: '100' }),
    merge_context: attribute('bool', 'Keeps the values that branches write, in edge order.', { usual: 'false' }),
  },
  reads: [key('items_key')],
  writes: writes('inputs', 'parallel.'),
  repeat: 'side_effecting',
  item: (node) => node.has('items') || node.has('items_key'),
  run,
})
