import { SUCCESS } from '../manifest/behaviour.ts'
import { defineNode } from '../manifest/manifest.ts'
import { textOf } from '../model/text-of.ts'
import { ALWAYS_SUCCESS } from './outcomes.ts'

export const unset = defineNode({
  type: 'unset',
  role: 'leaf',
  children: [0, 0],
  lua: { shapes: [['key'], ['key', 'config'], ['config']] },
  xml: { UnsetBlackboard: {} },
  parameters: [{ name: 'key', type: 'key', flow: 'out', required: true, xml: 'key', doc: 'The key that is deleted.' }],
  propagates: 'leaf',
  outcomes: () => ALWAYS_SUCCESS,
  doc: 'Deletes a key from the scope of the node, and succeeds also if it has no value.',
  example: 'BT.unset("draft")',
  behaviour: {
    enter(tick, node) {
      tick.board(node).delete(textOf(node.params.key))
      return SUCCESS
    },
  },
})
