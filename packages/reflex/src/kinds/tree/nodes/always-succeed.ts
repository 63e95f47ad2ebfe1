import { FAILURE, SUCCESS } from '../manifest/behaviour.ts'
import { defineNode } from '../manifest/manifest.ts'
import { decorate } from './decorate.ts'
import { ofChild } from './outcomes.ts'

export const alwaysSucceed = defineNode({
  type: 'always_succeed',
  role: 'decorator',
  children: [1, 1],
  lua: { shapes: [['child'], ['child', 'config']] },
  xml: { ForceSuccess: {} },
  parameters: [],
  propagates: 'absorb',
  outcomes: (children) => ({ success: true, failure: false, running: ofChild(children).running }),
  doc: 'Succeeds as soon as its child has ended, whatever its answer. A failure stays in the list of failures, as recovered.',
  example: 'BT.always_succeed(BT.action("report", { fn = "mail.report" }))',
  behaviour: decorate((outcome) => (outcome === FAILURE ? SUCCESS : outcome)),
})
