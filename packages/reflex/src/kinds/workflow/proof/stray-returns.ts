import { quote, suggest } from '../../../text/index.ts'
import { outputKeys, nodeOf } from '../model/key-flow.ts'
import type { Finding } from './finding.ts'
import type { Prover } from './prover.ts'
import type { Layout } from './layout.ts'

/**
 * Returns the findings about return maps that name keys the child does not write. If the last nodes of the child declare
 * outputs, it returns these and the keys that their specs write (reference workflow 10); else it returns the keys that any of
 * its decisions or calls may write.
 */
export function strayReturns(prover: Prover, layout: Layout): Finding[] {
  return Object.entries(layout.workflow.nodes).flatMap(([nodeId, { invokes }]) => {
    const child = invokes === undefined ? undefined : prover.layoutOf(invokes.workflowId)
    if (invokes === undefined || child === undefined) return []
    const declared = new Set(child.graph.terminals.flatMap((id) => outputKeys(nodeOf(child.workflow, id))))
    const given = new Set(invokes.inputMap?.map(({ to }) => to))
    return invokes.returnMap.flatMap(({ childKey }, i): Finding[] => {
      if (declared.has(childKey) || given.has(childKey)) return []
      if (declared.size === 0 ? prover.mayWrite(child, childKey) : child.specWrites(childKey)) return []
      const names = declared.size === 0 ? child.writtenKeys : declared
      return [
        {
          rule: 'RETURNMAP_KEY_NOT_IN_CHILD_OUTPUTS',
          nodeId,
          key: childKey,
          message: `node ${quote(nodeId)} returns ${quote(childKey)} of ${quote(child.workflow.id)}, ${declared.size === 0 ? 'which never writes it' : 'whose last nodes do not write it'}`,
          path: ['nodes', nodeId, 'invokes', 'returnMap', i, 'childKey'],
          fix:
            declared.size === 0
              ? 'name a key that the child writes'
              : 'name a declared output of the child, or declare this key as an output there',
          guess: () => suggest(childKey, names),
        },
      ]
    })
  })
}
