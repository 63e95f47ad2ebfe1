import type { Json, JsonObject } from '../../../../kernel/index.ts'
import { isVariableName, isVariableValue } from '../../../../tools/index.ts'
import { readsOf } from '../../model/node-keys.ts'
import { renderText } from '../../language/render.ts'
import type { NodeContext } from '../../contract/handler.ts'

/** The environment variables of a command, or the reason why one is invalid. */
export type CommandVariables = { readonly values: JsonObject } | { readonly problem: string }

/**
 * Returns the context values that a command gets as environment variables: those that its text names and those in `env_keys` or
 * `context_keys`; a dotted key is named by its last part. The text itself never changes. Names that control programs, such as
 * PATH, are never set. A value that is too long fails the node: the command would miss it (reference pipeline 4.5).
 */
export function commandVariables(context: NodeContext): CommandVariables {
  const { attributes, node } = context
  const values: Record<string, Json> = {}
  const from = new Map<string, string>()
  for (const { key, attribute } of readsOf({ id: node.id, facts: node.facts, attributes })) {
    const isListed = attribute === 'env_keys' || attribute === 'context_keys'
    const name = isListed ? (key.split('.').at(-1) ?? key) : key
    const value = context.get(key)
    if (!isVariableName(name)) {
      if (isListed) context.note('variable_refused', { node_id: node.id, key, name })
      continue
    }
    if (value === undefined || (typeof value === 'object' && !isListed)) continue
    const other = from.get(name)
    if (other !== undefined && other !== key) return { problem: `${other} and ${key} would both be the variable ${name}` }
    const text = renderText(value)
    if (!isVariableValue(text)) return { problem: `${key} has more than 32 KB and cannot be a variable; write it into a file` }
    from.set(name, key)
    values[name] = text
  }
  return { values }
}
