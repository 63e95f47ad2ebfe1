import { toFault } from '../../../kernel/index.ts'
import { faults } from '../model/faults.ts'
import { type Behaviour, FAILURE, type Next, type Tick, type TreeNode } from './behaviour.ts'
import type { NodeManifest } from './manifest.ts'

/** The parts of a behaviour that answer. */
type Answering = 'enter' | 'resume' | 'child' | 'settle' | 'pending'

/**
 * Returns the manifest of a host with a behaviour that never throws: a refused write, or an error in the code of the host, is a failure
 * of its node, as it is for actions and scripts. What was written before stays.
 */
export function hostManifest(manifest: NodeManifest): NodeManifest {
  const { behaviour, type } = manifest
  const answering = (part: Answering): Partial<Behaviour> => {
    const own = behaviour[part] as ((tick: Tick, node: TreeNode, ...rest: readonly unknown[]) => Next) | undefined
    if (own === undefined) return {}
    const safe = (tick: Tick, node: TreeNode, ...rest: readonly unknown[]): Next => {
      try {
        return own.call(behaviour, tick, node, ...rest)
      } catch (thrown) {
        const failed = toFault(thrown, (message, cause) =>
          faults.make('R1254', `${node.path}: ${type} threw: ${message}`, { path: node.path, cause }),
        )
        return tick.fail(node, failed) ?? FAILURE
      }
    }
    return { [part]: safe }
  }
  const parts = (['enter', 'resume', 'child', 'settle', 'pending'] as const).map(answering)
  return { ...manifest, behaviour: Object.assign({}, behaviour, ...parts) as Behaviour }
}
