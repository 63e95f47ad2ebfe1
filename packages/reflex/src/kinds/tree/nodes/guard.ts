import { type Next, OPEN, RUNNING, SUCCESS, type Tick, type TreeNode } from '../manifest/behaviour.ts'
import { defineNode } from '../manifest/manifest.ts'
import { answerOf, ask } from './conditions.ts'
import { ofChild } from './outcomes.ts'

export const guard = defineNode({
  type: 'guard',
  role: 'decorator',
  children: [1, 1],
  lua: {
    shapes: [
      ['condition', 'child'],
      ['condition', 'child', 'config'],
    ],
  },
  xml: { Precondition: { else: 'FAILURE' } },
  parameters: [{ name: 'condition', type: 'condition', required: true, xml: 'if', doc: 'Evaluated with every tick before the child.' }],
  propagates: 'transform',
  outcomes: (children) => ({ ...ofChild(children), failure: true }),
  doc: 'Ticks its child only while a condition is true, and fails otherwise. A child that is RUNNING when the condition becomes false is halted.',
  example: 'BT.guard("bb.battery > 20", BT.action("drive", { fn = "robot.drive" }))',
  behaviour: {
    enter: (tick, node) => open(ask(tick, node, node.params.condition)),
    resume: (tick, node) => refuse(tick, node, open(ask(tick, node, node.params.condition))),
    settle: (tick, node, settled) => refuse(tick, node, open(answerOf(tick, node, settled))),
    child: (_tick, _node, _child, outcome) => outcome,
  },
})

/** The child is ticked if the condition is true. */
function open(answer: Next): Next {
  return answer === SUCCESS ? 0 : answer
}

function refuse(tick: Tick, node: TreeNode, next: Next): Next {
  const [child] = node.children
  if (next !== 0 && next !== OPEN && child !== undefined && tick.outcome(child) === RUNNING) tick.halt(child)
  return next
}
