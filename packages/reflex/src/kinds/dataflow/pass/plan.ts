import { bindParameter } from '../manifests/bind-parameter.ts'
import { resolveKey } from '../manifests/keys.ts'
import { quote } from '../../../text/index.ts'
import type { GraphNode, ValidatedGraph } from '../model/graph.ts'
import type { IntentDeclaration, ParameterValue } from '../model/manifest.ts'
import type { Parameters } from '../model/primitive.ts'
import type { PortType, ScalarType } from '../model/value.ts'
import { nodeError, type PassError } from './pass-error.ts'

/** A connected input and the output that it takes. */
export interface PlannedInput {
  readonly port: string
  readonly type: PortType
  readonly from: { readonly node: number; readonly port: string }
}

/** A write whose key is resolved. `from`: the input, or the field of an intent. */
export interface PlannedWrite {
  readonly key: string
  readonly type: ScalarType
  readonly from: string
}

export interface PlannedIntent extends Pick<IntentDeclaration, 'name' | 'fields'> {
  readonly mirrors: readonly PlannedWrite[]
}

/** A node with everything that is the same in each pass. */
export interface PlannedNode {
  readonly index: number
  readonly node: GraphNode
  readonly parameters: Parameters
  /** The connected inputs in the order of the manifest. */
  readonly inputs: readonly PlannedInput[]
  /** The keys of the context that a source requires. */
  readonly keys: readonly { readonly key: string; readonly type: ScalarType; readonly required: boolean }[]
  readonly writes: readonly PlannedWrite[]
  readonly intents: readonly PlannedIntent[]
  /** The error of its parameters, which ends every pass that reaches the node. */
  readonly error: PassError | undefined
}

/** A graph as passes evaluate it. */
export interface Plan {
  readonly graph: ValidatedGraph
  /** In the order of evaluation. */
  readonly nodes: readonly PlannedNode[]
  /** True if an action has an intent: a pass needs the ids of the graph and the event. */
  readonly needsIds: boolean
}

/** Returns the plan of a graph. */
export function planOf(graph: ValidatedGraph): Plan {
  const nodes = graph.order.flatMap((index) => {
    const node = graph.nodes[index]
    return node === undefined ? [] : [planNode(graph, node, index)]
  })
  return { graph, nodes, needsIds: nodes.some(({ intents }) => intents.length > 0) }
}

function planNode(graph: ValidatedGraph, node: GraphNode, index: number): PlannedNode {
  const { manifest } = node.primitive
  const { parameters, error } = bindAll(node)
  const producers = graph.producers[index] ?? {}
  const inputs = manifest.inputs.flatMap(({ name, type }) => {
    const from = Object.hasOwn(producers, name) ? producers[name] : undefined
    return from === undefined ? [] : [{ port: name, type, from }]
  })
  const unresolved: string[] = []
  const keyOf = (name: string): string => {
    const key = resolveKey(name, parameters)
    if (key === undefined) unresolved.push(name)
    return key ?? ''
  }
  const keys = (manifest.requires?.context ?? []).map(({ name, type, required }) => ({ key: keyOf(name), type, required }))
  const writes = (manifest.effects?.writes ?? []).map(({ name, type, from_input: from }) => ({ key: keyOf(name), type, from }))
  const intents = (manifest.effects?.intents ?? []).map(({ name, fields, mirror_writes: mirrors = [] }) => ({
    name,
    fields,
    mirrors: mirrors.map((mirror) => ({ key: keyOf(mirror.name), type: mirror.type, from: mirror.from_field })),
  }))
  const [lost] = unresolved
  const keyError =
    lost === undefined ? undefined : nodeError('ParameterTypeConversionFailed', node, `has no text for the key ${quote(lost)}`)
  return { index, node, parameters, inputs, keys, writes, intents, error: error ?? keyError }
}

/** Binds the parameters of a node, and returns the first error. */
function bindAll(node: GraphNode): { readonly parameters: Parameters; readonly error: PassError | undefined } {
  const entries: (readonly [string, ParameterValue])[] = []
  let error: PassError | undefined
  for (const declaration of node.primitive.manifest.parameters) {
    const { name } = declaration
    const stated = Object.hasOwn(node.params, name) ? node.params[name] : declaration.default
    const bound = bindParameter(declaration, stated)
    if ('value' in bound) entries.push([name, bound.value])
    else {
      const { rule, reason, fix } = bound.problem
      const kind = rule === 'X.11' ? 'ParameterOutOfRange' : 'ParameterTypeConversionFailed'
      const problem = stated === undefined ? `lacks parameter ${quote(name)}` : `has a wrong parameter: ${quote(name)} ${reason}`
      error ??= nodeError(kind, node, problem, { detail: name, fix })
    }
  }
  return { parameters: Object.freeze(Object.fromEntries(entries)), error }
}
