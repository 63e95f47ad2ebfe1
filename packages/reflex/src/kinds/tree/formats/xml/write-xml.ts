import type { Fault } from '../../../../kernel/index.ts'
import { quote } from '../../../../text/index.ts'
import type { NodeManifest } from '../../manifest/manifest.ts'
import type { TreeSource } from '../../model/source.ts'
import { NODES } from '../../nodes/table.ts'
import { hasErrors } from '../findings.ts'
import { TREE_SETTINGS } from '../tree-keys.ts'
import type { NodeModel } from './models.ts'
import { paletteOf } from './palette.ts'
import { typeOfSchema } from './ports.ts'
import { type Written, xmlText } from './text.ts'
import { WriteContext } from './write-context.ts'
import { writeNode } from './write-node.ts'

/** The text, unless the tree has what XML cannot say, and what that is (R1208). */
export interface WrittenXml {
  readonly text?: string
  readonly findings: readonly Fault[]
}

/**
 * Writes a tree as XML of BehaviorTree.CPP v4, with the models of the functions that it calls. What XML cannot say is reported by name; a
 * warning is something that is left out and changes nothing that the tree does. Reading the text gives an equal tree.
 */
export function writeXmlTree(tree: TreeSource, manifests: readonly NodeManifest[] = NODES): WrittenXml {
  const context = new WriteContext(paletteOf(manifests), tree.file)
  const trees = [tree, ...Object.values(tree.trees ?? {})]
  const elements = trees.map((each) => treeElement(each, context))
  const models = modelsElement(context.models)
  const root: Written = {
    name: 'root',
    attributes: [
      ['BTCPP_format', '4'],
      ['main_tree_to_execute', tree.id],
    ],
    children: [...elements, ...(models === undefined ? [] : [models])],
  }
  const { findings } = context
  return hasErrors(findings) ? { findings } : { text: xmlText(root), findings }
}

function treeElement(tree: TreeSource, context: WriteContext): Written {
  checkTree(tree, context)
  context.typeOf = (key) => {
    const type = tree.board?.[key]?.type
    return typeof type === 'string' ? typeOfSchema(type) : undefined
  }
  const { id, description } = tree
  return {
    name: 'BehaviorTree',
    attributes: [['ID', id], ...(description === undefined ? [] : [['_description', description] as const])],
    children: [writeNode(tree.root, context)],
  }
}

/** The settings of a tree that change what it does, and that XML does not have. */
function checkTree(tree: TreeSource, context: WriteContext): void {
  const place = { line: tree.root.line }
  const given = tree as unknown as Readonly<Record<string, unknown>>
  for (const { name } of TREE_SETTINGS) {
    if (name === 'description' || given[name] === undefined) continue
    if (name === 'version') context.warn(place, 'XML has no place for the version of a tree')
    else context.refuse(place, `XML cannot say ${name} of the tree ${quote(tree.id)}`)
  }
  if (tree.contract !== undefined) context.refuse(place, `XML cannot say the contract of the tree ${quote(tree.id)}`)
  if (tree.on_failure !== undefined) context.refuse(place, `XML cannot say on_failure of the tree ${quote(tree.id)}: write a Fallback`)
  if (tree.trees !== undefined && Object.values(tree.trees).some(({ trees }) => trees !== undefined)) {
    context.refuse(place, 'XML has all trees of a file on one level')
  }
  for (const [key, { default: first, type }] of Object.entries(tree.board ?? {})) {
    if (first !== undefined) context.refuse(place, `XML cannot say the first value of ${quote(key)}: write a SetBlackboard`)
    if (type !== undefined && type !== 'any' && (typeof type !== 'string' || typeOfSchema(type) === undefined)) {
      context.warn(place, `XML has no place for the schema of ${quote(key)}`)
    }
  }
}

const FLOWS = { in: 'input_port', out: 'output_port', inout: 'inout_port' }

function modelsElement(models: ReadonlyMap<string, NodeModel>): Written | undefined {
  if (models.size === 0) return undefined
  const children = [...models].map(([id, { kind, ports }]) => ({
    name: kind,
    attributes: [['ID', id] as const],
    children: [...ports].map(([name, { flow, type }]) => ({
      name: FLOWS[flow],
      attributes: [['name', name] as const, ...(type === undefined ? [] : [['type', type] as const])],
      children: [],
    })),
  }))
  return { name: 'TreeNodesModel', attributes: [], children }
}
