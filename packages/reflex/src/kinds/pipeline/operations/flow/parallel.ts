import type { Json, JsonObject } from '../../../../kernel/journal/json.ts'
import { integerOf, isOn, numberOf, textOf } from '../../dot/graph.ts'
import { evaluateCondition } from '../../language/condition-evaluate.ts'
import { durationOf } from '../../language/duration.ts'
import { fork } from '../../contract/asks.ts'
import type { BranchEnd, BranchSpec, ForkAsk, Handler, Scene, Steps } from '../../contract/handler.ts'
import { failure, isGood, type Outcome, refusal, success } from '../../contract/outcome.ts'
import { eachItem } from './items.ts'

const AT_ONCE = 4
const BRANCH_STEPS = 'parallel_branch_max_steps'

/** Runs the branches of a parallel node, or one handler over items (reference pipeline 3.9.2 to 3.9.5). */
export const parallel: Handler = (scene) => {
  if (scene.attributes.has('items') || scene.attributes.has('items_key')) return eachItem(scene, 'parallel')
  return branches(scene)
}

function branches(scene: Scene): Outcome | Steps {
  const { node, typed } = scene
  const join = textOf(scene.attributes, 'join_target') ?? typed.joins.get(node.id)
  const open = (typed.outgoing.get(node.id) ?? []).filter(
    ({ condition }) => condition === undefined || evaluateCondition(condition, conditionScene(scene)),
  )
  const [only] = open
  if (only === undefined) return refusal(`${node.id}: no branches`)
  if (open.length === 1 && typed.joins.get(node.id) === undefined && !scene.attributes.has('join_target')) return success()
  if (open.length === 1 && only.edge.to === join) return alone(scene, only.edge.to, join)
  const specs = open.map(({ edge }): BranchSpec => ({ id: edge.to, edge: edge.index, ...(join === undefined ? {} : { until: join }) }))
  return forked(scene, specs, join)
}

/** One branch that has nothing in it: its only edge leads to where it would join (reference pipeline 3.9.4). */
function alone(scene: Scene, target: string, join: string): Outcome {
  if (scene.get('parallel.results') !== undefined) return success(undefined, { join })
  return success(resultsOf([{ id: target, status: 'success', context_updates: {}, duration_ms: 0 }]), { join })
}

function* forked(scene: Scene, specs: readonly BranchSpec[], join: string | undefined): Steps {
  const { attributes, node } = scene
  const policy = textOf(attributes, 'join_policy') ?? 'wait_all'
  const errors = textOf(attributes, 'error_policy') ?? 'continue'
  const enough = policy === 'first_success' ? 1 : policy === 'k_of_n' ? (integerOf(attributes, 'join_k') ?? 1) : undefined
  const timeout = durationOf(attributes, 'branch_timeout')
  const steps = integerOf(attributes, BRANCH_STEPS) ?? integerOf(scene.typed.graph.attributes, BRANCH_STEPS)
  const ask: ForkAsk = {
    fork: specs,
    atOnce: Math.max(1, integerOf(attributes, 'max_parallel') ?? AT_ONCE),
    ...(enough === undefined ? {} : { enough }),
    ...(errors === 'fail_fast' ? { failFast: true } : {}),
    ...(timeout === undefined ? {} : { timeout }),
    ...(steps === undefined ? {} : { steps: Math.max(0, steps) }),
  }
  scene.note('parallel_started', { node_id: node.id, branch_count: specs.length })
  const ended = yield* fork(ask)
  const results = errors === 'ignore' ? ended.filter(({ status }) => status !== 'fail') : ended
  const good = results.filter(({ status }) => isGood(status)).length
  const failed = results.filter(({ status }) => status === 'fail').length
  scene.note('parallel_completed', { node_id: node.id, success_count: good, failure_count: failed, duration_ms: longest(ended) })
  const verdict = judge(policy, scene, { good, failed, total: specs.length, left: results.length })
  if (verdict.status === 'fail') return { ...verdict, context_updates: resultsOf(results) }
  const updates = { ...(merges(scene) ? mergedUpdates(results) : {}), ...resultsOf(results) }
  return { ...verdict, context_updates: updates, ...(join === undefined ? {} : { join }) }
}

interface Count {
  readonly good: number
  readonly failed: number
  readonly total: number
  readonly left: number
}

/** What a block of branches comes to (reference pipeline 3.9.2, status table). */
function judge(policy: string, { attributes, node }: Scene, { good, failed, total, left }: Count): Outcome {
  const short = (needed: string): Outcome => failure(`${node.id}: ${good} of ${total} branches succeeded, ${needed}`, { retryable: false })
  if (left === 0) return failure(`${node.id}: no branch has a result`, { retryable: false })
  switch (policy) {
    case 'first_success':
      return good >= 1 ? success() : short('one is needed')
    case 'k_of_n': {
      const k = integerOf(attributes, 'join_k') ?? 1
      return good >= k ? success() : short(`${k} are needed`)
    }
    case 'quorum': {
      const fraction = numberOf(attributes, 'quorum_fraction') ?? 0.5
      return good / total >= fraction ? success() : short(`a share of ${fraction} is needed`)
    }
    case 'wait_all':
      return failed === 0 ? success() : { status: 'partial_success', notes: `${failed} of ${total} branches failed` }
    default:
      return refusal(`${node.id}: there is no join_policy ${JSON.stringify(policy)}`)
  }
}

/** What a join reads: one entry for each branch, in the order of the edges, and how many went well. */
export function resultsOf(ended: readonly BranchEnd[]): JsonObject {
  const good = ended.filter(({ status }) => isGood(status)).length
  return {
    'parallel.results': ended.map(entryOf),
    'parallel.success_count': good,
    'parallel.fail_count': ended.filter(({ status }) => status === 'fail').length,
    'parallel.total_count': ended.length,
  }
}

function entryOf({ id, status, notes, failure_reason, last_node, context_updates, duration_ms }: BranchEnd): Json {
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
 * Branches keep what they write to themselves, unless the node asks for it: after a join that succeeds, it gets what each of them wrote,
 * those that failed too, in the order of their edges (reference pipeline 3.9.3).
 */
function merges({ attributes }: Scene): boolean {
  return isOn(attributes, 'merge_context') || isOn(attributes, 'fan_out')
}

function mergedUpdates(ended: readonly BranchEnd[]): JsonObject {
  const pairs = ended.flatMap(({ context_updates }) => Object.entries(context_updates)).filter(([key]) => !key.startsWith('parallel.'))
  return Object.fromEntries(pairs)
}

function longest(ended: readonly BranchEnd[]): number {
  return Math.max(0, ...ended.map(({ duration_ms }) => duration_ms))
}

function conditionScene(scene: Scene) {
  const { status = 'success', preferred_label = '' } = scene.outcome(scene.previous ?? '') ?? {}
  return { outcome: status, preferredLabel: preferred_label, get: (key: string) => scene.get(key) }
}
