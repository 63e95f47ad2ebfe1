import { isList } from '../../../kernel/index.ts'
import { WrittenNode } from '../model/written-node.ts'
import { listOf, textOf } from '../dot/graph.ts'
import type { NodeContext } from '../contract/handler.ts'
import { combine, DERIVED, type Label, UNTRUSTED } from '../../../policy/label.ts'

/** Matches the names of files that probably contain secrets (reference pipeline 5.3). */
const SECRET = /\.env|credential|secret|private_key/i

/**
 * Returns the level and the sensitivity of the file that a node opens, by where it lies: below the work folder derived, else from
 * outside; undefined for a node that opens none.
 */
export function pathLabel(scene: NodeContext): Label | undefined {
  const opened = scene.node.facts.opens?.(new WrittenNode(scene.attributes))
  if (opened === undefined) return undefined
  const paths = opened.map((file) => ('path' in file ? file.path : scene.get(file.key)))
  const path = paths.find((one) => one !== undefined)
  return labelOf(scene, typeof path === 'string' ? path.trim() : '')
}

/** Returns the label of the files that a node shows to its model; trusted if there are none. */
export function attachmentsLabel(scene: NodeContext): Label {
  const { attributes } = scene
  const found = scene.get(textOf(attributes, 'attachments_context_key')?.trim() ?? '')
  const given = [...listOf(attributes, 'attachments'), ...(isList(found) ? found : [found])]
  return combine(...given.flatMap((path) => (typeof path === 'string' && !path.startsWith('data:') ? [labelOf(scene, path)] : [])))
}

function labelOf({ permissions, node }: NodeContext, path: string): Label {
  if (SECRET.test(path)) return { ...UNTRUSTED, sensitivity: 3, from: node.id }
  const isInside =
    !/^([\\/]|[A-Za-z]:|~|\$)/.test(path) || [permissions.workdir, permissions.folder].some((root) => path.startsWith(`${root}/`))
  return { ...(isInside ? DERIVED : UNTRUSTED), from: node.id }
}
