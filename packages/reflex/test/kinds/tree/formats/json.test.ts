import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isFault } from '../../../../src/kernel/index.ts'
import { formatTree } from '../../../../src/kinds/tree/formats/format.ts'
import { readJsonTree } from '../../../../src/kinds/tree/formats/json.ts'
import { treeSchema } from '../../../../src/kinds/tree/formats/json-schema.ts'
import { serialiseTree } from '../../../../src/kinds/tree/formats/serialise.ts'
import type { TreeSource } from '../../../../src/kinds/tree/model/source.ts'
import { NODES } from '../../../../src/kinds/tree/nodes/table.ts'
import { anyNode, withIds } from './arbitrary.ts'
import { codes, withoutPlaces } from './fixtures.ts'

const TEXT = `{
  // checks the service
  "id": "watcher",
  "board": { "error_rate": "float", "tries": { "type": "int", "default": 0 } },
  "root": {
    "type": "selector",
    "children": [
      { "type": "condition", "id": "healthy", "params": { "check": "bb.error_rate < 0.01" } },
      { "type": "Timeout", "params": { "timeout_ms": 500 }, "children": [{ "type": "action", "params": { "fn": "rollback" } }] },
    ],
  },
}
`

describe('a tree in JSON', () => {
  test('is read with comments, other names, and lines', () => {
    const { source, findings } = readJsonTree(TEXT, 'trees/watcher.tree.json')
    expect(findings).toEqual([])
    expect(source?.root.children).toEqual([
      { type: 'condition', id: 'healthy', line: 8, params: { condition: 'bb.error_rate < 0.01' } },
      {
        type: 'timeout',
        id: 'timeout_9',
        line: 9,
        params: { timeout_ms: 500 },
        children: [{ type: 'action', id: 'action_9', line: 9, params: { fn: 'rollback' } }],
      },
    ])
  })

  test.each([
    ['{ "id": "t" ', 'R1001', 1],
    ['[]', 'R1206', 1],
    ['{ "id": "t" }', 'R1202', 1],
    ['{ "id": "t",\n"root": 5 }', 'R1206', 2],
    ['{ "id": "t", "root": {\n"typ": "sequence" } }', 'R1206', 1],
    ['{ "id": "t", "root": { "type": "succeed",\n"children": {} } }', 'R1206', 2],
    ['{ "id": "t", "root": { "type": "timeout", "params": {\n"timeout_ms": 1.5 }, "children": [{ "type": "succeed" }] } }', 'R1202', 2],
    ['{ "id": "t", "root": {\n"type": "sequense" } }', 'R1202', 2],
    ['{ "id":\n"../t", "root": { "type": "succeed" } }', 'R1262', 2],
    ['{ "id": "t", "format":\n2, "root": { "type": "succeed" } }', 'R1206', 2],
    ['{ "id": "t", "root": { "type": "succeed" }, "trees": { "a": {\n"id": "b", "root": { "type": "fail" } } } }', 'R1206', 2],
  ])('%j is refused with its place', (text, code, line) => {
    const { source, findings } = readJsonTree(text, 'trees/t.tree.json')
    expect([source, findings[0]?.code, findings[0]?.line]).toEqual([undefined, code, line])
    expect(findings[0]?.frame).toContain(`${line} │`)
  })

  test('is written so that reading gives the same tree', () => {
    let read = 0
    fc.assert(
      fc.property(anyNode(3), (node) => {
        const root = withIds(node)
        const first = readJsonTree(JSON.stringify({ id: 't', root }))
        if (first.source === undefined) return
        read++
        expect(withoutPlaces(first.source).root).toEqual(root)
        const text = serialiseTree(first.source)
        const again = readJsonTree(text)
        expect([again.findings, again.source && withoutPlaces(again.source)]).toEqual([[], withoutPlaces(first.source)])
        expect(serialiseTree(again.source as TreeSource)).toBe(text)
        expect(formatTree(text, 'x.tree.json').text).toBe(text)
      }),
      { numRuns: 200 },
    )
    expect(read).toBeGreaterThan(20)
  })

  test('any JSON is read or refused', () => {
    fc.assert(
      fc.property(fc.jsonValue(), anyNode(1), (value, node) => {
        for (const given of [value, { id: value, root: value }, { id: 't', root: { ...node, params: value, children: value } }]) {
          const { source, findings } = readJsonTree(JSON.stringify(given))
          expect(source !== undefined || findings.every(isFault)).toBe(true)
        }
      }),
    )
  })

  test('its schema has every type, with its parameters', () => {
    const { definitions } = treeSchema() as unknown as { definitions: Record<string, { properties?: { params: { properties: object } } }> }
    for (const { type, parameters } of NODES) {
      const params = Object.keys(definitions[`${type}_node`]?.properties?.params.properties ?? {})
      expect(params).toEqual(expect.arrayContaining(parameters.map(({ name }) => name)))
    }
  })

  test('Lua is not formatted, and is told by its beginning', () => {
    expect(formatTree('return  BT.tree("x", {})').text).toBe('return  BT.tree("x", {})')
    expect(codes(formatTree('{', 'x.tree.json').findings)).toEqual(['R1001'])
  })
})
