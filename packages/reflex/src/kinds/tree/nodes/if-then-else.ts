import { FAILURE, RUNNING, SKIPPED, SUCCESS } from '../manifest/behaviour.ts'
import { defineNode } from '../manifest/manifest.ts'
import { ofBranches } from './outcomes.ts'

export const ifThenElse = defineNode({
  type: 'if_then_else',
  role: 'composite',
  children: [2, 3],
  lua: { shapes: [['children'], ['children', 'config']] },
  xml: { IfThenElse: {} },
  parameters: [],
  propagates: 'transform',
  outcomes: ofBranches,
  doc: 'Ticks its first child, then its second if that succeeded, or its third if it failed; without a third it fails. The first is not ticked again while another is RUNNING.',
  example:
    'BT.if_then_else({ BT.condition("dark", { condition = "bb.lux < 10" }), BT.action("on", { fn = "lamp.on" }), BT.action("off", { fn = "lamp.off" }) })',
  behaviour: {
    enter: () => 0,
    resume: (tick, node) =>
      Math.max(
        0,
        node.children.findIndex((child) => tick.outcome(child) === RUNNING),
      ),
    child(_tick, node, child, outcome) {
      if (child.place > 0 || outcome === RUNNING || outcome === SKIPPED) return outcome
      if (outcome === SUCCESS) return 1
      return node.children.length > 2 ? 2 : FAILURE
    },
  },
})
