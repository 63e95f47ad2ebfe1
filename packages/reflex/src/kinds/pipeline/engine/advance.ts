import type { TypedNode } from '../model/typed.ts'
import { isOn } from '../dot/graph.ts'
import { targetOf } from '../model/jumps.ts'
import { levelOf } from '../contract/label.ts'
import { type Route, routeFailure, routeLeniently, selectEdge } from './routing.ts'
import { DEFAULTS } from './bounds.ts'
import { jumpsInLoop, restartsInLoop } from './breaker.ts'
import { pendingAfter, takePending } from './fan-out.ts'
import { STAGE_FAILED } from '../contract/faults.ts'
import { openGates } from './gates.ts'
import { labelOfKey } from './labels.ts'
import { type Outcome, reasonOf } from '../contract/outcome.ts'
import type { Ending, Position } from '../contract/position.ts'
import { jumpKey, keepCount, keepOutcome } from '../contract/tally.ts'
import type { Walk } from './walk.ts'

/** Where a walk goes after an execution (reference pipeline 3.3, 3.4, 3.9.1). */
export function advance(walk: Walk, node: TypedNode, outcome: Outcome): void {
  if (walk.branch?.spec.item !== undefined) return endItem(walk, outcome)
  if (node.canonical === 'exit' && outcome.status !== 'fail') return endNow(walk, { status: 'success' })
  const route = routeOf(walk, node, outcome)
  if (route === undefined) return deadEnd(walk, node, outcome)
  walk.note('edge_selected', { from: node.id, to: route.to, reason: route.reason, ...route.seen })
  tellTaint(walk, node, route)
  if (route.jump === true) return jump(walk, node, route.to, outcome, 'failure_routed')
  const { edge } = route
  if (edge !== undefined && isOn(edge.edge.attributes, 'loop_restart')) return restart(walk, edge.edge.from, edge.edge.to, outcome)
  const pending = pendingAfter(walk, node, outcome, route)
  if (pending !== undefined) walk.go({ ...walk.position, pending })
  goTo(walk, route.to, edge?.edge.index)
}

/** Values from outside may choose a way; that they choose one where something is done is told (reference pipeline 5.3). */
function tellTaint(walk: Walk, node: TypedNode, { edge, to }: Route): void {
  const target = walk.typed.nodes.get(to)?.canonical
  if (edge?.condition === undefined || (target !== 'exec' && target !== 'adapt')) return
  const keys = edge.condition.clauses.map(({ key }) => key).filter((key) => levelOf(labelOfKey(walk, key)) === 'untrusted')
  if (keys.length > 0) walk.note('tainted_route', { node_id: node.id, to, keys })
}

/** The outcome by which a node is left: a branch node's is that of the stage before it (reference pipeline 3.4). */
function routeOf(walk: Walk, node: TypedNode, outcome: Outcome): Route | undefined {
  const { typed, position } = walk
  const get = walk.reader()
  const { status = 'success', label, reason } = position
  const inherited: Outcome = {
    status,
    ...(label === undefined ? {} : { preferred_label: label }),
    ...(reason === undefined ? {} : { failure_reason: reason }),
  }
  const leaving = node.canonical === 'branch' && outcome.status !== 'fail' ? { ...inherited, ...labelOf(outcome) } : outcome
  if (outcome.status === 'fail') {
    const request = { typed, node: node.id, outcome, get }
    const isLenient = walk.charter.routing?.onUnroutedFailure === 'lenient' && !isOn(node.node.attributes, 'goal_gate')
    return routeFailure(request) ?? (isLenient ? routeLeniently(request) : undefined)
  }
  return selectEdge({ typed, node: node.id, outcome: leaving, get })
}

function labelOf({ preferred_label }: Outcome): Partial<Outcome> {
  return preferred_label === undefined ? {} : { preferred_label }
}

/** Enters a node, unless a branch ends there or it waits for the branches of a fan-out. */
export function goTo(walk: Walk, to: string, edge: number | undefined): void {
  const { branch, position } = walk
  if (branch?.spec.until === to) return endNow(walk, { status: 'success' })
  const next = takePending(walk, { to, edge })
  const { edge: _edge, ...rest } = position
  const { pending: _pending, ...bare } = rest
  walk.go({
    ...bare,
    node: next.to,
    phase: 'enter',
    ...(next.edge === undefined ? {} : { edge: next.edge }),
    ...(next.pending.length === 0 ? {} : { pending: next.pending }),
  })
  walk.x.again()
}

/** No way on. After a failure the run fails; else it is over as at an exit, goal gates included (reference pipeline 3.3). */
function deadEnd(walk: Walk, node: TypedNode, outcome: Outcome): void {
  const { position } = walk
  if (outcome.status === 'fail') {
    const gate = isOn(node.node.attributes, 'goal_gate')
    return endNow(walk, {
      status: 'fail',
      reason: gate ? `goal_gate_unsatisfied_no_retry_target: ${reasonOf(outcome)}` : reasonOf(outcome),
      code: outcome.code ?? STAGE_FAILED,
    })
  }
  if (node.canonical === 'branch' && position.status === 'fail')
    return endNow(walk, { status: 'fail', reason: position.reason ?? 'the stage before failed' })
  walk.note('dead_end', { node_id: node.id })
  const next = takePending(walk, undefined)
  if (next !== undefined) {
    walk.go({
      ...walk.position,
      node: next.to,
      phase: 'enter',
      ...(next.edge === undefined ? {} : { edge: next.edge }),
      pending: next.pending,
    })
    return walk.x.again()
  }
  if (!gatesAllow(walk)) return
  const isStrict = walk.charter.routing?.deadEnd === 'fail' && walk.branch === undefined
  endNow(walk, isStrict ? { status: 'fail', reason: `dead_end: no edge leads on from ${node.id}` } : { status: 'success' })
}

/**
 * What is done before an exit: what a fan-out left is walked first, then the goal gates are asked. False if the walk has
 * gone elsewhere.
 */
export function reachedExit(walk: Walk): boolean {
  const { position } = walk
  if (position.pending !== undefined && position.pending.length > 0) {
    const here = { to: position.node, edge: position.edge }
    const next = takePending(walk, here)
    if (next.to !== here.to) {
      walk.go({ ...position, node: next.to, ...(next.edge === undefined ? {} : { edge: next.edge }), pending: next.pending })
      walk.x.again()
      return false
    }
  }
  return gatesAllow(walk)
}

/** Whether all goal gates that were reached are satisfied; else the run goes back, or ends (reference pipeline 3.7). */
function gatesAllow(walk: Walk): boolean {
  if (walk.branch !== undefined) return true
  const { typed, tally, position, x } = walk
  const [gate] = openGates(walk)
  if (gate === undefined) return true
  const target = targetOf(typed, [gate.node.attributes, typed.graph.attributes])
  if (target === undefined) {
    endNow(walk, { status: 'fail', reason: `goal_gate_unsatisfied_no_retry_target: ${gate.id}` })
    return false
  }
  const returns = (position.returns ?? 0) + 1
  if (returns > DEFAULTS.returns) {
    endNow(walk, { status: 'fail', reason: `goal_gate_unsatisfied: ${gate.id} sent the run back ${DEFAULTS.returns} times` })
    return false
  }
  const kept = tally.outcome(gate.id)
  if (kept !== undefined) keepOutcome(x, position.lap ?? 0, gate.id, { ...kept, recheck: true })
  walk.note('goal_gate_retrying', { target, gate: gate.id })
  const { edge: _edge, ...rest } = position
  walk.go({ ...rest, node: target, phase: 'enter', returns })
  x.again()
  return false
}

/** Goes on at a node without an edge: bounded, and broken off when the same failure comes back (reference pipeline 3.11). */
function jump(walk: Walk, from: TypedNode, to: string, outcome: Outcome, event: string): void {
  const { x, tally } = walk
  const key = jumpKey(`${from.id}/${to}`)
  const times = tally.count(key) + 1
  if (times > DEFAULTS.jumps) return endNow(walk, { status: 'fail', reason: `${from.id} went back to ${to} ${DEFAULTS.jumps} times` })
  const looping = jumpsInLoop(walk, from.id, outcome)
  if (looping !== undefined) return endNow(walk, { status: 'fail', reason: looping })
  keepCount(x, key, times)
  walk.note(event, { from: from.id, to })
  goTo(walk, to, undefined)
}

/** Begins again from a node with nothing done: the context stays (seed pipeline 3.7). */
function restart(walk: Walk, from: string, to: string, outcome: Outcome): void {
  const { position } = walk
  const looping = restartsInLoop(walk, outcome)
  if (looping !== undefined) return endNow(walk, { status: 'fail', reason: looping })
  const lap = (position.lap ?? 0) + 1
  walk.note('loop_restart', { edge: { from, to }, reason: 'loop_restart_edge', lap })
  const { last, status, label, reason, steps, uncharted, warned } = position
  const kept: Partial<Position> = {
    ...(warned === undefined ? {} : { warned }),
    ...(uncharted === undefined ? {} : { uncharted }),
    ...(last === undefined ? {} : { last }),
    ...(status === undefined ? {} : { status }),
    ...(label === undefined ? {} : { label }),
    ...(reason === undefined ? {} : { reason }),
  }
  walk.go({ ...kept, node: to, phase: 'enter', steps, lap })
  walk.x.again()
}

function endItem(walk: Walk, { status, notes, failure_reason }: Outcome): void {
  const { position, x } = walk
  x.done({
    status,
    steps: position.steps,
    duration_ms: x.now - (position.since ?? x.now),
    last_node: position.node,
    ...(notes === undefined ? {} : { notes }),
    ...(failure_reason === undefined ? {} : { failure_reason }),
  })
}

/** Ends the frame, after what closes a pipeline has been done. */
export function endNow(walk: Walk, ending: Ending, closed = false): void {
  walk.gather()
  if (!closed && waitsForDetached(walk, ending)) return
  if (walk.branch !== undefined) return endBranch(walk, ending)
  if (!closed && walk.tally.charter !== undefined && walk.engine.closes(walk.typed, walk.charter)) return beginClosing(walk, ending)
  const { x, position } = walk
  if (ending.status === 'cancelled') return x.cancelled(x.frame.link === undefined ? undefined : walk.brought())
  if (ending.status === 'fail') {
    walk.note('pipeline_failed', { reason: ending.reason ?? '' })
    return walk.fail(ending.reason ?? 'failed', position.last ?? position.node, ending.code)
  }
  walk.note('pipeline_completed', { completed_nodes: position.steps })
  x.done({
    status: position.partial === true ? 'partial_success' : 'success',
    steps: position.steps,
    context: walk.results(),
    ...walk.brought(),
  })
}

/** A program that its node has left running ends before the pipeline does. True if one is running; the ending is kept until then. */
function waitsForDetached(walk: Walk, ending: Ending): boolean {
  const { x, tally, position } = walk
  if (ending.status === 'cancelled' || !tally.detached.some((name) => x.frame.strands?.has(name) === true)) return false
  walk.go({ ...position, ending })
  return true
}

/** Does what closes a pipeline, then ends it. */
export function beginClosing(walk: Walk, ending: Ending): void {
  if (walk.branch !== undefined || walk.tally.charter === undefined || !walk.engine.closes(walk.typed, walk.charter))
    return endNow(walk, ending, true)
  const { for: _for, limit: _limit, late: _late, hook: _hook, ...rest } = walk.position
  walk.go({ ...rest, phase: 'close', ending, asked: 0, began: walk.x.now, at: walk.x.record })
  walk.x.again()
}

function endBranch(walk: Walk, ending: Ending): void {
  const { position, x } = walk
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
