import { isList, type Json } from '../../../kernel/journal/json.ts'
import { ACTION_FACTS, canonicalAction } from '../model/action-facts.ts'
import type { TypedNode } from '../model/typed.ts'
import { listOf, textOf } from '../dot/graph.ts'
import type { NodeContext } from '../contract/handler.ts'
import { combine, DERIVED, type Label, UNTRUSTED } from '../contract/label.ts'

/** Files whose names say that they hold what few may see (reference pipeline 5.3). */
const SECRET = /\.env|credential|secret|private_key/i

/** Whether a node reads a file: by its type, or by the action of that name. */
export function readsFile({ operation, node: { attributes } }: TypedNode): boolean {
  return operation === 'read.file' || (operation === 'action' && canonicalAction(textOf(attributes, 'action') ?? '') === 'file_read')
}

/** The path that a node names, or that a value of the context holds. */
function pathIn(scene: NodeContext): Json | undefined {
  const { attributes, node } = scene
  if (node.operation !== 'action') return textOf(attributes, 'path') ?? scene.get(textOf(attributes, 'source_key') ?? '')
  const { path } = ACTION_FACTS.get('file_read')?.parameters ?? {}
  const names = ['path', ...(path?.also ?? [])]
  const handed = listOf(attributes, 'context_keys').find((key) => names.includes(key.split('.').at(-1) ?? key))
  return (
    (handed === undefined ? undefined : scene.get(handed)) ??
    names.map((name) => textOf(attributes, `param.${name}`)).find((text) => text !== undefined)
  )
}

/** The level and the sensitivity of what a file holds, by where it lies: below the work folder derived, else from outside. */
export function pathLabel(scene: NodeContext): Label {
  const named = pathIn(scene)
  return labelOf(scene, typeof named === 'string' ? named.trim() : '')
}

/** The same of the files that a node shows its model; trusted where it shows none. */
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
