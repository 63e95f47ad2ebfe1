import { type Fault, isFault, type Json } from '../../../kernel/index.ts'
import { didYouMean, quote, suggest } from '../../../text/index.ts'
import { compileTree } from '../compile/compile.ts'
import { faults } from '../model/faults.ts'
import type { NodeSource, TreeSource } from '../model/source.ts'
import { textOf } from '../model/text-of.ts'
import { functionEntry, unknownFunction } from '../tick/function-port.ts'
import { NAME } from './behavior-node.ts'
import { compileOptions, type TreeHost } from './tree-host.ts'

/** What a validator needs to know of the trees around one. */
export interface KnownTrees {
  definition(name: string): TreeSource | undefined
  listTrees(): readonly string[]
}

/** Returns the fault of a name of a tree that is none. One that could lead out of the folder is an attack: `R1262`. */
export function nameFault(
  name: unknown,
  place: { readonly file?: string | undefined; readonly line?: number | undefined } = {},
): Fault | undefined {
  if (typeof name === 'string' && NAME.test(name)) return undefined
  const shown = quote(typeof name === 'string' ? name : (JSON.stringify(name) ?? 'nothing'))
  if (typeof name === 'string' && /[/\\\0:]|\.\./.test(name))
    return faults.make('R1262', `${shown} is no name of a tree: it could lead out of the folder of trees`, {
      rule: 'E7002',
      ...place,
      data: { name },
    })
  return faults.make('R1202', `${shown} is no name of a tree`, {
    rule: 'E4002',
    ...place,
    fix: 'begin with a letter; use letters, digits, _ and -',
  })
}

/** Checks trees before they are built (seed tree 2.6): functions, references, cycles, ids, children, parameters, schemas. */
export class TreeValidator {
  readonly #host: TreeHost

  constructor(host: TreeHost = {}) {
    this.#host = host
  }

  /** Returns everything that is wrong with a tree; nothing if it can be built. */
  validate(definition: TreeSource, registry: KnownTrees): readonly Fault[] {
    const name = nameFault(definition.id, { file: definition.file })
    const found = [...(name === undefined ? [] : [name]), ...this.#nodeFaults(definition, registry), ...cycleFaults(definition, registry)]
    return found.length > 0 ? found : this.#compileFaults(definition)
  }

  #compileFaults(definition: TreeSource): readonly Fault[] {
    try {
      compileTree(definition, compileOptions(this.#host))
      return []
    } catch (thrown) {
      if (isFault(thrown)) return [thrown]
      throw thrown
    }
  }

  #nodeFaults(tree: TreeSource, registry: KnownTrees): Fault[] {
    const ids = new Set<string>()
    return nodesOf(tree).flatMap((node) => {
      const place = { file: tree.file, line: node.line, path: node.id }
      const faultsOfId = NAME.test(node.id)
        ? []
        : [faults.make('R1224', `${quote(node.id)} is no id of a node`, { rule: 'E2004', ...place })]
      if (ids.has(node.id)) faultsOfId.push(faults.make('R1225', `two nodes have the id ${node.id}`, { rule: 'E2005', ...place }))
      ids.add(node.id)
      return [...faultsOfId, ...this.#shapeFaults(node, place), ...this.#nameFaults(tree, node, registry)]
    })
  }

  #shapeFaults({ type, id, params = {}, children = [] }: NodeSource, place: { readonly line?: number | undefined }): Fault[] {
    const manifest = compileOptions(this.#host).nodes.get(type)
    if (manifest === undefined) return []
    const [least, most] = manifest.children
    const found: Fault[] = []
    if (children.length < least || children.length > most) {
      const wanted = least === most ? `${least}` : `at least ${least}`
      found.push(
        faults.make('R1226', `${id} is a ${type} with ${children.length} children, and takes ${wanted}`, { rule: 'E2006', ...place }),
      )
    }
    for (const { name, required } of manifest.parameters)
      if (required === true && params[name] === undefined)
        found.push(faults.make('R1202', `${id} is a ${type} without ${name}`, { rule: 'E4002', ...place, fix: `add ${name}` }))
    return found
  }

  #nameFaults({ file, trees = {} }: TreeSource, { type, params = {}, line }: NodeSource, registry: KnownTrees): Fault[] {
    const { functions = {} } = this.#host
    const { fn } = params
    const found = typeof fn === 'string' && functionEntry(functions, fn) === undefined ? [unknownFunction(functions, fn)] : []
    if (type !== 'subtree_ref') return found
    const name = textOf(params.tree_name)
    const wrong = nameFault(name, { file, line })
    if (wrong !== undefined) return [...found, wrong]
    if (params.lazy === true || Object.hasOwn(trees, name) || registry.definition(name) !== undefined) return found
    return [...found, missingTree(name, registry.listTrees(), { file, line })]
  }
}

function missingTree(
  name: string,
  known: readonly string[],
  { file, line }: { readonly file?: string | undefined; readonly line?: number | undefined },
): Fault {
  const hint = didYouMean(suggest(name, known))
  const where = file === undefined ? '' : ` (${file}${line === undefined ? '' : `:${line}`})`
  const trees = known.length === 0 ? 'no trees are known' : `known trees: ${known.join(', ')}`
  return faults.make('R1204', `there is no tree ${name}${where}${hint === undefined ? '' : `; ${hint}`}; ${trees}`, {
    rule: 'E4004',
    file,
    line,
    data: { subtree_name: name, available_trees: [...known] as Json },
  })
}

/** Returns the cycle of references in which a tree stands, if it does. A lazy reference is looked up when it is ticked, and closes none here. */
function cycleFaults(tree: TreeSource, registry: KnownTrees): Fault[] {
  const chain: string[] = []
  const seen = new Set<string>()
  const search = (name: string, source: TreeSource | undefined): readonly string[] | undefined => {
    if (chain.includes(name)) return [...chain.slice(chain.indexOf(name)), name]
    if (source === undefined || seen.has(name)) return undefined
    seen.add(name)
    chain.push(name)
    for (const next of eagerRefs(source)) {
      const cycle = search(next, next === tree.id ? tree : (source.trees?.[next] ?? registry.definition(next)))
      if (cycle !== undefined) return cycle
    }
    chain.pop()
    return undefined
  }
  const cycle = search(tree.id, tree)
  if (cycle === undefined) return []
  const details = { rule: 'E3002', file: tree.file, data: { cycle: [...cycle] } }
  return [faults.make('R1232', `the trees refer to one another in a circle: ${cycle.join(' → ')}`, details)]
}

/** All nodes of a tree in preorder. */
export function nodesOf({ root, on_failure }: TreeSource): readonly NodeSource[] {
  const below = (node: NodeSource): NodeSource[] => [node, ...(node.children ?? []).flatMap(below)]
  return [...below(root), ...(on_failure === undefined ? [] : below(on_failure))]
}

/** The names of the trees to which a tree refers at once. */
export function eagerRefs(tree: TreeSource): readonly string[] {
  const refs = nodesOf(tree).filter(({ type, params }) => type === 'subtree_ref' && params?.lazy !== true)
  return [...new Set(refs.map(({ params }) => textOf(params?.tree_name)))]
}
