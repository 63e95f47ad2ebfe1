import { describe, expect, test } from 'vitest'
import {
  FunctionNotFoundError,
  SchemaValidationError,
  SubtreeNotFoundError,
  TreeDefinitionError,
} from '../../../../src/kinds/tree/board/errors.ts'
import type { NodeSource, TreeSource } from '../../../../src/kinds/tree/model/source.ts'
import { TreeBuilder } from '../../../../src/kinds/tree/seed/tree-builder.ts'
import { type KnownTrees, TreeValidator } from '../../../../src/kinds/tree/seed/tree-validator.ts'
import { n } from '../tick/tree-world.ts'
import { answers } from './seed-world.ts'

const host = { functions: { ok: answers('S') } }
const ok = (id: string): NodeSource => n('action', { id, fn: 'ok' })
const tree = (root: NodeSource, more: Partial<TreeSource> = {}): TreeSource => ({ format: 1, id: 'main', file: 'main.lua', root, ...more })
const known = (...trees: TreeSource[]): KnownTrees => ({
  definition: (name) => trees.find(({ id }) => id === name),
  listTrees: () => trees.map(({ id }) => id),
})
const ref = (name: string, more: object = {}): NodeSource => n('subtree_ref', { id: `to_${name}`, tree_name: name, ...more })

describe('a validator', () => {
  test('finds nothing in a right tree, and leaves lazy references for later', () => {
    const right = tree(n('sequence', { id: 's' }, [ok('a'), ref('other'), ref('later', { lazy: true })]))
    expect(new TreeValidator(host).validate(right, known(tree(ok('x'), { id: 'other' })))).toEqual([])
  })

  test('returns all mistakes, each with its line and its code, whether or not the file was checked before', () => {
    const wrong = tree({
      ...n('sequence', { id: 's' }, [
        { ...ok('same'), line: 2 },
        { ...ok('same'), line: 3 },
        { ...n('timeout', { id: 't', timeout_ms: -1 }, [ok('b')]), line: 4 },
        { ...n('inverter', { id: 'i' }), line: 5 },
        { ...n('nothing', { id: 'x' }), line: 6 },
        { ...ref('../x'), id: 'out', line: 7 },
      ]),
    })
    const found = new TreeValidator(host).validate(wrong, known())
    expect(found.map(({ rule, line, file }) => [rule, line, file])).toEqual([
      ['E2005', 3, 'main.lua'],
      ['E4002', 4, 'main.lua'],
      ['E2006', 5, 'main.lua'],
      ['E4002', 6, 'main.lua'],
      ['E7002', 7, 'main.lua'],
    ])
  })

  test('finds names that mean nothing, and circles of references', () => {
    const root = n('sequence', { id: 's' }, [n('action', { id: 'a', fn: 'okk' }), ref('missing'), ref('back')])
    const found = new TreeValidator(host).validate(tree(root), known(tree(ref('main'), { id: 'back' })))
    expect(new Set(found.map(({ rule }) => rule))).toEqual(new Set(['E3002', 'E4003', 'E4004']))
    expect(found.map(({ message }) => message).join(' ')).toMatch(/main → back → main/)
  })

  test('never throws for what is no tree', () => {
    for (const value of [{}, { root: 3 }, { id: 'x', root: [] }, { id: 'x', root: { type: 3 } }, { id: 'x', root: null, board: 7 }])
      expect(new TreeValidator().validate(value as never, known()).length).toBeGreaterThan(0)
  })
})

describe('a builder', () => {
  test('makes a tree whose blackboard has its schemas, and whose references are resolved', () => {
    const other = tree(ok('inner'), { id: 'other' })
    const built = new TreeBuilder(known(other), host).build(tree(ref('other'), { board: { k: { type: 'int', default: 4 } } }))
    expect([built.tick().status, built.blackboard.get('k'), built.nodeCount]).toEqual(['SUCCESS', 4, 2])
    expect(() => built.blackboard.set('k', 'text')).toThrow(/k/)
  })

  test('refuses a tree with the class of its first mistake, and all of them', () => {
    const build = (definition: TreeSource) => (): unknown => new TreeBuilder(known(), host).build(definition)
    expect(build(tree(n('action', { id: 'a', fn: 'no' })))).toThrow(FunctionNotFoundError)
    expect(build(tree(ref('no')))).toThrow(SubtreeNotFoundError)
    expect(build(tree(ok('a'), { board: { k: { type: 'NoSuchSchema' } } }))).toThrow(SchemaValidationError)
    expect(build(tree(n('sequence', { id: 's' })))).toThrow(TreeDefinitionError)
    expect(build(tree(n('sequence', { id: 's' }, [ref('no'), n('action', { id: 'a', fn: 'no' })])))).toThrow(
      expect.objectContaining({ errors: [expect.objectContaining({ rule: 'E4004' }), expect.objectContaining({ rule: 'E4003' })] }),
    )
  })
})
