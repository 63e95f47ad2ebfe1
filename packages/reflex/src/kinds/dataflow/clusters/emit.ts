import type { DefinitionSource } from '../documents/read.ts'
import { bindParameter } from '../manifests/bind-parameter.ts'
import type { ParameterValue } from '../model/manifest.ts'
import type { AuthoringPath, GraphEdge, GraphNode } from '../model/graph.ts'
import type { PortType } from '../model/value.ts'
import { derivedKey } from './derived-key.ts'
import { inputType, type LinkedCluster, type LinkedEdge, type LinkedNode, type LinkedPort, parametersOf, primitiveOf } from './linked.ts'

/** A primitive of a graph, and the definition in which it is written. */
export interface ExpandedNode extends GraphNode {
  readonly source: DefinitionSource
}

/** An edge between primitives, and the edge from which it comes. */
export interface ExpandedEdge {
  /** Undefined: the source does not exist, which is reported. */
  readonly from: GraphEdge['from'] | undefined
  readonly to: GraphEdge['to']
  /** The type that the written edge leads into: of a cluster, the type that its input declares. */
  readonly type: PortType | undefined
  readonly source: DefinitionSource
  /** The index of the written edge. */
  readonly index: number
}

/** The values of the parameters of a cluster; absent for one without a value. */
export type ParameterValues = ReadonlyMap<string, ParameterValue>

/** An input of a primitive, by the number of primitives in front of it in its cluster. */
interface Sink {
  readonly offset: number
  readonly port: string
}

/** Writes the primitives and edges of a linked graph. */
export class Emitter {
  readonly nodes: ExpandedNode[] = []
  readonly edges: ExpandedEdge[] = []
  readonly #sinks = new Map<LinkedCluster, ReadonlyMap<string, readonly Sink[]>>()
  /** The parameters of nodes whose values are the same in each instance. */
  readonly #fixed = new Map<LinkedNode, GraphNode['params']>()

  emit(cluster: LinkedCluster, parameters: ParameterValues, path: AuthoringPath = []): void {
    const base = this.nodes.length
    const { source } = cluster
    for (const node of cluster.nodes) {
      const { authored, target } = node
      if (target === undefined) continue
      const place: AuthoringPath = [...path, [source.definition.id, authored.id]]
      if ('cluster' in target) this.emit(target.cluster, valuesOf(node, parameters, place), place)
      else {
        const params = this.#params(node, parameters, place)
        this.nodes.push({
          id: `n${this.nodes.length}`,
          primitive: target.primitive,
          selector: authored.selector,
          params,
          path: place,
          source,
        })
      }
    }
    this.#emitEdges(cluster, base)
  }

  #emitEdges(cluster: LinkedCluster, base: number): void {
    const wired = new Set<string>()
    for (const edge of cluster.edges) {
      const { node, port } = edge.to
      if (node.target !== undefined && 'cluster' in node.target) wired.add(`${node.authored.id}.${port}`)
      // An edge from an input belongs to the edge around the cluster that feeds it.
      if (edge.from === undefined || !('external' in edge.from)) this.#emitEdge(cluster, edge, base)
    }
    for (const node of cluster.nodes) {
      if (node.target === undefined || 'primitive' in node.target) continue
      // The missing edge is reported at the cluster, and must not be reported again inside it.
      for (const { name, required } of node.target.cluster.source.definition.inputs)
        if (required && !wired.has(`${node.authored.id}.${name}`))
          for (const to of this.#targets({ node, port: name }))
            this.edges.push({
              from: undefined,
              to: { node: base + to.offset, port: to.port },
              type: undefined,
              source: cluster.source,
              index: -1,
            })
    }
  }

  #emitEdge({ source }: LinkedCluster, { from, to, index }: LinkedEdge, base: number): void {
    const found = from === undefined || 'external' in from ? undefined : primitiveOf(from)
    const start = found === undefined ? undefined : { node: base + found.offset, port: found.port }
    const type = inputType(to)
    for (const sink of this.#targets(to))
      this.edges.push({ from: start, to: { node: base + sink.offset, port: sink.port }, type, source, index })
  }

  /** Returns the inputs of primitives that a port stands for. */
  #targets({ node, port }: LinkedPort): readonly Sink[] {
    if (node.target === undefined) return []
    if ('primitive' in node.target) return [{ offset: node.offset, port }]
    const sinks = this.#sinksOf(node.target.cluster).get(port) ?? []
    return sinks.map((sink) => ({ offset: node.offset + sink.offset, port: sink.port }))
  }

  #sinksOf(cluster: LinkedCluster): ReadonlyMap<string, readonly Sink[]> {
    const before = this.#sinks.get(cluster)
    if (before !== undefined) return before
    const sinks = new Map<string, Sink[]>()
    for (const { from, to } of cluster.edges) {
      if (from === undefined || !('external' in from)) continue
      const list = sinks.get(from.external) ?? []
      for (const sink of this.#targets(to)) list.push(sink)
      sinks.set(from.external, list)
    }
    this.#sinks.set(cluster, sinks)
    return sinks
  }

  #params(node: LinkedNode, parameters: ParameterValues, place: AuthoringPath): GraphNode['params'] {
    const fixed = this.#fixed.get(node)
    if (fixed !== undefined) return fixed
    const params = Object.freeze(Object.fromEntries(valuesOf(node, parameters, place)))
    if (Object.values(node.authored.params).every((binding) => typeof binding !== 'object')) this.#fixed.set(node, params)
    return params
  }
}

/** Returns the values of the parameters of a node: what it states, else what it exposes, else the default (reference 3.3). */
function valuesOf({ authored, target }: LinkedNode, parameters: ParameterValues, place: AuthoringPath): ParameterValues {
  const values = new Map<string, ParameterValue>()
  for (const declared of target === undefined ? [] : parametersOf(target)) {
    const { name, default: byDefault } = declared
    const binding = Object.hasOwn(authored.params, name) ? authored.params[name] : undefined
    const stated = typeof binding === 'object' ? parameters.get(binding.exposed) : binding
    const value = stated ?? (typeof byDefault === 'object' ? derivedKey(place, byDefault.derive_key) : byDefault)
    const bound = value === undefined ? undefined : bindParameter(declared, value)
    if (bound !== undefined && 'value' in bound) values.set(name, bound.value)
  }
  return values
}
