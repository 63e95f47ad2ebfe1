import type { JsonObject } from '../../../kernel/index.ts'
import type { TreeSchema } from '../board/schema.ts'
import type { NodeManifest } from '../manifest/manifest.ts'
import { type NodeSource, TREE_FORMAT, type TreeSource } from '../model/source.ts'
import { BehaviorNode } from './behavior-node.ts'
import { manifestOf, paramsOf, type SeedNode, type WithContext } from './node-manifest.ts'

/** A tree as a host makes it: a `TreeSource`, in which nodes of the host may stand. */
export type TreeForm = Omit<TreeSource, 'format' | 'root' | 'on_failure'> & {
  readonly format?: typeof TREE_FORMAT
  readonly name?: string
  readonly root: SeedNode
  readonly on_failure?: SeedNode
}

/** A tree as data, with the nodes of the host by their ids. */
export interface ReadForm {
  readonly source: TreeSource
  readonly manifests: readonly NodeManifest[]
  readonly nodes: ReadonlyMap<string, BehaviorNode>
  /** The schemas of their contracts. */
  readonly schemas: ReadonlyMap<string, TreeSchema>
}

/** Returns a tree of a host as data. */
export function readForm({ root, on_failure, name: _, ...rest }: TreeForm, withContext: WithContext): ReadForm {
  const manifests: NodeManifest[] = []
  const nodes = new Map<string, BehaviorNode>()
  const schemas = new Map<string, TreeSchema>()
  const read = (node: SeedNode): NodeSource => {
    if (!(node instanceof BehaviorNode)) {
      const { children, ...source } = node
      return children === undefined ? source : { ...source, children: children.map(read) }
    }
    const type = `${node.constructor.name} ${node.id}`
    const contract = node.contract()
    manifests.push(manifestOf(node, type, withContext))
    nodes.set(node.id, node)
    for (const [key, schema] of Object.entries(contract.schemas)) if (!schemas.has(key)) schemas.set(key, schema)
    const { children } = node
    const more: { metadata?: JsonObject } = Object.keys(node.metadata).length === 0 ? {} : { metadata: node.metadata }
    return { type, id: node.id, name: node.name, ...more, params: paramsOf(contract), children: children.map(read) }
  }
  const source = { ...rest, format: TREE_FORMAT, ...(root === undefined ? {} : { root: read(root) }) } as TreeSource
  return { source: on_failure === undefined ? source : { ...source, on_failure: read(on_failure) }, manifests, nodes, schemas }
}
