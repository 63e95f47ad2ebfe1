import { FAILURE, SUCCESS } from '../manifest/behaviour.ts'
import { defineNode } from '../manifest/manifest.ts'
import { decorate } from './decorate.ts'
import { inverted, ofChild } from './outcomes.ts'

export const inverter = defineNode({
  type: 'inverter',
  role: 'decorator',
  children: [1, 1],
  lua: { shapes: [['child'], ['child', 'config']] },
  xml: { Inverter: {} },
  parameters: [],
  propagates: 'invert',
  outcomes: (children) => inverted(ofChild(children)),
  doc: 'Turns SUCCESS into FAILURE and FAILURE into SUCCESS; RUNNING stays.',
  example: 'BT.inverter(BT.condition("empty", { condition = "bb.count == 0" }))',
  behaviour: decorate((outcome) => (outcome === SUCCESS ? FAILURE : outcome === FAILURE ? SUCCESS : outcome)),
})
