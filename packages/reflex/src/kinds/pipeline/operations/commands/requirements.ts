import { isAbsolute, join } from 'node:path'
import type { FaultData, Json, JsonObject } from '../../../../kernel/index.ts'
import { textOf } from '../../dot/graph.ts'
import type { NodeContext } from '../../contract/handler.ts'
import { failure, type Outcome, refusal } from '../../contract/outcome.ts'

/** Returns the text of a required attribute, or the failure of the node (reference pipeline 4.1). */
export function requiredText(nodeContext: NodeContext, ...attributes: readonly string[]): string | Outcome {
  const found = attributes.map((name) => textOf(nodeContext.attributes, name)).find((text) => text !== undefined && text.trim() !== '')
  return found ?? refusal(`${nodeContext.node.rawType} ${nodeContext.node.id}: no ${attributes.join(' or ')}`)
}

/** Returns a required value of the context, or the failure of the node. */
export function requiredValue(nodeContext: NodeContext, key: string): { readonly value: Json } | Outcome {
  const value = nodeContext.get(key)
  return value === undefined || value === null
    ? refusal(`${nodeContext.node.rawType} ${nodeContext.node.id}: the context has no ${key}`)
    : { value }
}

/** Resolves a path: a relative path begins at the `workdir` of the context, otherwise at the work folder. */
export function resolvePath(nodeContext: NodeContext, path: string): string {
  if (isAbsolute(path) || /^(~|\$HOME|\$\{HOME\})(?=$|\/)/.test(path)) return path
  const folder = nodeContext.text('workdir')
  return folder === '' || folder === nodeContext.permissions.workdir ? path || '.' : join(folder, path)
}

/** Returns the `on_resume` of a node, otherwise of its graph, for an effect whose outcome is unknown after a crash. */
export function onResume({ attributes, typed }: NodeContext): JsonObject {
  const word = (textOf(attributes, 'on_resume') ?? textOf(typed.graph.attributes, 'on_resume'))?.trim()
  return word === undefined || word === '' ? {} : { on_resume: word }
}

/** Returns the failure of a node whose effect failed. It may be retried if the fault allows it. */
export function effectFailed(nodeContext: NodeContext, { code, message, verdict }: FaultData): Outcome {
  const reason = `${nodeContext.node.id}: ${message}`
  return verdict === 'retry' ? failure(reason, { code }) : refusal(reason, { code })
}
