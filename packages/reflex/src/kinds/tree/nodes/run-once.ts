import { FAILURE, RUNNING, SKIPPED, SUCCESS } from '../manifest/behaviour.ts'
import { defineNode } from '../manifest/manifest.ts'
import { ofChild } from './outcomes.ts'

export const runOnce = defineNode({
  type: 'run_once',
  role: 'decorator',
  children: [1, 1],
  lua: { shapes: [['child'], ['child', 'config']] },
  xml: { RunOnce: {} },
  parameters: [
    {
      name: 'then_skip',
      type: 'flag',
      default: true,
      xml: 'then_skip',
      doc: 'True: the node is skipped afterwards. False: it answers as its child did.',
    },
  ],
  propagates: 'transform',
  outcomes: ofChild,
  doc: 'Runs its child to its end once in the life of the tree; afterwards it is skipped, or answers as the child did.',
  example: 'BT.run_once(BT.action("greet", { fn = "chat.greet" }))',
  behaviour: {
    enter(tick, node) {
      const answer = tick.lasting(node)
      if (answer === undefined) return 0
      if (node.params.then_skip === true) return SKIPPED
      return answer === 'success' ? SUCCESS : FAILURE
    },
    resume: () => 0,
    child(tick, node, _child, outcome) {
      if (outcome !== RUNNING && outcome !== SKIPPED) tick.keepLasting(node, outcome === SUCCESS ? 'success' : 'failure')
      return outcome
    },
  },
})
