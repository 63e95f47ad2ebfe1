import type { NodeManifest } from '../manifest/manifest.ts'
import type { TreeSource } from '../model/source.ts'
import { NODES } from '../nodes/table.ts'
import type { Builders } from './builder-types.ts'
import { callNames, nodeOfCall, treeOfCall } from './call-shapes.ts'
import { type NormalisedTree, type NormaliseOptions, normaliseTree } from './normalise.ts'
import { NOWHERE, RawNode, RawTable, RawTree } from './raw.ts'

/**
 * The builders of trees in TypeScript: `BT.tree('watcher', { root: BT.selector([…]) })`. They have the names and the shapes of Lua, and take
 * functions directly as `fn`. A mistake is reported when the tree is read, with all others.
 */
export const BT: Builders = buildersOf(NODES) as unknown as Builders

/** A function that makes a node or a tree. */
export type Builder = (...args: readonly unknown[]) => unknown

/** Returns the builders of types of nodes, such as those of a host. */
export function buildersOf(manifests: readonly NodeManifest[]): Readonly<Record<string, Builder>> {
  const nodes = [...callNames(manifests)].map(([name, manifest]): [string, Builder] => [
    name,
    (...args) => nodeOfCall(name, args.map(asTable), NOWHERE, manifest),
  ])
  const tree: Builder = (...args) => treeOfCall(args.map(asTable), NOWHERE)
  return Object.fromEntries([...nodes, ['tree', tree], ['subtree', tree], ['contract', (contract) => contract]])
}

/** Makes a table of an object or a list, as arguments in Lua have it. What stands deeper stays as it is. */
function asTable(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof RawNode || value instanceof RawTree) return value
  if (Array.isArray(value)) return new RawTable(listed(value), new Map())
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => [
    key,
    key === 'children' && Array.isArray(item) ? new RawTable(listed(item), new Map()) : item,
  ])
  return new RawTable([], new Map(entries))
}

/** Numbers the items of a list from 1; holes are skipped. */
function listed(items: readonly unknown[]): [number, unknown][] {
  return items.flatMap((item, at): [number, unknown][] => (item === undefined || item === null ? [] : [[at + 1, item]]))
}

/** Checks a tree that the builders made. Never throws. */
export function readBuilt(tree: RawTree, options: Omit<NormaliseOptions, 'acceptsFunctions'> = {}): NormalisedTree {
  return normaliseTree(tree, { ...options, acceptsFunctions: true })
}

/** Returns the source of a tree that the builders made. Throws the first fault of a tree that is wrong. */
export function sourceOf(tree: RawTree): TreeSource {
  const { source, findings } = readBuilt(tree)
  const fault = findings.find(({ severity }) => severity === 'error')
  if (source === undefined) throw fault ?? new TypeError('a tree without a source has a finding')
  return source
}
