import { FAILURE, RUNNING, SKIPPED, SUCCESS, type Tick, type TreeNode } from '../manifest/behaviour.ts'
import { defineNode } from '../manifest/manifest.ts'
import { ofBranches } from './outcomes.ts'

export const whileDoElse = defineNode({
  type: 'while_do_else',
  role: 'composite',
  children: [2, 3],
  lua: { shapes: [['children'], ['children', 'config']] },
  xml: { WhileDoElse: {} },
  parameters: [],
  propagates: 'transform',
  outcomes: ofBranches,
  doc: 'Ticks its first child with every tick, then its second while that succeeds, or its third while it fails; without a third it fails. The one that is left is halted.',
  example:
    'BT.while_do_else({ BT.condition("day", { condition = "bb.lux > 10" }), BT.action("work", { fn = "robot.work" }), BT.action("charge", { fn = "robot.charge" }) })',
  behaviour: {
    enter: () => 0,
    resume: () => 0,
    child(tick, node, child, outcome) {
      if (child.place > 0) return outcome
      if (outcome === RUNNING || outcome === SKIPPED) return outcome
      const chosen = outcome === SUCCESS ? 1 : 2
      leave(tick, node.children[3 - chosen])
      return chosen < node.children.length ? chosen : FAILURE
    },
  },
})

function leave(tick: Tick, child: TreeNode | undefined): void {
  if (child !== undefined && tick.outcome(child) === RUNNING) tick.halt(child)
}
