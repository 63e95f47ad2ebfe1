import { FAILURE } from '../manifest/behaviour.ts'
import { defineNode, MANY } from '../manifest/manifest.ts'
import { oneAfterAnother } from './one-after-another.ts'
import { ofSelector } from './outcomes.ts'

export const selector = defineNode({
  type: 'selector',
  role: 'composite',
  children: [1, MANY],
  lua: {
    aliases: ['fallback'],
    shapes: [['children'], ['children', 'config']],
  },
  xml: { Fallback: {} },
  parameters: [],
  propagates: 'all',
  outcomes: ofSelector,
  doc: 'Ticks its children from left to right within one tick until one succeeds. Fails when all have failed, and the next tick continues at a RUNNING child.',
  example: 'BT.selector({ BT.action("walk", { fn = "robot.walk" }), BT.action("call", { fn = "robot.call" }) })',
  behaviour: oneAfterAnother({ goesOnAfter: FAILURE }),
})
