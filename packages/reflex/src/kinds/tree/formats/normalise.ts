import type { Fault } from '../../../kernel/index.ts'
import type { NodeManifest } from '../manifest/manifest.ts'
import type { NodeSource, TreeSource } from '../model/source.ts'
import { TREE_FORMAT } from '../model/source.ts'
import { textOf } from '../model/text-of.ts'
import { NODES } from '../nodes/table.ts'
import { type Draft, finishDrafts } from './drafts.ts'
import { Findings, hasErrors } from './findings.ts'
import { FunctionNames, type TreeFunction } from './function-names.ts'
import { typeNames, type TypeNames } from './names.ts'
import { NodeReader } from './node-reader.ts'
import { judgeTreeName } from './parameter-values.ts'
import { RawTree } from './raw.ts'
import { readTreeKeys } from './tree-keys.ts'

export interface NormaliseOptions {
  /** The file of the text, as it stands in the tree. */
  readonly file?: string | undefined
  /** The types of nodes; default: the catalogue. */
  readonly manifests?: readonly NodeManifest[] | undefined
  /** True accepts functions as values, which become names. */
  readonly acceptsFunctions?: boolean | undefined
}

/** A tree in its normal form, unless it has errors, and all findings in the order of the text. */
export interface NormalisedTree {
  readonly source?: TreeSource
  readonly findings: readonly Fault[]
  /** The functions that the tree was given directly, by the names that stand in it. */
  readonly functions?: ReadonlyMap<string, TreeFunction>
}

/**
 * Checks a tree as it is written and brings it into its normal form: types, parameters and values by the names of the manifests, and an id
 * for each node. Returns everything that is wrong at once. Never throws, and opens no file.
 */
export function normaliseTree(tree: RawTree, options: NormaliseOptions = {}): NormalisedTree {
  const findings = new Findings()
  const functions = options.acceptsFunctions === true ? new FunctionNames() : undefined
  const types = typeNames(options.manifests ?? NODES)
  const source = new TreeReader(types, findings, functions).read(tree, options.file)
  const all = findings.all.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0))
  return {
    ...(source === undefined || hasErrors(all) ? {} : { source }),
    findings: all,
    ...(functions === undefined || functions.functions.size === 0 ? {} : { functions: functions.functions }),
  }
}

class TreeReader {
  readonly #types: TypeNames
  readonly #findings: Findings
  readonly #functions: FunctionNames | undefined
  readonly #open = new Set<RawTree>()

  constructor(types: TypeNames, findings: Findings, functions: FunctionNames | undefined) {
    this.#types = types
    this.#findings = findings
    this.#functions = functions
  }

  read(tree: RawTree, file: string | undefined): TreeSource | undefined {
    if (this.#open.has(tree)) {
      this.#findings.wrong(tree.origin, 'the tree stands among its own trees')
      return undefined
    }
    this.#open.add(tree)
    for (const { message, ...details } of tree.mistakes) this.#findings.wrong(tree.origin, message, details)
    const id = this.#name(tree)
    const { fields, root, onFailure, trees } = readTreeKeys(tree, this.#findings)
    const nodes = new NodeReader(this.#types, this.#findings, this.#functions)
    const [rootDraft, failureDraft] = [root, onFailure].map((node) => (node === undefined ? undefined : nodes.read(node)))
    const drafts = [rootDraft, failureDraft].filter((draft): draft is Draft => draft !== undefined)
    const [rootNode, failureNode] = finishDrafts(drafts, this.#findings)
    const others = this.#others(trees, file)
    this.#open.delete(tree)
    if (id === undefined || rootDraft === undefined || rootNode === undefined) return undefined
    return {
      format: TREE_FORMAT,
      id,
      ...fields,
      ...(file === undefined ? {} : { file }),
      root: rootNode,
      ...onFailureField(failureNode),
      ...(others === undefined ? {} : { trees: others }),
    }
  }

  #name({ name, origin }: RawTree): string | undefined {
    const judged = judgeTreeName(name)
    if ('value' in judged) return textOf(judged.value)
    const message = `the name of the tree ${judged.mistake}`
    if (judged.leadsOut === true) this.#findings.escape(origin, message, { key: 'name', fix: judged.fix })
    else this.#findings.wrong(origin, message, { key: 'name', fix: judged.fix })
    return undefined
  }

  #others(trees: readonly unknown[], file: string | undefined): Record<string, TreeSource> | undefined {
    const made = new Map<string, TreeSource>()
    for (const tree of trees) {
      if (!(tree instanceof RawTree)) continue
      const source = this.read(tree, file)
      if (source === undefined) continue
      if (made.has(source.id)) this.#findings.wrong(tree.origin, `two trees of the file have the name "${source.id}"`, { key: 'name' })
      made.set(source.id, source)
    }
    return made.size === 0 ? undefined : Object.fromEntries(made)
  }
}

function onFailureField(node: NodeSource | undefined): { on_failure?: NodeSource } {
  return node === undefined ? {} : { on_failure: node }
}
