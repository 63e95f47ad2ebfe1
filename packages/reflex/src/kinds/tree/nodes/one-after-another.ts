import {
  type Behaviour,
  type FAILURE,
  type Next,
  type Outcome,
  RUNNING,
  SKIPPED,
  type SUCCESS,
  type Tick,
  type TreeNode,
} from '../manifest/behaviour.ts'

/** How a composite goes through its children. */
interface Order {
  /** The answer of a child on which the next one is ticked; the other answer is that of the composite. */
  readonly goesOnAfter: typeof SUCCESS | typeof FAILURE
  /** Every tick begins at the first child. */
  readonly isReactive?: true
  /** A new execution begins at the child that ended the last one. */
  readonly remembers?: true
}

/** The behaviour of sequences and selectors: their children are ticked one after another within one tick. */
export function oneAfterAnother({ goesOnAfter, isReactive, remembers }: Order): Behaviour {
  /** The child with which the composite begins. */
  const first = (tick: Tick, node: TreeNode): Next => {
    const kept = remembers === undefined ? undefined : tick.lasting(node)
    return typeof kept === 'number' && kept < node.children.length ? kept : 0
  }
  const resume = (tick: Tick, node: TreeNode): Next => {
    if (isReactive) return 0
    const running = node.children.findIndex((child) => tick.outcome(child) === RUNNING)
    return Math.max(running, 0)
  }
  return {
    enter: first,
    resume,
    child(tick, node, child, outcome) {
      if (outcome === goesOnAfter || outcome === SKIPPED) return after(tick, node, child)
      for (const other of node.children) if (other !== child && tick.outcome(other) === RUNNING) tick.halt(other)
      if (remembers && outcome !== RUNNING) tick.keepLasting(node, child.place)
      return outcome
    },
  }
  function after(tick: Tick, node: TreeNode, child: TreeNode): Next {
    if (child.place + 1 < node.children.length) return child.place + 1
    const isWhole = first(tick, node) === 0
    if (remembers) tick.keepLasting(node, undefined)
    return isWhole && isSkipped(tick, node) ? SKIPPED : (goesOnAfter satisfies Outcome)
  }
}

/** True if every child was skipped. A closure in its place would be allocated for each child that answers. */
function isSkipped(tick: Tick, { children }: TreeNode): boolean {
  for (const child of children) if (tick.outcome(child) !== undefined) return false
  return true
}
