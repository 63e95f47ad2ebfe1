import type { ParameterDeclaration, ParameterValue } from './manifest.ts'
import type { PortType } from './value.ts'

/** The value of a parameter of a node: a literal, or a parameter of the cluster around it. */
export type Binding = ParameterValue | { readonly exposed: string }

/** A node of a cluster: a primitive, or another cluster. */
export interface ClusterNode {
  readonly id: string
  readonly is: 'impl' | 'cluster'
  /** The id and the selector of a version, as written: `gt@^0.1`. */
  readonly target: string
  readonly selector: string
  readonly params: Readonly<Record<string, Binding>>
}

/** A port of a node. */
export interface PortRef {
  readonly node: string
  readonly port: string
}

/** An edge. `external`: an input of the cluster. */
export interface ClusterEdge {
  readonly from: PortRef | { readonly external: string }
  readonly to: PortRef
}

export interface ClusterInput {
  readonly name: string
  readonly type: PortType
  readonly required: boolean
}

/** A parameter of a cluster. Its default may be a key derived from the place of the instance. */
export interface ClusterParameter extends Omit<ParameterDeclaration, 'default'> {
  readonly default?: ParameterValue | { readonly derive_key: string }
}

/** The signature that a cluster declares. It may not claim more than the inferred one. */
export interface DeclaredSignature {
  readonly kind?: string
  readonly inputs?: readonly { readonly name: string; readonly type: PortType }[]
  readonly outputs?: readonly { readonly name: string; readonly type?: PortType; readonly wireable?: boolean }[]
  readonly has_side_effects?: boolean
  readonly is_origin?: boolean
}

/** A document: a cluster, which is a graph if it has no wired inputs. Nodes and outputs are in the order of the text. */
export interface ClusterDefinition {
  readonly id: string
  /** With three parts. */
  readonly version: string
  readonly about?: string
  readonly nodes: readonly ClusterNode[]
  readonly edges: readonly ClusterEdge[]
  readonly inputs: readonly ClusterInput[]
  readonly outputs: readonly { readonly name: string; readonly from: PortRef }[]
  readonly parameters: readonly ClusterParameter[]
  readonly declaredSignature?: DeclaredSignature
}
