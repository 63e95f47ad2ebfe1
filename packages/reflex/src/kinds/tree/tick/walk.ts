import { CALL, type LaidNode } from '../compile/layout.ts'
import { FAILURE, NEXT, type Next, OPEN, type Outcome, RUNNING, SKIPPED, SUCCESS } from '../manifest/behaviour.ts'
import { leavePause } from './debug-state.ts'
import { BREAK } from './debug-words.ts'
import { FRESH, HAS_FAILED, IS_RUNNING, SUCCEEDED } from './states.ts'
import type { Ticking } from './ticking.ts'

/**
 * Ticks the tree once: down to a leaf, up with its answer, until the root has answered. Returns OPEN if a leaf has to be performed first; the
 * walk then continues at that leaf, and nothing before it is ticked again. `running`: the leaf at which it stopped, and which is RUNNING now.
 */
export function walk(tick: Ticking, root: LaidNode, running?: LaidNode): Outcome | typeof OPEN {
  const stopped = running ?? tick.openLeaf()
  const passes = leavePause(tick.state)
  const first = stopped ?? root
  const next = running !== undefined ? RUNNING : stopped === undefined || passes ? down(tick, first, passes) : settled(tick, first)
  return follow(tick, first, next)
}

/** Ticks a child for a node that ticks its children itself. A leaf that has to be performed first is RUNNING. */
export function walkBelow(tick: Ticking, child: LaidNode): Outcome {
  return follow(tick, child, down(tick, child), child) as Outcome
}

/** Follows what a node does next, until the root has answered, or the node `top`. */
function follow(tick: Ticking, first: LaidNode, firstNext: Next, top?: LaidNode): Outcome | typeof OPEN {
  let node = first
  let next = firstNext
  for (;;) {
    while (next >= 0) {
      node = childAt(node, next)
      next = down(tick, node)
    }
    if (next <= OPEN) {
      if (next === BREAK) return OPEN
      if (top === undefined) {
        tick.stopAt(node)
        return OPEN
      }
      next = RUNNING
    }
    const outcome = up(tick, node, next as Outcome)
    const { parent } = node
    if (parent === undefined || node === top) return outcome
    const turn = turnOf(parent, outcome)
    if (turn === NEXT && node.next !== undefined) {
      node = node.next
      next = down(tick, node)
      continue
    }
    if (turn === CALL) next = parent.behaviour.child?.(tick, parent, node, outcome) ?? outcome
    else {
      next = turn === NEXT ? lastOf(tick, parent, outcome) : turn
      if (next === RUNNING) tick.haltChildren(parent, node)
    }
    node = parent
  }
}

function childAt({ path, children }: LaidNode, place: number): LaidNode {
  const child = children[place]
  if (child === undefined) throw new RangeError(`${path} has no child ${place}`)
  return child
}

/** Returns what a node does when a child has answered. */
function turnOf({ turns }: LaidNode, outcome: Outcome): number {
  if (outcome === SUCCESS) return turns.success
  if (outcome === FAILURE) return turns.failure
  return outcome === RUNNING ? turns.running : turns.skipped
}

/** Returns the answer of a node after its last child: it is skipped if all of them were. */
function lastOf({ state }: Ticking, { turns, children }: LaidNode, outcome: Outcome): Next {
  const isSkipped = outcome === SKIPPED && children.every((child) => state.state(child) === FRESH)
  return isSkipped ? SKIPPED : turns.last
}

/** Ticks a node on the way down. `passes`: the walk has stopped before it, and continues. */
function down(tick: Ticking, node: LaidNode, passes = false): Next {
  const { state } = tick
  if (tick.isWatched || !node.isPlain) return guarded(tick, node, passes)
  if (state.codes[node.index] === IS_RUNNING) return resumed(tick, node)
  if (node.children.length > 0 || state.hasDetails(node.index) || tick.hasReasons) tick.begin(node)
  return node.hasFlow ? 0 : node.behaviour.enter(tick, node)
}

/** Ticks a node that has conditions or a contract, or that somebody watches. */
function guarded(tick: Ticking, node: LaidNode, passes: boolean): Next {
  const debugged = tick.debugger?.before(node, passes)
  if (debugged === BREAK) return BREAK
  tick.visit(node)
  if (debugged !== undefined) return debugged
  const { conditions } = node.compiled
  if (tick.state.state(node) === IS_RUNNING) {
    if (conditions?.while !== undefined && !tick.holds(node, conditions.while)) {
      tick.halt(node)
      return SKIPPED
    }
    return resumed(tick, node)
  }
  tick.begin(node)
  const early = conditions === undefined ? undefined : tick.preconditions(node, conditions)
  if (early !== undefined) return early
  const lacking = tick.lackingInput(node)
  return lacking === undefined ? node.behaviour.enter(tick, node) : tick.fail(node, lacking)
}

function resumed(tick: Ticking, node: LaidNode): Next {
  const { state } = tick
  const { behaviour, children, index } = node
  if (state.operation(index) !== undefined) return operation(tick, node)
  if (behaviour.flow === undefined) return behaviour.resume?.(tick, node) ?? RUNNING
  return behaviour.flow.isReactive
    ? 0
    : Math.max(
        0,
        children.findIndex((child) => state.state(child) === IS_RUNNING),
      )
}

/** A node whose operation is on its way: it is RUNNING until that has settled or its time is over. */
function operation(tick: Ticking, node: LaidNode): Next {
  const result = tick.takeSettled(node)
  const { behaviour } = node
  return (result === undefined ? behaviour.pending?.(tick, node) : behaviour.settle?.(tick, node, result)) ?? RUNNING
}

/** Continues at the leaf at which the tick has stopped. */
function settled(tick: Ticking, node: LaidNode): Next {
  if (!node.isPlain || tick.isWatched) tick.visit(node)
  const result = tick.takeSettled(node)
  if (result === undefined) throw new TypeError(`the tick continues at ${node.path}, whose operation has not settled`)
  return node.behaviour.settle?.(tick, node, result) ?? FAILURE
}

/** A node has answered: its state follows, then its post-conditions. */
function up(tick: Ticking, node: LaidNode, answer: Outcome): Outcome {
  const { state } = tick
  const { index, children, isPlain } = node
  // Below a node that was not RUNNING nothing is, unless its behaviour has ticked another child after one that is.
  const mayHalt = children.length > 0 && (!node.hasFlow || state.codes[index] === IS_RUNNING)
  if (answer === SUCCESS && isPlain && !mayHalt && !state.hasDetails(index)) {
    state.codes[index] = SUCCEEDED
    return SUCCESS
  }
  const outcome = answer === RUNNING ? running(tick, node) : answer
  if (outcome === RUNNING) return outcome
  if (mayHalt) tick.haltChildren(node)
  if (outcome === SKIPPED) {
    tick.refresh(node)
    state.setState(index, FRESH, tick.now)
    return outcome
  }
  const final = isPlain ? outcome : tick.afterwards(node, outcome)
  if (final === FAILURE) tick.failed(node)
  state.setState(index, final === SUCCESS ? SUCCEEDED : HAS_FAILED, tick.now)
  return final
}

/** A node is RUNNING, unless it is a leaf that has been so for too long. */
function running(tick: Ticking, node: LaidNode): typeof RUNNING | typeof FAILURE {
  tick.state.setState(node.index, IS_RUNNING, tick.now)
  tick.attach(node)
  return tick.judged(node)
}
