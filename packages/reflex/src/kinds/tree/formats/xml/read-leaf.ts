import type { Json } from '../../../../kernel/index.ts'
import { quote } from '../../../../text/index.ts'
import type { RawNode } from '../raw.ts'
import type { NodeParts } from './node-parts.ts'
import type { NodeModel, PortModel } from './models.ts'
import { fitsType, literalIn, referenceIn, schemaOfType } from './ports.ts'

/** A leaf of a program: an action or a condition of its own. */
export interface LeafUse {
  readonly id: string
  readonly kind: 'Action' | 'Condition'
  readonly model: NodeModel | undefined
  readonly children: readonly RawNode[]
}

/**
 * Reads a leaf of a program as a call of the function of its name. A literal port is an argument; `{key}` is an argument that the blackboard has
 * (input), a key under which the function writes (output), or both; without a model both.
 */
export function readLeaf(parts: NodeParts, { id, kind, model, children }: LeafUse): RawNode {
  const args = new Map<string, Json>()
  const inputs = new Map<string, string>()
  const outputs = new Map<string, string>()
  for (const [port, value] of portsWithDefaults(parts, model)) {
    const declared = model?.ports.get(port)
    if (model !== undefined && declared === undefined) {
      parts.refusePort(port, model.ports.keys())
      continue
    }
    const key = referenceIn(value, port)
    if (key === undefined) {
      if (declared?.flow === 'out') parts.refuse(`${port} is an output, and must be a key of the blackboard`, port, `write ${port}="{key}"`)
      else args.set(port, literalOf(parts, port, value, declared?.type))
    } else if (parts.useKey(key, port, schemaOfType(declared?.type))) {
      const { flow = 'inout' }: Partial<PortModel> = declared ?? {}
      if (flow !== 'out') inputs.set(port, key)
      if (flow !== 'in' && kind === 'Action') outputs.set(port, key)
      else if (flow === 'out') parts.refuse('a condition writes nothing, and this port is an output', port, 'make it an Action')
    }
  }
  const call = { fn: id, ...mapped('args', args), ...mapped('inputs', inputs) }
  if (kind === 'Condition') parts.set('condition', call, 'ID')
  else for (const [name, value] of Object.entries(call)) parts.set(name, value)
  if (outputs.size > 0) parts.set('outputs', Object.fromEntries(outputs))
  return parts.node(kind === 'Condition' ? 'condition' : 'action', children)
}

function literalOf(parts: NodeParts, port: string, text: string, type: string | undefined): Json {
  const value = literalIn(text, type)
  if (!fitsType(value, type)) parts.refuse(`${port} is of type ${type}, and ${quote(text)} is not`, port, `write a value of type ${type}`)
  return value
}

/** A field with a map as an object; none for an empty map. */
function mapped(name: string, map: ReadonlyMap<string, Json>): Readonly<Record<string, Json>> {
  return map.size === 0 ? {} : { [name]: Object.fromEntries(map) }
}

/** The ports of an element, and those of its model that have a value although the element does not have them. */
function portsWithDefaults(parts: NodeParts, model: NodeModel | undefined): (readonly [string, string])[] {
  const given = parts.ports
  const present = new Set(given.map(([name]) => name))
  const added = [...(model?.ports ?? [])].flatMap(([name, port]): [string, string][] =>
    port.default === undefined || port.default === '' || present.has(name) ? [] : [[name, port.default]],
  )
  return [...given, ...added]
}
