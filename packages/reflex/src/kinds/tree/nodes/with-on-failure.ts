import { FAILURE, RUNNING } from '../manifest/behaviour.ts'
import { defineNode } from '../manifest/manifest.ts'

/** The node above the root of a tree with `on_failure`: its second child runs after the first has failed, and the tree fails nevertheless. */
export const withOnFailure = defineNode({
  type: 'with_on_failure',
  role: 'composite',
  children: [2, 2],
  parameters: [],
  propagates: 'any',
  outcomes: ([root]) => root ?? { success: true, failure: true, running: true },
  doc: 'The root of a tree, and what runs after its failure.',
  example: 'BT.tree("t", { root = BT.succeed(), on_failure = BT.succeed() })',
  behaviour: {
    enter: () => 0,
    resume: (tick, node) => (tick.outcome(node.children[0] ?? node) === FAILURE ? 1 : 0),
    child(_tick, _node, child, outcome) {
      if (child.place === 0) return outcome === FAILURE ? 1 : outcome
      return outcome === RUNNING ? RUNNING : FAILURE
    },
  },
})
