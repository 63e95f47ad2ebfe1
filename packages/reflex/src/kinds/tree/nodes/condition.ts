import { defineNode } from '../manifest/manifest.ts'
import { answerOf, ask } from './conditions.ts'
import { AT_ONCE } from './outcomes.ts'

export const condition = defineNode({
  type: 'condition',
  role: 'leaf',
  children: [0, 0],
  lua: { shapes: [['id', 'config'], ['config']] },
  xml: { ScriptCondition: {} },
  parameters: [
    {
      name: 'condition',
      type: 'condition',
      required: true,
      aliases: ['expression', 'check'],
      xml: 'code',
      doc: 'Lua that is true or false, or { fn = "name" }.',
    },
  ],
  propagates: 'leaf',
  outcomes: () => AT_ONCE,
  doc: 'Succeeds if its condition is true. It is never RUNNING, and an error makes it fail.',
  example: 'BT.condition("healthy", { condition = "bb.error_rate < 0.01" })',
  behaviour: {
    enter: (tick, node) => ask(tick, node, node.params.condition),
    settle: answerOf,
  },
})
