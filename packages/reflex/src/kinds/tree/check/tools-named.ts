import type { CompiledNode, CompiledTree } from '../compile/compiled.ts'

/** Returns the names of the tools that the nodes of a tree, and of the trees of its file, call by name. */
export function toolsNamed({ root, trees }: CompiledTree): readonly string[] {
  return [root, ...[...trees.values()].map((tree) => tree.root)].flatMap(toolsBelow)
}

function toolsBelow({ manifest, params, children }: CompiledNode): readonly string[] {
  const named = manifest.parameters.flatMap(({ name, type }) => (type === 'tool' ? [params[name]] : []))
  return [manifest.tool, ...named].filter((name) => typeof name === 'string').concat(children.flatMap(toolsBelow))
}
