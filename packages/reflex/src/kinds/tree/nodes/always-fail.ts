import { FAILURE, SUCCESS } from '../manifest/behaviour.ts'
import { defineNode } from '../manifest/manifest.ts'
import { decorate } from './decorate.ts'
import { ofChild } from './outcomes.ts'

export const alwaysFail = defineNode({
  type: 'always_fail',
  role: 'decorator',
  children: [1, 1],
  lua: { shapes: [['child'], ['child', 'config']] },
  xml: { ForceFailure: {} },
  parameters: [],
  propagates: 'force',
  outcomes: (children) => ({ success: false, failure: true, running: ofChild(children).running }),
  doc: 'Fails as soon as its child has ended, whatever its answer.',
  example: 'BT.always_fail(BT.action("report", { fn = "mail.report" }))',
  behaviour: decorate((outcome) => (outcome === SUCCESS ? FAILURE : outcome)),
})
