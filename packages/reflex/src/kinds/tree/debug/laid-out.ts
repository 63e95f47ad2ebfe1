import { isFault, isList, type Json } from '../../../kernel/index.ts'
import type { FindDefinition } from '../../../programs/kind-view.ts'
import type { CompiledTree } from '../compile/compiled.ts'
import { type FindTree, Layout } from '../compile/layout.ts'
import { LINKS_AT } from '../tick/tree-state.ts'

/** Returns how to find the trees of a run. */
export function treeFinder(definition: FindDefinition): FindTree {
  return (name) => definition(`tree:${name}`) as CompiledTree | undefined
}

/** A layout, and what it was made from. */
interface KnownLayout {
  readonly layout: Layout
  readonly links: string
  readonly found: ReadonlyMap<string, CompiledTree | undefined>
}

const KNOWN = new WeakMap<CompiledTree, KnownLayout>()

/**
 * Returns the nodes of a tree at a position, with those of the trees to which it refers, as far as they are known. The last layout of each tree is
 * kept.
 */
export function laidOut(def: CompiledTree, position: Json | undefined, find: FindTree): Layout {
  const linked = isList(position) ? position[LINKS_AT] : undefined
  const links = JSON.stringify(linked ?? 0)
  const known = KNOWN.get(def)
  if (known?.links === links && [...known.found].every(([name, tree]) => find(name) === tree)) return known.layout
  const found = new Map<string, CompiledTree | undefined>()
  const layout = layoutOf(def, (name) => {
    const tree = find(name)
    found.set(name, tree)
    return tree
  })
  for (const link of isList(linked) ? linked : []) {
    const [index, children] = isList(link) ? link : [link]
    const node = layout.nodes[Number(index)]
    if (node === undefined) continue
    if (children === undefined) layout.link(node)
    else layout.repeat(node, Number(children))
  }
  KNOWN.set(def, { layout, links, found })
  return layout
}

function layoutOf(def: CompiledTree, find: FindTree): Layout {
  try {
    return new Layout(def, find)
  } catch (thrown) {
    if (isFault(thrown)) return new Layout(def, find, { isAlone: true })
    throw thrown
  }
}
