import { isList, type Json } from '../../../kernel/index.ts'
import { RUNNING, type Tick, type TreeNode } from '../manifest/behaviour.ts'
import { defineNode, MANY } from '../manifest/manifest.ts'
import { textOf } from '../model/text-of.ts'

export const switchNode = defineNode({
  type: 'switch',
  role: 'composite',
  children: [2, MANY],
  lua: { shapes: [['key', 'config'], ['config']] },
  xml: { Switch2: {}, Switch3: {}, Switch4: {}, Switch5: {}, Switch6: {} },
  parameters: [
    { name: 'key', type: 'key', flow: 'in', required: true, xml: 'variable', doc: 'The key whose value chooses the child.' },
    {
      name: 'cases',
      type: 'json',
      required: true,
      doc: 'The values, as a list, one for each child but the last. A number and a text that look alike are the same.',
    },
  ],
  propagates: 'policy',
  outcomes: (children) => ({
    success: children.some(({ success }) => success),
    failure: children.some(({ failure }) => failure),
    running: children.some(({ running }) => running),
  }),
  check({ cases }, children) {
    if (!isList(cases) || cases.some((item) => typeof item === 'object')) return 'cases must be a list of texts, numbers and booleans'
    return children === cases.length + 1
      ? undefined
      : `${cases.length} cases need ${cases.length + 1} children: one for each, and one for every other value`
  },
  doc: 'Ticks the child whose case is the value of a key, or the last child if no case is. The value is read with every tick; a child that is left is halted.',
  example:
    'BT.switch("mode", { cases = { "day", "night" }, BT.action("work", { fn = "robot.work" }), BT.action("charge", { fn = "robot.charge" }), BT.succeed() })',
  behaviour: {
    enter: choose,
    resume: choose,
    child: (_tick, _node, _child, outcome) => outcome,
  },
})

function choose(tick: Tick, node: TreeNode): number {
  const value = tick.board(node).get(textOf(node.params.key))
  const cases: readonly Json[] = isList(node.params.cases) ? node.params.cases : []
  const match = value === undefined || value === null ? -1 : cases.findIndex((item) => textOf(item) === textOf(value))
  const chosen = match < 0 ? node.children.length - 1 : match
  for (const child of node.children) if (child.place !== chosen && tick.outcome(child) === RUNNING) tick.halt(child)
  return chosen
}
