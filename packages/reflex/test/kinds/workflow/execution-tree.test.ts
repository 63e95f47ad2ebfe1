import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ExecutionTree } from '../../../src/kinds/workflow/engine/execution-tree.ts'
import type { ExecutionTreeState } from '../../../src/kinds/workflow/types/index.ts'
import { engineOf, flow } from './engine/kit.ts'

type Call = Parameters<ExecutionTree['push']>[0]

function call(invocationId: string, parentNodeId: string, parentInvocationId?: string): Call {
  return {
    invocationId,
    parentWorkflowId: 'w',
    parentNodeId,
    childWorkflowId: 'c',
    ...(parentInvocationId === undefined ? {} : { parentInvocationId }),
  }
}

const ids = (records: readonly { invocationId: string }[]): string[] => records.map((record) => record.invocationId)

describe('the tree of calls', () => {
  // proves: workflow r15b, workflow r15f
  test('records a call and its return', () => {
    const tree = new ExecutionTree()
    const { record, invalidated } = tree.push({ ...call('i1', 'n'), returnMap: [{ parentKey: 'p', childKey: 'c' }] })
    expect(invalidated).toEqual([])
    expect(record).toEqual({ ...call('i1', 'n'), returnMap: [{ parentKey: 'p', childKey: 'c' }], status: 'active', childInvocationIds: [] })
    tree.push(call('i2', 'n', 'i1'))
    expect(ids(tree.activeExecutions())).toEqual(['i1', 'i2'])
    expect(tree.get('i1')?.childInvocationIds).toEqual(['i2'])
    expect(tree.pop('i2')?.status).toBe('completed')
    expect(ids(tree.completedExecutionsAt('w', 'n'))).toEqual(['i2'])
    expect(ids(tree.activeExecutions())).toEqual(['i1'])
    expect(tree.pop('unknown')).toBeUndefined()
  })

  // proves: workflow r15d, workflow r15f
  test('lets a call replace an earlier one from the same place, with all calls within it', () => {
    const tree = new ExecutionTree()
    for (const [id, node, parent] of [
      ['i1', 'n'],
      ['i2', 'm', 'i1'],
      ['i3', 'm', 'i2'],
    ] as const)
      tree.push(call(id, node, parent))
    for (const id of ['i3', 'i2', 'i1']) tree.pop(id)
    expect(tree.push(call('other', 'elsewhere')).invalidated).toEqual([])
    expect(tree.push(call('again', 'n')).invalidated).toEqual(['i1', 'i2', 'i3'])
    expect(ids(tree.invalidatedExecutions())).toEqual(['i1', 'i2', 'i3'])
    expect(tree.push(call('third', 'n')).invalidated).toEqual(['again'])
    expect(tree.completedExecutionsAt('w', 'n')).toEqual([])
  })

  // proves: workflow D1
  test('does not invalidate the calls around a recursive one', () => {
    const tree = new ExecutionTree()
    let parent: string | undefined
    for (const id of ['i1', 'i2', 'i3', 'i4']) {
      expect(tree.push(call(id, 'self', parent)).invalidated).toEqual([])
      parent = id
    }
    expect(ids(tree.activeExecutions())).toEqual(['i1', 'i2', 'i3', 'i4'])
    for (const id of ['i4', 'i3', 'i2', 'i1']) expect(tree.pop(id)?.status).toBe('completed')
    expect(tree.invalidatedExecutions()).toEqual([])
  })

  test('returns replaced calls before the new one, if asked to', () => {
    const tree = new ExecutionTree()
    tree.push(call('i1', 'n'))
    expect(tree.supersede(call('i2', 'n'))).toEqual(['i1'])
    expect(tree.get('i2')).toBeUndefined()
    expect(tree.push(call('i2', 'n')).invalidated).toEqual([])
  })

  // proves: workflow r15c
  test('invalidates calls of an unwind permanently', () => {
    const tree = new ExecutionTree()
    for (const [id, parent] of [
      ['i1', undefined],
      ['i2', 'i1'],
      ['i3', 'i2'],
    ] as const)
      tree.push(call(id, 'n', parent))
    expect(tree.invalidate(['i2', 'i3', 'unknown'])).toEqual(['i2', 'i3'])
    expect(tree.invalidate(['i2'])).toEqual([])
    expect(tree.pop('i3')?.status).toBe('invalidated')
    expect(ids(tree.activeExecutions())).toEqual(['i1'])
  })

  test('returns frozen records that do not change', () => {
    const tree = new ExecutionTree()
    const map = [{ parentKey: 'p', childKey: 'c' }]
    const { record } = tree.push({ ...call('i1', 'n'), returnMap: map })
    const before = tree.executionTree()
    map.push({ parentKey: 'x', childKey: 'y' })
    tree.push(call('i2', 'n', 'i1'))
    tree.pop('i1')
    expect(record.status).toBe('active')
    expect(before.records[0]).toEqual(record)
    for (const held of [
      record,
      record.returnMap,
      record.returnMap?.[0],
      record.childInvocationIds,
      before,
      before.records,
      before.records[0],
    ]) {
      expect(Object.isFrozen(held)).toBe(true)
    }
  })

  test('refuses an id that is already used', () => {
    const tree = new ExecutionTree()
    tree.push(call('i1', 'n'))
    expect(() => tree.push(call('i1', 'm'))).toThrow(TypeError)
  })

  test('continues from its state as if it had never stopped', () => {
    const act = fc.record({ what: fc.constantFrom('push', 'pop', 'drop'), node: fc.nat(2), at: fc.nat() })
    fc.assert(
      fc.property(fc.array(act, { maxLength: 40 }), fc.nat(40), (acts, stop) => {
        const stack: string[] = []
        const told: unknown[] = []
        let tree = new ExecutionTree()
        let kept = tree
        for (const [i, { what, node, at }] of acts.entries()) {
          if (i === stop) kept = new ExecutionTree(JSON.parse(JSON.stringify(tree.executionTree())) as ExecutionTreeState)
          if (i < stop) kept = tree
          const both = kept === tree ? [tree] : [tree, kept]
          const id = `i${i}`
          const results = both.map((one) => {
            if (what === 'push') return one.push(call(id, `n${node}`, stack.at(-1)))
            return what === 'pop' ? one.pop(stack.at(-1) ?? '') : one.invalidate(stack.slice(at % (stack.length + 1)))
          })
          for (const result of results) expect(result).toEqual(results[0])
          told.push(results[0])
          if (what === 'push') stack.push(id)
          else stack.splice(what === 'pop' ? Math.max(0, stack.length - 1) : at % (stack.length + 1))
        }
        tree = kept
        expect(tree.activeExecutions().length + tree.invalidatedExecutions().length).toBeLessThanOrEqual(
          tree.executionTree().records.length,
        )
        expect(told).toHaveLength(acts.length)
      }),
    )
  })
})

describe('the tree of an engine', () => {
  // proves: workflow r15f
  test('is a map by ids, with the same records as a list', async () => {
    const engine = engineOf([flow('child', { c: {} }, []), flow('main', { go: { calls: 'child' } }, [])])
    await engine.init('main')
    await engine.run()
    const tree = engine.executionTree()
    const [record] = tree.records
    expect([tree.size, [...tree.values()], tree.get(record?.invocationId ?? '')]).toEqual([1, tree.records, record])
    expect(JSON.parse(JSON.stringify(tree))).toEqual({ records: tree.records })
  })

  test('belongs to the caller', async () => {
    const engine = engineOf([flow('child', { c: {} }, []), flow('main', { go: { calls: 'child' } }, [])])
    await engine.init('main')
    await engine.run()
    ;(engine.executionTree() as unknown as Map<string, unknown>).clear()
    expect(engine.executionTree().size).toBe(1)
  })
})
