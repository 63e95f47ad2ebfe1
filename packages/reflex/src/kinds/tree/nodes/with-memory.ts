import { type Behaviour, type FAILURE, type Next, RUNNING, SKIPPED, type SUCCESS, type Tick, type TreeNode } from '../manifest/behaviour.ts'

/**
 * The behaviour of sequences and selectors with memory: one after another, and a new execution begins at the child that ended the last one.
 * `goesOnAfter`: the answer of a child on which the next one is ticked; the other answer is that of the composite.
 */
export function withMemory(goesOnAfter: typeof SUCCESS | typeof FAILURE): Behaviour {
  return {
    enter: first,
    resume(tick, node) {
      const running = node.children.findIndex((child) => tick.outcome(child) === RUNNING)
      return Math.max(running, 0)
    },
    child(tick, node, child, outcome) {
      if (outcome !== goesOnAfter && outcome !== SKIPPED) {
        if (outcome !== RUNNING) tick.keepLasting(node, child.place)
        return outcome
      }
      if (child.place + 1 < node.children.length) return child.place + 1
      const isWhole = first(tick, node) === 0
      tick.keepLasting(node, undefined)
      return isWhole && node.children.every((each) => tick.outcome(each) === undefined) ? SKIPPED : goesOnAfter
    },
  }
}

/** The child with which the composite begins. */
function first(tick: Tick, node: TreeNode): Next {
  const kept = tick.lasting(node)
  return typeof kept === 'number' && kept < node.children.length ? kept : 0
}
