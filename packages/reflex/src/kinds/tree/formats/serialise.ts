import type { Json, JsonObject } from '../../../kernel/index.ts'
import { formatJson } from '../../../text/index.ts'
import type { NodeManifest } from '../manifest/manifest.ts'
import { type NodeSource, TREE_FORMAT, type TreeSource } from '../model/source.ts'
import { NODES } from '../nodes/table.ts'
import { COMMON_KEYS } from './node-keys.ts'
import { TREE_SETTINGS } from './tree-keys.ts'

const TREE_KEYS = ['format', 'id', ...TREE_SETTINGS.map(({ name }) => name), 'board', 'contract', 'root', 'on_failure', 'trees']
const NODE_KEYS = ['type', 'id', 'name', 'description', 'metadata', 'params', 'children']

/**
 * Returns a tree as JSON text in a fixed order of keys, which `readJsonTree` reads back as an equal tree. Lines and the name of the file are
 * left out: they are those of the text that is written.
 */
export function serialiseTree(tree: TreeSource, manifests: readonly NodeManifest[] = NODES): string {
  const order = new Map(manifests.map(({ type, parameters }) => [type, [...parameters.map(({ name }) => name), ...COMMON_KEYS]]))
  return formatJson(JSON.stringify(treeJson(tree, order))).text ?? ''
}

type Order = ReadonlyMap<string, readonly string[]>

function treeJson(tree: TreeSource, order: Order): JsonObject {
  const { file: _, root, on_failure, trees, ...others } = tree
  const nested = Object.entries(trees ?? {}).map(([name, inner]): [string, JsonObject] => [name, treeJson(inner, order)])
  const json: Record<string, unknown> = {
    ...others,
    format: TREE_FORMAT,
    root: nodeJson(root, order),
    ...(on_failure === undefined ? {} : { on_failure: nodeJson(on_failure, order) }),
    ...(trees === undefined ? {} : { trees: Object.fromEntries(nested) }),
  }
  return sorted(json, TREE_KEYS)
}

function nodeJson({ line: _, code_line: __, ...node }: NodeSource, order: Order): JsonObject {
  const json: Record<string, unknown> = { ...node }
  if (node.params !== undefined) json.params = sorted(node.params, order.get(node.type) ?? [])
  if (node.children !== undefined) json.children = node.children.map((child) => nodeJson(child, order))
  return sorted(json, NODE_KEYS)
}

/** Returns an object with its keys in an order; keys that are not in it follow. */
function sorted(object: Readonly<Record<string, unknown>>, order: readonly string[]): JsonObject {
  const place = (key: string): number => {
    const at = order.indexOf(key)
    return at < 0 ? order.length : at
  }
  const entries = Object.entries(object).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries.sort(([a], [b]) => place(a) - place(b)) as [string, Json][])
}
