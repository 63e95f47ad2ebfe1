import { FAILURE, SUCCESS } from '../manifest/behaviour.ts'
import { defineNode } from '../manifest/manifest.ts'
import { ofChild } from './outcomes.ts'

export const cooldown = defineNode({
  type: 'cooldown',
  role: 'decorator',
  children: [1, 1],
  lua: {
    shapes: [
      ['cooldown_ms', 'child'],
      ['cooldown_ms', 'child', 'config'],
      ['config', 'child'],
    ],
  },
  parameters: [
    { name: 'cooldown_ms', type: 'ms', required: true, unit: 'ms', doc: 'The time after an end of the child in which it is not ticked.' },
  ],
  propagates: 'transform',
  outcomes: (children) => ({ ...ofChild(children), failure: true }),
  doc: 'Fails without ticking its child for some time after the child has ended. A child that is RUNNING is ticked. The time outlives executions; a reset clears it.',
  example: 'BT.cooldown(60000, BT.action("page", { fn = "ops.page" }))',
  behaviour: {
    enter(tick, node) {
      const ended = tick.lasting(node)
      const left = ended === undefined ? 0 : Number(ended) + Number(node.params.cooldown_ms) - tick.now
      return left > 0 ? tick.fail(node, `${node.id} cools down for ${left} ms more`) : 0
    },
    resume: () => 0,
    child(tick, node, _child, outcome) {
      if (outcome === SUCCESS || outcome === FAILURE) tick.keepLasting(node, tick.now)
      return outcome
    },
  },
})
