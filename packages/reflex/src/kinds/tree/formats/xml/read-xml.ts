import type { Fault } from '../../../../kernel/index.ts'
import { quote, quoteAll } from '../../../../text/index.ts'
import type { NodeManifest } from '../../manifest/manifest.ts'
import { faults } from '../../model/faults.ts'
import { NODES } from '../../nodes/table.ts'
import { hasErrors } from '../findings.ts'
import { type NormalisedTree, type NormaliseOptions, normaliseTree } from '../normalise.ts'
import { type Origin, RawTree } from '../raw.ts'
import { connectByName, cycleFindings } from './connect.ts'
import { parseXml, placeOf, type XmlDocument, type XmlElement } from './elements.ts'
import { readModels } from './models.ts'
import type { ReadSetting } from './node-parts.ts'
import { paletteOf } from './palette.ts'
import { readNode } from './read-node.ts'
import { type ReadTree, TreeScope } from './tree-scope.ts'

/**
 * Reads trees in the XML of BehaviorTree.CPP v4. The tree of `main_tree_to_execute` is the result, the other ones stand in its `trees`. The keys
 * that the nodes use are declared, with the types that the models of nodes give them. Returns all findings, each with its place (R1205 for what
 * trees of Reflex do not have). Never throws.
 */
export function readXmlTree(text: string, file?: string, options: Omit<NormaliseOptions, 'file'> = {}): NormalisedTree {
  const document = parseXml(text, file)
  if (document.root === undefined) return { findings: document.findings }
  const findings: Fault[] = []
  const trees = new DocumentReader(document, options.manifests ?? NODES, findings).trees(document.root)
  const main = mainTree(document, document.root, trees, findings)
  if (main === undefined) return { findings }
  connectByName(trees)
  findings.push(...cycleFindings(trees, document.source))
  const raw = rawTree(main, document, [...trees.values()])
  const { source, findings: normalised } = normaliseTree(raw, { ...options, file, acceptsFunctions: false })
  const all = [...findings, ...normalised].sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0))
  return source === undefined || hasErrors(all) ? { findings: all } : { source, findings: all }
}

class DocumentReader {
  readonly #document: XmlDocument
  readonly #findings: Fault[]
  readonly #setting: ReadSetting

  constructor(document: XmlDocument, manifests: readonly NodeManifest[], findings: Fault[]) {
    this.#document = document
    this.#findings = findings
    this.#setting = { document, palette: paletteOf(manifests), models: readModels(document, findings), findings }
  }

  trees(root: XmlElement): ReadonlyMap<string, ReadTree> {
    this.#checkRoot(root)
    const trees = new Map<string, ReadTree>()
    for (const element of root.children) {
      if (element.name === 'TreeNodesModel') continue
      if (element.name !== 'BehaviorTree') {
        const fix = element.name === 'include' ? 'put the trees into one file, or beside it under their names' : 'remove it'
        this.#refuse(element, `${element.name} is not read; root has BehaviorTree and TreeNodesModel`, undefined, fix)
        continue
      }
      const id = element.attributes.get('ID')?.value
      if (id === undefined || id === '') this.#refuse(element, 'the BehaviorTree has no ID', undefined, 'write <BehaviorTree ID="…">')
      else if (trees.has(id)) this.#refuse(element, `there are two BehaviorTrees with the ID ${quote(id)}`, 'ID', 'rename one of them')
      else trees.set(id, this.#tree(id, element))
    }
    return trees
  }

  #tree(id: string, element: XmlElement): ReadTree {
    const scope = new TreeScope(element)
    const keys = new Map<string, unknown>()
    const [first, second] = element.children
    if (first === undefined) this.#refuse(element, `the BehaviorTree ${quote(id)} is empty`)
    if (second !== undefined) this.#refuse(second, 'a BehaviorTree has one child', undefined, 'put the nodes into a Sequence')
    // A root that cannot be read is reported, and is not absent.
    keys.set('root', first === undefined ? undefined : readNode(first, scope, this.#setting))
    const description = element.attributes.get('_description')?.value
    if (description !== undefined) keys.set('description', description)
    return { id, element, scope, keys }
  }

  #checkRoot(root: XmlElement): void {
    if (root.name !== 'root') {
      this.#refuse(root, `the document must be a root, found ${root.name}`, undefined, 'write <root BTCPP_format="4">')
    }
    const format = root.attributes.get('BTCPP_format')?.value
    if (format === undefined) {
      const place = { ...placeOf(this.#document.source, root), fix: 'write <root BTCPP_format="4">' }
      this.#findings.push(faults.finding('R1207', 'the format is not stated, and is taken as 4', place))
    } else if (format !== '4') {
      this.#refuse(
        root,
        `BTCPP_format ${quote(format)} is not read`,
        'BTCPP_format',
        'convert the file to format 4: behaviortree.dev/docs/migration',
      )
    }
  }

  #refuse(element: XmlElement, message: string, attribute?: string, fix?: string): void {
    const place = placeOf(this.#document.source, element, attribute)
    this.#findings.push(faults.finding('R1205', message, { ...place, ...(fix === undefined ? {} : { fix }) }))
  }
}

function mainTree(
  { source }: XmlDocument,
  root: XmlElement,
  trees: ReadonlyMap<string, ReadTree>,
  findings: Fault[],
): ReadTree | undefined {
  const named = root.attributes.get('main_tree_to_execute')?.value
  const [only] = trees.values()
  const main = named === undefined && trees.size === 1 ? only : trees.get(named ?? '')
  if (main !== undefined || (trees.size === 0 && hasErrors(findings))) return main
  const known = quoteAll([...trees.keys()])
  const [message, fix] =
    trees.size === 0
      ? ['the file has no BehaviorTree', 'add <BehaviorTree ID="…">']
      : named === undefined
        ? ['the file has several BehaviorTrees and does not say which one runs', `write main_tree_to_execute: one of ${known}`]
        : [`main_tree_to_execute names ${quote(named)}, which is not in the file`, `write one of ${known}`]
  findings.push(faults.finding('R1205', message, { ...placeOf(source, root, 'main_tree_to_execute'), fix }))
  return undefined
}

function rawTree(tree: ReadTree, document: XmlDocument, all: readonly ReadTree[]): RawTree {
  const { id, element, scope, keys } = tree
  const { source } = document
  const origin: Origin = {
    line: source.lines.positionAt(element.offset).line,
    at: (key, note) => placeOf(source, element, key === 'name' ? 'ID' : key, note),
  }
  const board = Object.fromEntries([...scope.keys].map(([key, type]) => [key, type === 'any' ? {} : { type }]))
  if (scope.keys.size > 0) keys.set('board', board)
  const others = all.filter((other) => other !== tree).map((other) => rawTree(other, document, [other]))
  if (others.length > 0) keys.set('trees', others)
  return new RawTree(id, { keys, origin })
}
