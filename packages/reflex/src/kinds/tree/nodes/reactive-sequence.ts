import { SUCCESS } from '../manifest/behaviour.ts'
import { defineNode, MANY } from '../manifest/manifest.ts'
import { oneAfterAnother } from './one-after-another.ts'
import { ofSequence } from './outcomes.ts'

export const reactiveSequence = defineNode({
  type: 'reactive_sequence',
  role: 'composite',
  children: [1, MANY],
  lua: {
    shapes: [['children'], ['children', 'config']],
  },
  xml: { ReactiveSequence: {} },
  parameters: [],
  propagates: 'any',
  outcomes: ofSequence,
  doc: 'A sequence that begins at its first child with every tick. A child that was RUNNING is halted when an earlier one is no longer SUCCESS.',
  example: 'BT.reactive_sequence({ BT.condition("safe", { condition = "bb.safe" }), BT.action("drill", { fn = "rig.drill" }) })',
  behaviour: oneAfterAnother({ goesOnAfter: SUCCESS, isReactive: true }),
})
