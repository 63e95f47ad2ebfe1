import { defineNode } from '../manifest/manifest.ts'
import { ALWAYS_FAILURE } from './outcomes.ts'
import { textOf } from '../model/text-of.ts'

export const fail = defineNode({
  type: 'fail',
  role: 'leaf',
  children: [0, 0],
  lua: { shapes: [['reason'], ['reason', 'config'], ['config'], []] },
  xml: { AlwaysFailure: {} },
  parameters: [{ name: 'reason', type: 'text', doc: 'The reason of the failure.' }],
  propagates: 'leaf',
  outcomes: () => ALWAYS_FAILURE,
  doc: 'Fails, with a reason.',
  example: 'BT.fail()',
  behaviour: { enter: (tick, node) => tick.fail(node, textOf(node.params.reason ?? `${node.id} always fails`)) },
})
