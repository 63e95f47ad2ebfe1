import { isAbsolute, join } from 'node:path'
import type { FaultData } from '../../../../kernel/journal/fault.ts'
import type { Json, JsonObject } from '../../../../kernel/journal/json.ts'
import { textOf } from '../../dot/graph.ts'
import type { Scene } from '../../contract/handler.ts'
import { failure, type Outcome, refusal } from '../../contract/outcome.ts'

/** The text of an attribute that a node cannot do without, else its failure (reference pipeline 4.1). */
export function required(scene: Scene, ...attributes: readonly string[]): string | Outcome {
  const found = attributes.map((name) => textOf(scene.attributes, name)).find((text) => text !== undefined && text.trim() !== '')
  return found ?? refusal(`${scene.node.rawType} ${scene.node.id}: no ${attributes.join(' or ')}`)
}

/** A value of the context that a node cannot do without, else its failure. */
export function requiredValue(scene: Scene, key: string): { readonly value: Json } | Outcome {
  const value = scene.get(key)
  return value === undefined || value === null ? refusal(`${scene.node.rawType} ${scene.node.id}: the context has no ${key}`) : { value }
}

/** A path as its author means it: what is not absolute begins at the `workdir` of the context, else at the work folder. */
export function placeOf(scene: Scene, path: string): string {
  if (isAbsolute(path) || /^(~|\$HOME|\$\{HOME\})(?=$|\/)/.test(path)) return path
  const folder = scene.text('workdir')
  return folder === '' || folder === scene.charter.workdir ? path || '.' : join(folder, path)
}

/** What a node, or else its graph, says of an effect whose outcome nobody knows after a crash. */
export function onResume({ attributes, typed }: Scene): JsonObject {
  const word = (textOf(attributes, 'on_resume') ?? textOf(typed.graph.attributes, 'on_resume'))?.trim()
  return word === undefined || word === '' ? {} : { on_resume: word }
}

/** The failure of a node whose effect failed: one that may pass where the fault says so. */
export function effectFailed(scene: Scene, { code, message, verdict }: FaultData): Outcome {
  const reason = `${scene.node.id}: ${message}`
  return verdict === 'retry' ? failure(reason, { code }) : refusal(reason, { code })
}
