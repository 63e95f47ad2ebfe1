import * as fc from 'fast-check'
import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Json } from '../../packages/reflex/src/kernel/index.ts'
import { formatTree } from '../../packages/reflex/src/kinds/tree/formats/format.ts'
import { serialiseTree } from '../../packages/reflex/src/kinds/tree/formats/serialise.ts'
import { writeXmlTree } from '../../packages/reflex/src/kinds/tree/formats/xml/write-xml.ts'
import { compileExpression, parseExpression } from '../../packages/reflex/src/kinds/tree/lua/expression/index.ts'
import { LuaError } from '../../packages/reflex/src/kinds/tree/lua/expression/values.ts'
import type { TreeSource } from '../../packages/reflex/src/kinds/tree/model/source.ts'
import { NODES } from '../../packages/reflex/src/kinds/tree/nodes/table.ts'
import { anyNode, withIds, xmlNode } from '../../packages/reflex/test/kinds/tree/formats/arbitrary.ts'
import type { Door } from './door.ts'
import { LUA_EXPRESSIONS, XML_SCRIPTS } from './seeds.ts'
import type { Subject } from './subject.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const DOCUMENTS = ['docs/kinds/tree.md', 'docs/kinds/tree-nodes.md']
/** Trees that are made of nodes with drawn parameters. */
const DRAWN = 60
/** Characters shown of two trees on each side of the first difference. */
const AROUND = 200

/** Trees in each of their forms, and the two languages of conditions inside them. */
export function treeSubjects(): readonly Subject[] {
  return [
    { name: 'tree-lua', seeds: luaSeeds(), try: (text, door) => tryTree('program.lua', text, door) },
    { name: 'tree-json', seeds: jsonSeeds(), try: (text, door) => tryTree('program.tree.json', text, door) },
    { name: 'tree-xml', seeds: xmlSeeds(), try: (text, door) => tryTree('program.xml', text, door) },
    { name: 'tree-condition', seeds: LUA_EXPRESSIONS, try: tryCondition },
    { name: 'tree-script', seeds: XML_SCRIPTS, try: tryScript },
  ]
}

/** The examples, the trees of the documents, and every node of the catalogue as its manifest shows it. */
function luaSeeds(): readonly string[] {
  const files = globSync('examples/**/*.lua', { cwd: ROOT }).toSorted()
  const catalogue = NODES.map(({ example }) =>
    example.startsWith('BT.tree(')
      ? `return ${example}`
      : `return BT.tree("program", {\n  blackboard = { tries = "int", a = { type = "any", default = 1 } },\n  root = ${example},\n})`,
  )
  return [
    ...files.map((path) => readFileSync(resolve(ROOT, path), 'utf8')),
    ...blocks('lua').filter((text) => text.includes('return BT.tree')),
    ...catalogue,
  ]
}

function jsonSeeds(): readonly string[] {
  const drawn = fc.sample(anyNode(3), { numRuns: DRAWN, seed: 7 }).map((node) => serialiseTree(treeOf(node)))
  return [...blocks('json').filter((text) => text.includes('"root"')), ...drawn]
}

function xmlSeeds(): readonly string[] {
  const drawn = fc.sample(xmlNode(3), { numRuns: DRAWN, seed: 7 }).map((node) => writeXmlTree(treeOf(node)).text ?? '')
  return [...blocks('xml').filter((text) => text.includes('<root')), ...drawn]
}

function treeOf(node: TreeSource['root']): TreeSource {
  return { format: 1, id: 'program', root: withIds(node) }
}

/** The code blocks of the documents in one language. */
function blocks(language: string): readonly string[] {
  const texts = DOCUMENTS.map((path) => readFileSync(resolve(ROOT, path), 'utf8'))
  return texts.flatMap((text) => [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map((found) => found[1] ?? ''))
}

/**
 * Reads a tree, formats it, writes what was read as JSON and as XML, and reads all of that again: each must be the same tree, and the same
 * text must be the same tree every time.
 */
async function tryTree(file: string, text: string, door: Door): Promise<void> {
  const tree = await readTree(file, text, door)
  const { text: formatted, findings } = formatTree(text, file)
  door.judge(findings, text)
  if (formatted !== undefined) {
    if (formatTree(formatted, file).text !== formatted) throw new Error('what was formatted is formatted otherwise the second time')
    mustEqual('what was formatted', stated(await readTree(file, formatted, door)), stated(tree))
  }
  if (tree === undefined) return
  mustEqual('what was read a second time', await readTree(file, text, door), tree)
  const json = serialiseTree(tree)
  const again = await readTree('program.tree.json', json, door)
  mustEqual('what was written as JSON', withoutPlaces(again), withoutPlaces(tree))
  if (again !== undefined && serialiseTree(again) !== json) throw new Error('JSON is written otherwise the second time')
  await tryXml(tree, door)
}

/** Writes a tree as XML if XML can say it. A key that the XML declares may have another type than the tree states. */
async function tryXml(tree: TreeSource, door: Door): Promise<void> {
  const { text, findings } = writeXmlTree(tree)
  door.judge(findings, '\n'.repeat(lines(tree)))
  if (text === undefined) return
  if (formatTree(text, 'program.xml').text !== text) throw new Error('XML that was written is formatted otherwise')
  const again = await readTree('program.xml', text, door)
  mustEqual('what was written as XML', forXml(again), forXml(tree))
}

async function readTree(file: string, text: string, door: Door): Promise<TreeSource | undefined> {
  return (await door.read(file, text)) as TreeSource | undefined
}

function mustEqual(what: string, found: unknown, expected: unknown): void {
  const [is, should] = [found, expected].map((value) => JSON.stringify(value, undefined, 1) ?? 'nothing') as [string, string]
  if (is === should) return
  let at = 0
  while (is[at] === should[at]) at++
  const around = (text: string): string => text.slice(Math.max(0, at - AROUND), at + AROUND)
  throw new Error(`${what} is another tree:\n${around(is)}\nand not\n${around(should)}`)
}

/** A tree without lines and files. */
function withoutPlaces(tree: TreeSource | undefined): Json {
  return without(tree, ['line', 'code_line', 'file'])
}

/** A tree without what depends on lines: also the ids, which have the line of a node that states none. */
function stated(tree: TreeSource | undefined): Json {
  return without(tree, ['line', 'code_line', 'file', 'id'])
}

function forXml(tree: TreeSource | undefined): Json {
  return without(tree, ['line', 'code_line', 'file', 'id', 'board', 'version'])
}

/** A value without keys, at any depth but below the parameters of nodes, in a fixed order of the other keys. */
function without(tree: TreeSource | undefined, keys: readonly string[]): Json {
  const clean = (value: unknown, isData: boolean): unknown => {
    if (Array.isArray(value)) return value.map((item) => clean(item, isData))
    if (typeof value !== 'object' || value === null) return value
    const kept = Object.entries(value)
      .filter(([key, inner]) => inner !== undefined && (isData || !keys.includes(key)))
      .map(([key, inner]): [string, unknown] => [key, clean(inner, isData || key === 'params' || key === 'metadata')])
    return Object.fromEntries(kept.toSorted(([a], [b]) => (a < b ? -1 : 1)))
  }
  return clean(tree ?? null, false) as Json
}

function lines(tree: TreeSource): number {
  return Math.max(
    ...JSON.stringify(tree)
      .matchAll(/"line":(\d+)/g)
      .map((found) => Number(found[1])),
    1,
  )
}

const BOARD = new Map<string, Json>([
  ['a', 1],
  ['battery', 15.5],
  ['name', 'Ada'],
  ['order', { total: 84, items: [1, 2.5, 'x', null] }],
  ['ok', true],
])

/** Reads an expression of Lua in a tree. If it is one of the subset, it has a value or an error of Lua. */
async function tryCondition(text: string, door: Door): Promise<void> {
  await door.read('program.tree.json', JSON.stringify({ id: 'program', root: { type: 'condition', params: { condition: text } } }))
  const parsed = parseExpression(text)
  if ('fault' in parsed) door.judge([parsed.fault], text)
  if (!('expression' in parsed)) return
  try {
    compileExpression(parsed.expression)({ bb: (key) => BOARD.get(key), has: (key) => BOARD.has(key), ctx: () => 3 })
  } catch (thrown) {
    if (!(thrown instanceof LuaError)) throw thrown
  }
}

/** Reads a script of BehaviorTree.CPP, in both of its places. */
async function tryScript(text: string, door: Door): Promise<void> {
  const quoted = text.replace(/[&<>"\n\r\t]/g, (mark) => `&#${mark.charCodeAt(0)};`)
  await tryTree(
    'program.xml',
    `<root BTCPP_format="4"><BehaviorTree ID="program"><Sequence><Script code="${quoted}"/></Sequence></BehaviorTree></root>`,
    door,
  )
  await tryTree(
    'program.xml',
    `<root BTCPP_format="4"><BehaviorTree ID="program"><AlwaysSuccess _skipIf="${quoted}"/></BehaviorTree></root>`,
    door,
  )
}
