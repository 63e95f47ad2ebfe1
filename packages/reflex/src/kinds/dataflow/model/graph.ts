import type { ParameterValue } from './manifest.ts'
import type { Primitive } from './primitive.ts'
import type { PortType } from './value.ts'

/** The way from the root to a primitive: each cluster and the node in it, outermost first. */
export type AuthoringPath = readonly (readonly [cluster: string, node: string])[]

/** A primitive of an expanded graph. */
export interface GraphNode {
  /** `n0`, `n1`, … in the order of the expansion. */
  readonly id: string
  readonly primitive: Primitive
  /** The selector as written; the version is that of the primitive. */
  readonly selector: string
  /** The value of each parameter of the manifest that has one. */
  readonly params: Readonly<Record<string, ParameterValue>>
  readonly path: AuthoringPath
}

/** An edge of an expanded graph, by the indexes of its nodes. */
export interface GraphEdge {
  readonly from: { readonly node: number; readonly port: string }
  readonly to: { readonly node: number; readonly port: string }
}

/** A boundary output of a graph. */
export interface GraphOutput {
  readonly name: string
  readonly node: number
  readonly port: string
  readonly type: PortType
}

/** An expanded graph in which no rule is broken. Frozen. */
export interface ValidatedGraph {
  readonly id: string
  readonly version: string
  readonly about?: string
  /** By runtime id: node `n7` is at index 7. */
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
  readonly outputs: readonly GraphOutput[]
  /** The indexes of the nodes in the order in which a pass evaluates them: of those that are ready, the smallest id as text first. */
  readonly order: readonly number[]
  /** The producer of each input: by node index, then by port; absent for an unconnected input. */
  readonly producers: readonly Readonly<Record<string, { readonly node: number; readonly port: string }>>[]
}

/** Returns the name of a node as people write it: `once_a/gate`. */
export function nodeName({ path, id }: Pick<GraphNode, 'path' | 'id'>): string {
  return path.length === 0 ? id : path.map(([, node]) => node).join('/')
}
