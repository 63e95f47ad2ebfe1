import { SUCCESS } from '../manifest/behaviour.ts'
import { defineNode, MANY } from '../manifest/manifest.ts'
import { oneAfterAnother } from './one-after-another.ts'
import { ofSequence } from './outcomes.ts'

export const sequence = defineNode({
  type: 'sequence',
  role: 'composite',
  children: [1, MANY],
  lua: {
    shapes: [['children'], ['children', 'config']],
  },
  xml: { Sequence: {} },
  parameters: [],
  propagates: 'any',
  outcomes: ofSequence,
  doc: 'Ticks its children from left to right within one tick. Fails with the first that fails, succeeds when all have succeeded, and the next tick continues at a RUNNING child.',
  example: 'BT.sequence({ BT.condition("ready", { condition = "bb.ready" }), BT.action("go", { fn = "robot.go" }) })',
  behaviour: oneAfterAnother({ goesOnAfter: SUCCESS }),
})
