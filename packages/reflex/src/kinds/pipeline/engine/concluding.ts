import type { JsonObject } from '../../../kernel/index.ts'
import { labelOutputs } from './labelling.ts'
import { adapt, splitAdapted } from './adapting.ts'
import { advance } from './advance.ts'
import { STAGE_FAILED } from '../contract/faults.ts'
import { isGood, type Outcome, reasonOf } from '../contract/outcome.ts'
import { type Position, type PositionField, withoutFields } from '../contract/position.ts'
import { delayBefore, mayRetry, retryPolicy, autoStatus, exhaustedOutcome } from '../contract/retry.ts'
import { skipKey } from '../contract/skip.ts'
import { type FinishedStage, storeFinished, storeHash, storeOutcome } from '../contract/engine-board.ts'
import { storeArtifacts } from './artifacts.ts'
import { storeTurn } from '../contract/threads.ts'
import type { FrameStep } from './frame-step.ts'
import { limitTimer } from './limit-timer.ts'
import { type Middleware, passAfter, type Token } from './middleware.ts'
import { isOn } from '../dot/graph.ts'
import type { TypedNode } from '../model/typed.ts'

/** The fields of a position that end with an attempt. */
const OF_ATTEMPT: ReadonlySet<PositionField> = new Set(['attempt', 'limit', 'for', 'late', 'asked', 'kept', 'continues'])

/** Ends an attempt: starts a further one after a delay, or concludes the execution (reference pipeline 3.5). */
export function endAttempt(step: FrameStep, outcome: Outcome): void {
  const { x, node } = step
  const { attempt = 1, limit, asked = 0 } = step.position
  if (limit !== undefined && x.waits().some(({ id }) => id === limit)) x.drop(limit)
  const rest = withoutFields(step.position, OF_ATTEMPT)
  step.setPosition(rest)
  if (!mayRetry(outcome)) return conclude(step, outcome, attempt)
  const policy = retryPolicy(node, step.typed.graph.attributes)
  if (attempt >= policy.attempts) return conclude(step, outcome, attempt)
  const delay = delayBefore(attempt, policy, () => x.random())
  step.note('stage_failed', { node_id: node.id, error: reasonOf(outcome), will_retry: true })
  step.note('stage_retrying', { node_id: node.id, attempt: attempt + 1, delay_ms: delay })
  // Of a failed attempt, only the counters of a simulation stay (reference pipeline 3.5).
  const { context_updates = {} } = outcome
  for (const [key, value] of Object.entries(context_updates)) if (key.startsWith('internal.simulate.')) x.set(key, value)
  forgetBranches(step)
  const { resume } = outcome
  const had = resume === undefined ? { asked: 0 } : { asked: resume === 'last' ? Math.max(0, asked - 1) : asked, continues: true as const }
  step.setPosition({ ...rest, phase: 'rest', attempt: attempt + 1, ...had })
  limitTimer(x, delay, 'retry')
}

/** The hook before a stage failed: the chain continues as after every stage, and the hook behind the stage does not run. */
export const NO_HOOK = 'no hook'

/**
 * Concludes an execution: applies and stores its outcome, and continues the walk, after the hook behind the stage if
 * there is one. `ran` is the number of members that ran before the chain halted; then no hook runs.
 */
export function conclude(step: FrameStep, outcome: Outcome, attempts: number, ran?: number | typeof NO_HOOK): void {
  const { node } = step
  const { members } = step.engine.chain(node, step.typed, step.permissions)
  const { outcome: own, dot } = splitAdapted(step, outcome)
  const isHalted = typeof ran === 'number'
  const finished = finish({
    node,
    outcome: own,
    chain: members,
    ran: isHalted ? ran : members.length,
    token: step.token(),
    halted: isHalted,
  })
  const kept = { outcome: finished, attempts, ...(dot === undefined ? {} : { dot }) }
  if (ran !== undefined || !step.engine.hasHook(step.nodeContext(), 'post')) return endStage(step, kept)
  storeFinished(step.x, kept)
  step.setPosition({ ...step.position, phase: 'enter', hook: 'post', asked: 0 })
  step.x.again()
}

/** Ends the hook behind a stage: nothing that the hook did changes the outcome of the stage (reference pipeline 10.3). */
export function concludeHook(step: FrameStep): void {
  const { finished } = step.engineBoard
  if (finished === undefined) throw new TypeError('a hook ran behind nothing')
  storeFinished(step.x, null)
  endStage(step, finished)
}

function endStage(step: FrameStep, { outcome: finished, attempts, dot }: FinishedStage): void {
  const final = dot === undefined || !isGood(finished.status) ? finished : adapt(step, dot, finished)
  recordStage(step, final, attempts, [final.status === 'fail' ? 'stage_failed' : 'stage_completed', endPayload(step, final)])
}

/** Skips a node: its recorded outcome counts (reference pipeline 3.10). */
export function skipUnchanged(step: FrameStep, recorded: Outcome): void {
  const { node, position } = step
  const reason = 'nothing that it depends on has changed'
  recordStage(step, recorded, 1, ['stage_skipped', { node_id: node.id, reason, duration_ms: 0, index: position.steps + 1 }])
}

/** The fields of a position that end with an execution of a node. */
const OF_NODE: ReadonlySet<PositionField> = new Set(['began', 'at', 'attempt', 'asked', 'for', 'kept', 'continues', 'hook', 'reason'])

/** Stores the outcome of a node, and continues from there. */
function recordStage(step: FrameStep, final: Outcome, attempts: number, remark: readonly [type: string, payload: JsonObject]): void {
  const { node } = step
  apply(step, final)
  storeResult(step, final, attempts, remark[0] === 'stage_skipped')
  step.note(...remark)
  forgetBranches(step)
  const stage = node.canonical === 'branch' || final.status === 'skipped' ? {} : stageOf(node.id, final)
  const { reason, steps } = step.position
  const inherited = 'last' in stage || reason === undefined ? {} : { reason }
  const partial = final.status === 'partial_success' ? { partial: true as const } : {}
  step.setPosition({ ...withoutFields(step.position, OF_NODE), ...inherited, ...stage, ...partial, phase: 'enter', steps: steps + 1 })
  advance(step, node, final)
}

/** Writes the updates of an execution and their labels: the engine sets labels, whatever the chain is. */
function apply(step: FrameStep, final: Outcome): void {
  const { node } = step
  const { allowed, refused } = allowedUpdates(final.context_updates, node)
  labelOutputs(step.token(), final, allowed)
  for (const [key, value] of Object.entries(allowed)) step.x.set(key, value)
  // Counters of a simulation are part of what a branch wrote; they are not attempts to write a reserved key.
  for (const key of refused.filter((one) => !one.startsWith('internal.simulate.'))) step.note('update_refused', { node_id: node.id, key })
  if (final.turn !== undefined) storeTurn(step.x, step.round, final.turn)
  storeArtifacts(step, final.artifacts)
}

/**
 * Clears the strands of an execution: it stops those that run and forgets those that have ended. Detached programs
 * continue.
 */
function forgetBranches(step: FrameStep): void {
  const { x } = step
  step.gather()
  if (x.frame.strandResults === undefined) return
  const results = [...x.frame.strandResults]
  const detached = new Set(step.engineBoard.detached)
  const running = results.filter(([id, { status }]) => status === 'running' && !detached.has(String(id))).map(([id]) => id)
  const ended = results.filter(([, { status }]) => status !== 'running').map(([id]) => id)
  if (running.length > 0) x.kill(...running)
  if (ended.length > 0) x.drop(...ended)
}

function storeResult(step: FrameStep, final: Outcome, attempts: number, passedOver: boolean): void {
  const { x, node, position, round } = step
  const retries = isGood(final.status) ? 0 : attempts - 1
  const before = step.engineBoard.outcome(node.id)
  const { status } = final
  // The board copies what it is given, without the fields that are undefined.
  storeOutcome(x, round, node.id, {
    status,
    preferred_label: final.preferred_label,
    suggested_next_ids: final.suggested_next_ids,
    edge: final.edge,
    join: final.join,
    failure_reason: final.failure_reason,
    notes: final.notes,
    n: position.steps + 1,
    v: (before?.v ?? 0) + 1,
    restored: passedOver && before?.restored === true ? true : undefined,
    retries: retries > 0 ? retries : undefined,
  })
  const key = isGood(status) ? skipKey(step.nodeContext()) : undefined
  if (key !== undefined && (before === undefined || key !== step.engineBoard.hash(node.id))) storeHash(x, node.id, key)
}

function endPayload({ node, position, x }: FrameStep, final: Outcome): JsonObject {
  const duration_ms = x.now - (position.began ?? x.now)
  const index = position.steps + 1
  const { code = STAGE_FAILED } = final
  if (final.status === 'fail') return { node_id: node.id, error: reasonOf(final), code, will_retry: false, duration_ms, index }
  return { node_id: node.id, status: final.status, duration_ms, index, ...(final.notes === undefined ? {} : { notes: final.notes }) }
}

function stageOf(id: string, { status, preferred_label, failure_reason }: Outcome): Partial<Position> {
  return {
    last: id,
    status,
    ...(preferred_label === undefined ? {} : { label: preferred_label }),
    ...(status === 'fail' && failure_reason !== undefined ? { reason: failure_reason } : {}),
  }
}

/** An execution without further attempts. */
interface FinishRequest {
  readonly node: TypedNode
  readonly outcome: Outcome
  readonly chain: readonly Middleware[]
  readonly ran: number
  readonly token: Token
  /** True if the chain halted before the handler or the run was cancelled: then the outcome must not be softened. */
  readonly halted: boolean
}

/**
 * Returns the final outcome of an execution: partial success, auto status, then the chain behind the node (reference
 * pipeline 3.5, 3.6, 5.1).
 */
function finish({ node, outcome, chain, ran, token, halted }: FinishRequest): Outcome {
  const { attributes } = node.node
  const auto = isOn(attributes, 'auto_status') && outcome.written !== true
  const softened =
    halted || outcome.halted === true ? outcome : auto ? autoStatus(outcome) : exhaustedOutcome(outcome, isOn(attributes, 'allow_partial'))
  const passed = passAfter(chain, ran, token, softened)
  if (passed.halted !== undefined) token.note('middleware_halted', { middleware: passed.halted.by, reason: passed.halted.halt })
  return passed.outcome
}

/** The keys that the engine itself provides (reference pipeline 6.1). */
const ENGINE_KEYS: ReadonlySet<string> = new Set(['current_node', 'outcome', 'preferred_label', 'last_stage', 'budget_status'])

/** True for keys that no handler may write, because the engine sets them (reference pipeline 5.6, 8). */
export function isReserved(key: string, node: TypedNode): boolean {
  if (key.startsWith('#') || key.startsWith('graph.')) return true
  if (ENGINE_KEYS.has(key)) return true
  if (key.startsWith('__')) return !(key === '__adapted_graph__' && node.canonical === 'adapt')
  return key.startsWith('internal.') && !(key.startsWith('internal.simulate.') && node.canonical === 'compute')
}

/** Returns the updates that may be applied, and the keys that were refused. */
function allowedUpdates(
  updates: JsonObject | undefined,
  node: TypedNode,
): { readonly allowed: JsonObject; readonly refused: readonly string[] } {
  const entries = Object.entries(updates ?? {})
  const refused = entries.map(([key]) => key).filter((key) => isReserved(key, node))
  const allowed = refused.length === 0 ? (updates ?? {}) : Object.fromEntries(entries.filter(([key]) => !isReserved(key, node)))
  return { allowed, refused }
}
