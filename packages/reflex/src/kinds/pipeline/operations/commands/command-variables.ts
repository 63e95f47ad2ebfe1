import type { Json, JsonObject } from '../../../../kernel/journal/json.ts'
import { isVariableName, isVariableValue } from '../../../../tools/index.ts'
import { readsOf } from '../../model/node-keys.ts'
import { renderText } from '../../language/render.ts'
import type { NodeContext } from '../../contract/handler.ts'

/** Values for a command, or why one cannot be given. */
export type CommandVariables = { readonly values: JsonObject } | { readonly problem: string }

/**
 * The values of the context that a command gets as variables: those that its text names and those that `env_keys` or
 * `context_keys` list, a dotted key by its last part. The text itself never changes. A name that steers programs is not
 * given, whoever named it; a value that is too long fails the node, since the command would find nothing where it expects
 * something (reference pipeline 4.5).
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
    if (!isVariableValue(text)) return { problem: `${key} has more than 32 KB and cannot be given as a variable; write it into a file` }
    from.set(name, key)
    values[name] = text
  }
  return { values }
}
