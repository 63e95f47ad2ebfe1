import type { DefinitionSource } from '../documents/read.ts'
import type { ClusterEdge, ClusterInput, ClusterNode, ClusterParameter } from '../model/document.ts'
import type { ParameterDeclaration } from '../model/manifest.ts'
import type { Primitive } from '../model/primitive.ts'
import type { PortType } from '../model/value.ts'

/** A definition whose nodes are resolved. */
export interface LinkedCluster {
  readonly source: DefinitionSource
  /** By the text of their names, which is the order of runtime ids. */
  readonly nodes: readonly LinkedNode[]
  readonly byName: ReadonlyMap<string, LinkedNode>
  /** The edges whose target exists, each input at most once. */
  readonly edges: readonly LinkedEdge[]
  readonly outputs: ReadonlyMap<string, LinkedPort>
  readonly inputs: ReadonlyMap<string, ClusterInput>
  readonly outputNames: ReadonlySet<string>
  /** The inputs from which an edge leads. */
  readonly fed: ReadonlySet<string>
  /** The number of primitives after the expansion. */
  readonly size: number
  /** The work of the expansion: the lengths of all paths, with the parameters and inputs of each instance. */
  readonly cells: number
  /** The number of levels, 1 for a cluster of primitives. */
  readonly depth: number
}

export interface LinkedNode {
  readonly authored: ClusterNode
  /** A primitive, a cluster, or undefined where there is none: its edges and bindings cannot be checked. */
  readonly target: { readonly primitive: Primitive } | { readonly cluster: LinkedCluster } | undefined
  /** The number of primitives in front of it in its cluster. */
  readonly offset: number
}

export interface LinkedPort {
  readonly node: LinkedNode
  readonly port: string
}

export interface LinkedEdge {
  readonly index: number
  readonly authored: ClusterEdge
  /** Undefined: the source does not exist, which is reported. */
  readonly from: LinkedPort | { readonly external: string } | undefined
  readonly to: LinkedPort
}

/** Returns the number of primitives that a node becomes. */
export function sizeOf(target: LinkedNode['target']): number {
  return target === undefined ? 0 : 'primitive' in target ? 1 : target.cluster.size
}

/** Returns the parameters of the primitive or cluster of a node. */
export function parametersOf(target: NonNullable<LinkedNode['target']>): readonly (ParameterDeclaration | ClusterParameter)[] {
  return 'primitive' in target ? target.primitive.manifest.parameters : target.cluster.source.definition.parameters
}

/** True if the primitive or cluster of a node has an input or output. */
export function hasPort(target: NonNullable<LinkedNode['target']>, side: 'inputs' | 'outputs', port: string): boolean {
  if ('primitive' in target) return target.primitive.manifest[side].some(({ name }) => name === port)
  return side === 'inputs' ? target.cluster.inputs.has(port) : target.cluster.outputNames.has(port)
}

/** Returns the names of the inputs or outputs of the primitive or cluster of a node. */
export function portNames(target: NonNullable<LinkedNode['target']>, side: 'inputs' | 'outputs'): string[] {
  const ports = 'primitive' in target ? target.primitive.manifest[side] : target.cluster.source.definition[side]
  return ports.map(({ name }) => name)
}

/** Returns the type of an input of a node: of a cluster, the type that it declares. */
export function inputType({ node: { target }, port }: LinkedPort): PortType | undefined {
  if (target === undefined) return undefined
  if ('cluster' in target) return target.cluster.inputs.get(port)?.type
  return target.primitive.manifest.inputs.find(({ name }) => name === port)?.type
}

/** The output of a primitive that a port stands for. */
export interface PrimitivePort {
  readonly primitive: Primitive
  readonly port: string
  /** The number of primitives in front of it in the cluster of the port. */
  readonly offset: number
}

/** Follows an output through nested clusters to a primitive; undefined if it leads nowhere, which is reported. */
export function primitiveOf({ node, port }: LinkedPort): PrimitivePort | undefined {
  let offset = 0
  for (let at: LinkedPort | undefined = { node, port }; at !== undefined; ) {
    const target: LinkedNode['target'] = at.node.target
    if (target === undefined) return undefined
    offset += at.node.offset
    if ('primitive' in target) return { primitive: target.primitive, port: at.port, offset }
    at = target.cluster.outputs.get(at.port)
  }
  return undefined
}
