import { RUNNING, SUCCESS } from '../manifest/behaviour.ts'
import { defineNode } from '../manifest/manifest.ts'

export const wait = defineNode({
  type: 'wait',
  role: 'leaf',
  children: [0, 0],
  lua: { shapes: [['wait_ms', 'config'], ['wait_ms'], ['config']] },
  xml: { Sleep: {} },
  parameters: [{ name: 'wait_ms', type: 'ms', required: true, xml: 'msec', unit: 'ms', doc: 'The time for which it is RUNNING.' }],
  propagates: 'leaf',
  outcomes: () => ({ success: true, failure: false, running: true }),
  doc: 'Is RUNNING for some time, then succeeds.',
  example: 'BT.wait(5000)',
  behaviour: {
    enter(tick, node) {
      const due = tick.now + Number(node.params.wait_ms)
      tick.keep(node, [due])
      tick.wakeAt(node, due)
      return RUNNING
    },
    resume(tick, node) {
      const due = Number(tick.own(node)?.[0] ?? 0)
      if (tick.now >= due) return SUCCESS
      tick.wakeAt(node, due)
      return RUNNING
    },
  },
})
