import { RUNNING } from '../manifest/behaviour.ts'
import { defineNode } from '../manifest/manifest.ts'
import { ofChild } from './outcomes.ts'

export const delay = defineNode({
  type: 'delay',
  role: 'decorator',
  children: [1, 1],
  lua: {
    shapes: [
      ['delay_ms', 'child'],
      ['delay_ms', 'child', 'config'],
      ['config', 'child'],
    ],
  },
  xml: { Delay: {} },
  parameters: [
    { name: 'delay_ms', type: 'ms', required: true, xml: 'delay_msec', unit: 'ms', doc: 'The time before the child is first ticked.' },
  ],
  propagates: 'transform',
  outcomes: (children) => ({ ...ofChild(children), running: true }),
  doc: 'Ticks its child only after some time, and is RUNNING until then.',
  example: 'BT.delay(1000, BT.action("check", { fn = "service.check" }))',
  behaviour: {
    enter(tick, node) {
      const due = tick.now + Number(node.params.delay_ms)
      tick.keep(node, [due])
      tick.wakeAt(node, due)
      return RUNNING
    },
    resume(tick, node) {
      const due = Number(tick.own(node)?.[0] ?? 0)
      if (tick.now >= due) return 0
      tick.wakeAt(node, due)
      return RUNNING
    },
    child: (_tick, _node, _child, outcome) => outcome,
  },
})
