import { type Fault, isFault, type Json, type Program } from '../../../kernel/index.ts'
import { checkNames } from '../check/check-tree.ts'
import { compileTree } from '../compile/compile.ts'
import { readTreeData } from '../formats/json.ts'
import type { TreeSource } from '../model/source.ts'
import { compileOptions, compileSource, type TreeHost } from './tree-host.ts'

/** The trees around one, by their names. `TreeRegistry` is one. */
export interface KnownTrees {
  /** Returns the definition of a tree; undefined for an unknown name. */
  definition(name: string): TreeSource | undefined
  listTrees(): readonly string[]
}

/**
 * Checks trees before they are built (seed tree 2.6), with the checks that files have: names and ids, children, parameters, schemas, functions,
 * references and their cycles. Nothing is run, and no file is opened.
 */
export class TreeValidator {
  readonly #host: TreeHost

  /** `host`: the functions and the types of nodes that trees may use. */
  constructor(host: TreeHost = {}) {
    this.#host = host
  }

  /** Returns every error of a tree, each with the file and line that the tree states; nothing if it can be built. Never throws. */
  validate(definition: TreeSource, registry: KnownTrees): readonly Fault[] {
    const options = compileOptions(this.#host)
    const manifests = [...options.nodes.values()]
    const { source, findings } = readTreeData(definition as unknown as Json, { manifests, file: definition.file })
    if (source === undefined) return findings.filter(isError)
    try {
      const found = checkNames(compileTree(source, options), {
        functions: Object.keys(this.#host.functions ?? {}),
        lookup: (name) => this.#program(name, registry),
        names: () => registry.listTrees(),
      })
      return found.filter(isError)
    } catch (thrown) {
      if (isFault(thrown)) return [thrown]
      throw thrown
    }
  }

  /** A program of another kind is found when it is called. A tree with errors of its own reports them itself. */
  #program(name: string, registry: KnownTrees): Pick<Program, 'kind' | 'def'> | undefined {
    if (!name.startsWith('tree:')) return OTHER_PROGRAM
    const source = registry.definition(name.slice('tree:'.length))
    if (source === undefined) return undefined
    try {
      return { kind: 'tree', def: compileSource(source, this.#host) }
    } catch (thrown) {
      if (isFault(thrown)) return OTHER_PROGRAM
      throw thrown
    }
  }
}

const OTHER_PROGRAM: Pick<Program, 'kind' | 'def'> = { kind: 'other', def: undefined }

function isError({ severity }: Fault): boolean {
  return severity === 'error'
}
