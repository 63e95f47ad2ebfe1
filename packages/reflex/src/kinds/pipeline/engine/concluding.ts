import type { JsonObject } from '../../../kernel/journal/json.ts'
import { labelOutputs } from './labelling.ts'
import { adapt, takeAdapted } from './adapting.ts'
import { advance } from './advance.ts'
import { allowedUpdates, finish } from './finish.ts'
import { STAGE_FAILED } from '../contract/faults.ts'
import { isGood, type Outcome, reasonOf } from '../contract/outcome.ts'
import type { Position } from '../contract/position.ts'
import { delayBefore, mayRetry, retryPolicy } from '../contract/retry.ts'
import { skipKey } from '../contract/skip.ts'
import { type Finished, keepFinished, keepHash, keepOutcome } from '../contract/tally.ts'
import { keepArtifacts } from './artifacts.ts'
import { keepTurn } from '../contract/threads.ts'
import type { Walk } from './walk.ts'

/** An attempt is over: another one after a rest, or the execution is concluded (reference pipeline 3.5). */
export function attempted(walk: Walk, outcome: Outcome): void {
  const { x, node } = walk
  const { attempt = 1, limit, for: _for, late: _late, asked = 0, kept: _kept, keeps: _keeps, ...rest } = walk.position
  if (limit !== undefined && x.waits().some(({ id }) => id === limit)) x.drop(limit)
  const policy = retryPolicy(node, walk.typed.graph.attributes)
  walk.go(rest)
  if (!mayRetry(outcome) || attempt >= policy.attempts) return conclude(walk, outcome, attempt)
  const delay = delayBefore(attempt, policy, () => x.random())
  walk.note('stage_failed', { node_id: node.id, error: reasonOf(outcome), will_retry: true })
  walk.note('stage_retrying', { node_id: node.id, attempt: attempt + 1, delay_ms: delay })
  // Of an attempt that failed, only the counters of a simulation stay (reference pipeline 3.5).
  const { context_updates = {} } = outcome
  for (const [key, value] of Object.entries(context_updates)) if (key.startsWith('internal.simulate.')) x.set(key, value)
  forgetBranches(walk)
  const { resume } = outcome
  const had = resume === undefined ? { asked: 0 } : { asked: resume === 'last' ? Math.max(0, asked - 1) : asked, keeps: true as const }
  walk.go({ ...rest, phase: 'rest', attempt: attempt + 1, ...had })
  x.timer(delay, 'retry')
}

/** The hook before a stage has failed: the chain is as after every stage, and the hook behind the stage does not run. */
export const NO_HOOK = 'no hook'

/**
 * An execution is over: what counts of it is applied and kept, and the walk goes on, after the hook behind the stage if it has one.
 * `ran`: the chain was halted there, and no hook runs.
 */
export function conclude(walk: Walk, outcome: Outcome, attempts: number, ran?: number | typeof NO_HOOK): void {
  const { node } = walk
  const { members } = walk.engine.chain(node, walk.typed, walk.charter)
  const { outcome: own, dot } = takeAdapted(walk, outcome)
  const isHalted = typeof ran === 'number'
  const finished = finish({
    node,
    outcome: own,
    chain: members,
    ran: isHalted ? ran : members.length,
    token: walk.token(),
    halted: isHalted,
  })
  const kept = { outcome: finished, attempts, ...(dot === undefined ? {} : { dot }) }
  if (ran !== undefined || !walk.engine.hooks(walk.scene(), 'post')) return concluded(walk, kept)
  keepFinished(walk.x, kept)
  walk.go({ ...walk.position, phase: 'enter', hook: 'post', asked: 0 })
  walk.x.again()
}

/** The hook behind a stage has run: nothing that it did changes what the stage came to (reference pipeline 10.3). */
export function hooked(walk: Walk): void {
  const { finished } = walk.tally
  if (finished === undefined) throw new TypeError('a hook ran behind nothing')
  keepFinished(walk.x, null)
  concluded(walk, finished)
}

function concluded(walk: Walk, { outcome: finished, attempts, dot }: Finished): void {
  const final = dot === undefined || !isGood(finished.status) ? finished : adapt(walk, dot, finished)
  settle(walk, final, attempts, [final.status === 'fail' ? 'stage_failed' : 'stage_completed', ended(walk, final)])
}

/** A node is not executed again: its recorded outcome counts (reference pipeline 3.10). */
export function passOver(walk: Walk, recorded: Outcome): void {
  const { node, position } = walk
  const reason = 'nothing that it depends on has changed'
  settle(walk, recorded, 1, ['stage_skipped', { node_id: node.id, reason, duration_ms: 0, index: position.steps + 1 }])
}

/** Keeps what a node came to, and continues from there. */
function settle(walk: Walk, final: Outcome, attempts: number, remark: readonly [type: string, payload: JsonObject]): void {
  const { node } = walk
  apply(walk, final)
  keep(walk, final, attempts, remark[0] === 'stage_skipped')
  walk.note(...remark)
  forgetBranches(walk)
  const stage = node.canonical === 'branch' || final.status === 'skipped' ? {} : stageOf(node.id, final)
  const {
    began: _began,
    at: _at,
    attempt: _attempt,
    asked: _asked,
    for: _for,
    kept: _kept,
    keeps: _keeps,
    hook: _hook,
    reason,
    ...rest
  } = walk.position
  const inherited = 'last' in stage || reason === undefined ? {} : { reason }
  const partial = final.status === 'partial_success' ? { partial: true as const } : {}
  walk.go({ ...rest, ...inherited, ...stage, ...partial, phase: 'enter', steps: rest.steps + 1 })
  advance(walk, node, final)
}

/** Writes what an execution gives, and where it comes from: labels are the engine's, whatever the chain is. */
function apply(walk: Walk, final: Outcome): void {
  const { node } = walk
  const { allowed, refused } = allowedUpdates(final.context_updates, node)
  labelOutputs(walk.token(), final, allowed)
  for (const [key, value] of Object.entries(allowed)) walk.x.set(key, value)
  // Counters of a simulation come along with what a branch has written; nobody tried to write them.
  for (const key of refused.filter((one) => !one.startsWith('internal.simulate.'))) walk.note('update_refused', { node_id: node.id, key })
  if (final.turn !== undefined) keepTurn(walk.x, walk.lap, final.turn)
  keepArtifacts(walk, final.artifacts)
}

/** An execution has at most one fork, and programs beside it: what runs is stopped with it, what has ended is forgotten. */
function forgetBranches(walk: Walk): void {
  const { x } = walk
  walk.gather()
  const kids = [...(x.frame.kids?.entries() ?? [])]
  const detached = new Set(walk.tally.detached)
  const running = kids.filter(([id, { status }]) => status === 'running' && !detached.has(String(id))).map(([id]) => id)
  const ended = kids.filter(([, { status }]) => status !== 'running').map(([id]) => id)
  if (running.length > 0) x.kill(...running)
  if (ended.length > 0) x.drop(...ended)
}

function keep(walk: Walk, final: Outcome, attempts: number, passedOver: boolean): void {
  const { x, node, position, lap } = walk
  const retries = isGood(final.status) ? 0 : attempts - 1
  const before = walk.tally.outcome(node.id)
  const { status, preferred_label, suggested_next_ids, failure_reason, notes, edge, join } = final
  keepOutcome(x, lap, node.id, {
    status,
    ...(preferred_label === undefined ? {} : { preferred_label }),
    ...(suggested_next_ids === undefined ? {} : { suggested_next_ids }),
    ...(edge === undefined ? {} : { edge }),
    ...(join === undefined ? {} : { join }),
    ...(failure_reason === undefined ? {} : { failure_reason }),
    ...(notes === undefined ? {} : { notes }),
    n: position.steps + 1,
    v: (before?.v ?? 0) + 1,
    ...(passedOver && before?.held === true ? { held: true as const } : {}),
    ...(retries > 0 ? { retries } : {}),
  })
  const key = isGood(status) ? skipKey(walk.scene()) : undefined
  if (key !== undefined && (before === undefined || key !== walk.tally.hash(node.id))) keepHash(x, node.id, key)
}

function ended({ node, position, x }: Walk, final: Outcome): JsonObject {
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
