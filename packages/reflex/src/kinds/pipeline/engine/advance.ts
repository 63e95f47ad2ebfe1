import type { TypedNode } from '../model/typed.ts'
import { isOn } from '../dot/graph.ts'
import { targetOf } from '../model/jumps.ts'
import { levelOf } from '../../../policy/label.ts'
import { type Route, routeFailure, routeLeniently, selectEdge } from './routing.ts'
import { DEFAULTS } from './bounds.ts'
import { jumpsInLoop, restartsInLoop } from './breaker.ts'
import { pendingAfter, takePending } from './fan-out.ts'
import { STAGE_FAILED } from '../contract/faults.ts'
import { openGates } from './gates.ts'
import { labelOfKey } from './labels.ts'
import { type Outcome, reasonOf } from '../contract/outcome.ts'
import { type Ending, type Position, type PositionField, withoutFields } from '../contract/position.ts'
import { jumpKey, storeCount, storeOutcome } from '../contract/engine-board.ts'
import type { FrameStep } from './frame-step.ts'

/** Continues the walk after an execution: follows an edge, jumps, restarts or ends (reference pipeline 3.3, 3.4, 3.9.1). */
export function advance(step: FrameStep, node: TypedNode, outcome: Outcome): void {
  if (step.branch?.spec.item !== undefined) return endItem(step, outcome)
  if (node.canonical === 'exit' && outcome.status !== 'fail') return endNow(step, { status: 'success' })
  const route = routeOf(step, node, outcome)
  if (route === undefined) return deadEnd(step, node, outcome)
  step.note('edge_selected', { from: node.id, to: route.to, reason: route.reason, ...route.seen })
  noteTaint(step, node, route)
  if (route.jump === true) return jump(step, node, route.to, outcome, 'failure_routed')
  const { edge } = route
  if (edge !== undefined && isOn(edge.edge.attributes, 'loop_restart')) return restart(step, edge.edge.from, edge.edge.to, outcome)
  const pending = pendingAfter(step, node, outcome, route)
  if (pending !== undefined) step.setPosition({ ...step.position, pending })
  goTo(step, route.to, edge?.edge.index)
}

/**
 * Notes that untrusted values chose an edge to a node with effects; the edge is still followed (reference pipeline
 * 5.3).
 */
function noteTaint(step: FrameStep, node: TypedNode, { edge, to }: Route): void {
  const target = step.typed.nodes.get(to)?.canonical
  if (edge?.condition === undefined || (target !== 'exec' && target !== 'adapt')) return
  const keys = edge.condition.clauses.map(({ key }) => key).filter((key) => levelOf(labelOfKey(step, key)) === 'untrusted')
  if (keys.length > 0) step.note('tainted_route', { node_id: node.id, to, keys })
}

/**
 * Returns the edge that is followed from a node. A branch node uses the outcome of the stage before it (reference
 * pipeline 3.4).
 */
function routeOf(step: FrameStep, node: TypedNode, outcome: Outcome): Route | undefined {
  const { typed, position } = step
  const get = step.reader()
  if (outcome.status === 'fail') {
    const request = { typed, node: node.id, outcome, get }
    const isLenient = step.permissions.routing?.onUnroutedFailure === 'lenient' && !isOn(node.node.attributes, 'goal_gate')
    return routeFailure(request) ?? (isLenient ? routeLeniently(request) : undefined)
  }
  const leaving = node.canonical === 'branch' ? { ...inheritedOutcome(position), ...labelOf(outcome) } : outcome
  return selectEdge({ typed, node: node.id, outcome: leaving, get })
}

/** Returns the outcome of the stage before a branch node. */
function inheritedOutcome({ status = 'success', label, reason }: Position): Outcome {
  return {
    status,
    ...(label === undefined ? {} : { preferred_label: label }),
    ...(reason === undefined ? {} : { failure_reason: reason }),
  }
}

function labelOf({ preferred_label }: Outcome): Partial<Outcome> {
  return preferred_label === undefined ? {} : { preferred_label }
}

/** The fields of a position that each edge sets again. */
const OF_EDGE: ReadonlySet<PositionField> = new Set(['edge', 'pending'])

/** Enters a node, unless a branch ends there or the node waits for the branches of a fan-out. */
export function goTo(step: FrameStep, to: string, edge: number | undefined): void {
  const { branch, position } = step
  if (branch?.spec.until === to) return endNow(step, { status: 'success' })
  const next = takePending(step, { to, edge })
  step.setPosition({
    ...withoutFields(position, OF_EDGE),
    node: next.to,
    phase: 'enter',
    ...(next.edge === undefined ? {} : { edge: next.edge }),
    ...(next.pending.length === 0 ? {} : { pending: next.pending }),
  })
  step.x.again()
}

/**
 * Ends a walk at a node without an open edge. After a failure the run fails; otherwise it ends as at an exit, goal
 * gates included (reference pipeline 3.3).
 */
function deadEnd(step: FrameStep, node: TypedNode, outcome: Outcome): void {
  const { position } = step
  if (outcome.status === 'fail') {
    const gate = isOn(node.node.attributes, 'goal_gate')
    return endNow(step, {
      status: 'fail',
      reason: gate ? `goal_gate_unsatisfied_no_retry_target: ${reasonOf(outcome)}` : reasonOf(outcome),
      code: outcome.code ?? STAGE_FAILED,
    })
  }
  if (node.canonical === 'branch' && position.status === 'fail')
    return endNow(step, { status: 'fail', reason: position.reason ?? 'the stage before failed' })
  step.note('dead_end', { node_id: node.id })
  const next = takePending(step, undefined)
  if (next !== undefined) {
    step.setPosition({
      ...step.position,
      node: next.to,
      phase: 'enter',
      ...(next.edge === undefined ? {} : { edge: next.edge }),
      pending: next.pending,
    })
    return step.x.again()
  }
  if (!gatesAllow(step)) return
  const isStrict = step.permissions.routing?.deadEnd === 'fail' && step.branch === undefined
  endNow(step, isStrict ? { status: 'fail', reason: `dead_end: no edge leads on from ${node.id}` } : { status: 'success' })
}

/**
 * Prepares an exit: walks the remaining nodes of a fan-out, then checks the goal gates. Returns false if the walk
 * continues elsewhere.
 */
export function reachedExit(step: FrameStep): boolean {
  const { position } = step
  if (position.pending !== undefined && position.pending.length > 0) {
    const here = { to: position.node, edge: position.edge }
    const next = takePending(step, here)
    if (next.to !== here.to) {
      step.setPosition({ ...position, node: next.to, ...(next.edge === undefined ? {} : { edge: next.edge }), pending: next.pending })
      step.x.again()
      return false
    }
  }
  return gatesAllow(step)
}

/**
 * True if all reached goal gates are satisfied; otherwise the run goes back to a retry target, or fails (reference
 * pipeline 3.7).
 */
function gatesAllow(step: FrameStep): boolean {
  if (step.branch !== undefined) return true
  const { typed, engineBoard, position, x } = step
  const [gate] = openGates(step)
  if (gate === undefined) return true
  const target = targetOf(typed, [gate.node.attributes, typed.graph.attributes])
  if (target === undefined) {
    endNow(step, { status: 'fail', reason: `goal_gate_unsatisfied_no_retry_target: ${gate.id}` })
    return false
  }
  const returns = (position.returns ?? 0) + 1
  if (returns > DEFAULTS.returns) {
    endNow(step, { status: 'fail', reason: `goal_gate_unsatisfied: ${gate.id} sent the run back ${DEFAULTS.returns} times` })
    return false
  }
  const kept = engineBoard.outcome(gate.id)
  if (kept !== undefined) storeOutcome(x, position.round ?? 0, gate.id, { ...kept, recheck: true })
  step.note('goal_gate_retrying', { target, gate: gate.id })
  const { edge: _edge, ...rest } = position
  step.setPosition({ ...rest, node: target, phase: 'enter', returns })
  x.again()
  return false
}

/**
 * Continues at a node without an edge. Jumps are limited, and a failure that repeats too often ends the run (reference
 * pipeline 3.11).
 */
function jump(step: FrameStep, from: TypedNode, to: string, outcome: Outcome, event: string): void {
  const { x, engineBoard: tally } = step
  const key = jumpKey(`${from.id}/${to}`)
  const times = tally.count(key) + 1
  if (times > DEFAULTS.jumps) return endNow(step, { status: 'fail', reason: `${from.id} went back to ${to} ${DEFAULTS.jumps} times` })
  const looping = jumpsInLoop(step, from.id, outcome)
  if (looping !== undefined) return endNow(step, { status: 'fail', reason: looping })
  storeCount(x, key, times)
  step.note(event, { from: from.id, to })
  goTo(step, to, undefined)
}

/** Restarts the walk at a node: the context stays, and no node counts as executed (seed pipeline 3.7). */
function restart(step: FrameStep, from: string, to: string, outcome: Outcome): void {
  const { position } = step
  const looping = restartsInLoop(step, outcome)
  if (looping !== undefined) return endNow(step, { status: 'fail', reason: looping })
  const round = (position.round ?? 0) + 1
  step.note('loop_restart', { edge: { from, to }, reason: 'loop_restart_edge', round })
  const { last, status, label, reason, steps, warned } = position
  const kept: Partial<Position> = {
    ...(warned === undefined ? {} : { warned }),
    ...(last === undefined ? {} : { last }),
    ...(status === undefined ? {} : { status }),
    ...(label === undefined ? {} : { label }),
    ...(reason === undefined ? {} : { reason }),
  }
  step.setPosition({ ...kept, node: to, phase: 'enter', steps, round })
  step.x.again()
}

function endItem(step: FrameStep, { status, notes, failure_reason }: Outcome): void {
  const { position, x } = step
  x.done({
    status,
    steps: position.steps,
    duration_ms: x.now - (position.since ?? x.now),
    last_node: position.node,
    ...(notes === undefined ? {} : { notes }),
    ...(failure_reason === undefined ? {} : { failure_reason }),
  })
}

/** Ends the frame, after the closing hook of the pipeline. */
export function endNow(step: FrameStep, ending: Ending, closed = false): void {
  step.gather()
  if (!closed && waitsForDetached(step, ending)) return
  if (step.branch !== undefined) return endBranch(step, ending)
  if (!closed && step.engine.hasClosingHook(step.typed, step.permissions)) return beginClosing(step, ending)
  const { x, position } = step
  if (ending.status === 'cancelled') return x.cancelled(x.frame.link === undefined ? undefined : step.returnedFields())
  if (ending.status === 'fail') {
    step.note('pipeline_failed', { reason: ending.reason ?? '' })
    return step.fail(ending.reason ?? 'failed', ending.node ?? position.last ?? position.node, ending.code)
  }
  step.note('pipeline_completed', { completed_nodes: position.steps })
  x.done({
    status: position.partial === true ? 'partial_success' : 'success',
    steps: position.steps,
    context: step.results(),
    ...step.returnedFields(),
  })
}

/**
 * True if a program that a node started detached is still running: it ends before the pipeline does, and the ending is
 * stored until then.
 */
function waitsForDetached(step: FrameStep, ending: Ending): boolean {
  const { x, engineBoard: tally, position } = step
  if (ending.status === 'cancelled' || !tally.detached.some((name) => x.frame.strands?.has(name) === true)) return false
  step.setPosition({ ...position, ending })
  return true
}

/** Runs the closing hook of a pipeline, then ends it. */
export function beginClosing(step: FrameStep, ending: Ending): void {
  if (step.branch !== undefined || !step.engine.hasClosingHook(step.typed, step.permissions)) return endNow(step, ending, true)
  const { for: _for, limit: _limit, late: _late, hook: _hook, ...rest } = step.position
  step.setPosition({ ...rest, phase: 'close', ending, asked: 0, began: step.x.now, at: step.x.record })
  step.x.again()
}

function endBranch(step: FrameStep, ending: Ending): void {
  const { position, x } = step
  if (ending.status === 'cancelled') return x.cancelled()
  const failed = ending.status === 'fail'
  x.done({
    status: failed ? 'fail' : position.partial === true ? 'partial_success' : 'success',
    steps: position.steps,
    duration_ms: x.now - (position.since ?? x.now),
    last_node: position.last ?? position.node,
    ...(failed ? { failure_reason: ending.reason ?? 'failed' } : {}),
  })
}
