import { FAILURE, type Next, OPEN, type Outcome, RUNNING, SKIPPED, SUCCESS } from '../manifest/behaviour.ts'
import type { LaidNode } from '../compile/layout.ts'
import { leavePause } from './debug-state.ts'
import { BREAK } from './debug-words.ts'
import type { Ticking } from './ticking.ts'
import { FRESH, HAS_FAILED, IS_RUNNING, SUCCEEDED } from './tree-state.ts'

/**
 * Ticks the tree once: down to a leaf, up with its answer, until the root has answered. Returns OPEN if a leaf has to be performed first; the
 * walk then goes on at that leaf, and nothing before it is ticked again. `running`: the leaf at which it stopped, and which is RUNNING now.
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
  let [node, next] = [first, firstNext]
  for (;;) {
    if (next === BREAK) return OPEN
    if (next === OPEN && top !== undefined) next = RUNNING
    if (next === OPEN) {
      tick.stopAt(node)
      return OPEN
    }
    if (next >= 0) {
      const child: LaidNode | undefined = node.children[next]
      if (child === undefined) throw new RangeError(`${node.path} has no child ${next}`)
      node = child
      next = down(tick, node)
      continue
    }
    const outcome = up(tick, node, next as Outcome)
    const { parent } = node
    if (parent === undefined || node === top) return outcome
    next = parent.behaviour.child?.(tick, parent, node, outcome) ?? outcome
    node = parent
  }
}

/** Ticks a node on the way down. `passes`: the walk has stopped before it, and goes on. */
function down(tick: Ticking, node: LaidNode, passes = false): Next {
  const { state } = tick
  const debugged = tick.debugger?.before(node, passes)
  if (debugged === BREAK) return BREAK
  if (!node.isPlain || tick.isObserved) tick.visit(node)
  if (debugged !== undefined) return debugged
  const { behaviour } = node
  const conditions = node.isPlain ? undefined : node.compiled.conditions
  if (state.state(node) === IS_RUNNING) {
    if (conditions?.while !== undefined && !tick.holds(node, conditions.while)) {
      tick.halt(node)
      return SKIPPED
    }
    if (state.operation(node.index) !== undefined) return operation(tick, node)
    return behaviour.resume?.(tick, node) ?? RUNNING
  }
  tick.begin(node)
  const early = conditions === undefined ? undefined : tick.preconditions(node, conditions)
  if (early !== undefined) return early
  const lacking = node.isPlain ? undefined : tick.lackingInput(node)
  if (lacking !== undefined) return tick.fail(node, lacking)
  return behaviour.enter(tick, node)
}

/** A node whose operation is on its way: it is RUNNING until that has settled or its time is over. */
function operation(tick: Ticking, node: LaidNode): Next {
  const result = tick.takeSettled(node)
  const { behaviour } = node
  return (result === undefined ? behaviour.pending?.(tick, node) : behaviour.settle?.(tick, node, result)) ?? RUNNING
}

/** Goes on at the leaf at which the tick has stopped. */
function settled(tick: Ticking, node: LaidNode): Next {
  if (!node.isPlain || tick.isObserved) tick.visit(node)
  const result = tick.takeSettled(node)
  if (result === undefined) throw new TypeError(`the tick continues at ${node.path}, whose operation has not settled`)
  return node.behaviour.settle?.(tick, node, result) ?? FAILURE
}

/** A node has answered: its state follows, then its post-conditions. */
function up(tick: Ticking, node: LaidNode, answer: Outcome): Outcome {
  const outcome = answer === RUNNING ? running(tick, node) : answer
  if (outcome === SKIPPED) {
    tick.haltChildren(node)
    tick.refresh(node)
    tick.state.setState(node.index, FRESH, tick.now)
    return outcome
  }
  if (outcome === RUNNING) return outcome
  tick.haltChildren(node)
  const final = tick.finished(node, outcome)
  tick.state.setState(node.index, final === SUCCESS ? SUCCEEDED : HAS_FAILED, tick.now)
  return final
}

/** A node is RUNNING, unless it is a leaf that has been so for too long. */
function running(tick: Ticking, node: LaidNode): typeof RUNNING | typeof FAILURE {
  tick.state.setState(node.index, IS_RUNNING, tick.now)
  tick.operations.attach(node)
  return tick.judged(node)
}
