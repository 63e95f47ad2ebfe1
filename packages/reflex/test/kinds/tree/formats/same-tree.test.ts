import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isList, isObject, type Json, programHash } from '../../../../src/kernel/index.ts'
import { BT, type Builder, buildersOf, readBuilt } from '../../../../src/kinds/tree/formats/builders.ts'
import { formatTree } from '../../../../src/kinds/tree/formats/format.ts'
import { readJsonTree } from '../../../../src/kinds/tree/formats/json.ts'
import type { NormalisedTree } from '../../../../src/kinds/tree/formats/normalise.ts'
import { readLuaTree } from '../../../../src/kinds/tree/formats/read-lua.ts'
import { serialiseTree } from '../../../../src/kinds/tree/formats/serialise.ts'
import { readXmlTree } from '../../../../src/kinds/tree/formats/xml/read-xml.ts'
import { writeXmlTree } from '../../../../src/kinds/tree/formats/xml/write-xml.ts'
import type { NodeSource, TreeSource } from '../../../../src/kinds/tree/model/source.ts'
import { NODES } from '../../../../src/kinds/tree/nodes/table.ts'
import { testPool } from '../lua/harness.ts'
import { anyNode, withIds, xmlNode } from './arbitrary.ts'
import { withoutPlaces } from './fixtures.ts'

const pool = testPool()

/** The hash of what a tree says: without lines, the file, and the keys that XML declares for what it uses. */
function hashOf({ source, findings }: NormalisedTree): string {
  if (source === undefined) return findings.map(({ code, message }) => `${code} ${message}`).join('; ')
  const { board: _, ...tree } = withoutPlaces(source)
  return programHash('tree', JSON.parse(JSON.stringify(tree)) as Json)
}

/** Lua has one empty table, and no field that is nil. */
const isSayable = (tree: TreeSource): boolean => !/null|\[\]|\{\}/.test(JSON.stringify(tree.root))

function luaOf(value: Json): string {
  if (typeof value === 'string')
    return `"${value.replace(/[^ !#-[\]-~]/gu, (letter) => `\\u{${(letter.codePointAt(0) ?? 0).toString(16)}}`)}"`
  if (isList(value)) return `{ ${value.map(luaOf).join(', ')} }`
  if (isObject(value)) return `{ ${fields(value).join(', ')} }`
  return JSON.stringify(value)
}

function fields(value: Readonly<Record<string, Json>>): string[] {
  return Object.entries(value).map(([key, item]) => `[${luaOf(key)}] = ${luaOf(item)}`)
}

function luaNode({ type, id, params = {}, children = [] }: NodeSource): string {
  return `BT[${luaOf(type)}]({ ${[...fields({ id, ...params }), ...children.map(luaNode)].join(',\n')} })`
}

const BUILDERS = buildersOf(NODES)

function builtNode({ type, id, params = {}, children = [] }: NodeSource): ReturnType<Builder> {
  return BUILDERS[type]?.({ id, ...params, ...(children.length === 0 ? {} : { children: children.map(builtNode) }) })
}

describe('a random tree is the same in every form', () => {
  test('in Lua, in JSON and from the builders', async () => {
    let read = 0
    await fc.assert(
      fc.asyncProperty(anyNode(2), async (node) => {
        const root = withIds(node)
        const first = readJsonTree(JSON.stringify({ id: 't', root }))
        if (first.source === undefined || !isSayable(first.source)) return
        read++
        const hash = hashOf(first)
        expect(hashOf(readJsonTree(serialiseTree(first.source)))).toBe(hash)
        expect(hashOf(await readLuaTree(`return BT.tree("t", { root = ${luaNode(root)} })`, 't.lua', pool))).toBe(hash)
        expect(hashOf(readBuilt(BT.tree('t', { root: builtNode(root) as never })))).toBe(hash)
      }),
      { numRuns: 300 },
    )
    expect(read).toBeGreaterThan(30)
  })

  test('in XML, in JSON and in Lua, also through one another', async () => {
    await fc.assert(
      fc.asyncProperty(xmlNode(2), async (node) => {
        const tree: TreeSource = { format: 1, id: 't', root: withIds(node) }
        const hash = hashOf({ source: tree, findings: [] })
        const xml = writeXmlTree(tree).text ?? ''
        const read = readXmlTree(xml)
        expect(hashOf(read)).toBe(hash)
        const json = readJsonTree(serialiseTree(read.source ?? tree))
        expect(hashOf(json)).toBe(hash)
        expect(writeXmlTree(json.source ?? tree).text).toBe(xml)
        if (isSayable(tree))
          expect(hashOf(await readLuaTree(`return BT.tree("t", { root = ${luaNode(tree.root)} })`, 't.lua', pool))).toBe(hash)
      }),
      { numRuns: 150 },
    )
  })

  test('after it was formatted, which changes nothing the second time', () => {
    fc.assert(
      fc.property(xmlNode(2), fc.constantFrom('', ' ', '\t', '      '), fc.constantFrom('\n', '\r\n', '\n\n\n'), (node, indent, end) => {
        const tree: TreeSource = { format: 1, id: 't', root: withIds(node) }
        const hash = hashOf({ source: tree, findings: [] })
        const json = JSON.stringify(tree, undefined, indent).replaceAll('\n', end)
        const xml = (writeXmlTree(tree).text ?? '').replace(/\n */g, `${end}${indent}`)
        for (const [file, text, reader] of [
          ['t.tree.json', json, readJsonTree],
          ['t.xml', xml, readXmlTree],
        ] as const) {
          const { text: formatted = '', findings } = formatTree(text, file)
          expect([findings, hashOf(reader(formatted, file))]).toEqual([[], hash])
          expect(formatTree(formatted, file).text).toBe(formatted)
        }
      }),
      { numRuns: 150 },
    )
  })
})
