import { expect, test } from 'vitest'
import { compileTree } from '../../../../src/kinds/tree/compile/compile.ts'
import { Layout } from '../../../../src/kinds/tree/compile/layout.ts'
import type { NodeSource } from '../../../../src/kinds/tree/model/source.ts'
import { NODES } from '../../../../src/kinds/tree/nodes/table.ts'
import { treeDifference } from '../../../../src/kinds/tree/tick/tree-difference.ts'
import { n } from '../tick/tree-world.ts'

const nodes = new Map(NODES.map((manifest) => [manifest.type, manifest]))
const set = (line: number, value: number): NodeSource => n('set', { id: `set_${line}`, key: 'v', value })

function difference(before: NodeSource, after: NodeSource): object {
  const laid = (root: NodeSource): Layout =>
    new Layout(compileTree({ format: 1, id: 'main', root, board: { v: { type: 'int' } } }, { nodes }), () => undefined)
  const { same, ...lists } = treeDifference(laid(before), laid(after))
  return { ...lists, moved: [...same].filter(([from, to]) => from !== to) }
}

const two = (line: number, ...children: NodeSource[]): NodeSource => n('sequence', { id: `sequence_${line}` }, children)

test('a line that is inserted above moves nodes without an id of their own, and changes none', () => {
  expect(difference(two(2, set(3, 1), set(4, 2)), two(5, set(6, 1), set(7, 2)))).toEqual({
    added: [],
    removed: [],
    changed: [],
    moved: [
      ['sequence_2', 'sequence_5'],
      ['set_3', 'set_6'],
      ['set_4', 'set_7'],
    ],
  })
})

test('a node that is inserted between others is the one that is added', () => {
  expect(difference(two(2, set(3, 1), set(4, 2)), two(2, set(3, 1), set(4, 9), set(5, 2)))).toMatchObject({
    added: ['set_4'],
    removed: [],
    changed: ['sequence_2'],
  })
})

test('a node around another one is added, and the one inside is removed and added', () => {
  const around = two(2, n('retry', { id: 'retry_3', max_retries: 1 }, [set(4, 1)]), set(5, 2))
  expect(difference(two(2, set(3, 1), set(4, 2)), around)).toMatchObject({
    added: ['retry_3', 'set_4'],
    removed: ['set_3'],
    changed: ['sequence_2'],
  })
})

test('a parameter that differs changes its node, whatever its line is', () => {
  expect(difference(two(2, set(3, 1), set(4, 2)), two(3, set(4, 7), set(5, 2)))).toMatchObject({
    added: [],
    removed: [],
    changed: ['set_4'],
  })
})
