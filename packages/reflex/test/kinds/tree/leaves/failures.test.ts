import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../../src/kernel/index.ts'
import { forest, leaf, n } from '../tick/tree-world.ts'
import { eventTypes, payloads } from './leaf-world.ts'

describe('failures', () => {
  // proves: tree 103, tree EP-03
  test('a failed execution has a reason and a trace that leads to the leaf', async () => {
    const root = n('sequence', { id: 'root' }, [leaf('a'), n('inverter', { id: 'not' }, [leaf('b')])])
    const tree = await forest(root, { scripts: { a: ['S'], b: ['S'] } })
    expect(tree.get('_failure_reason')).toMatch('not')
    const trace = payloads(tree, 'tree.failed')[0]?.failure_trace as JsonObject[]
    expect(trace.map(({ node_id }) => node_id)).toEqual(['not', 'root'])
    for (const entry of trace)
      expect(entry).toMatchObject({ reason: expect.any(String) as string, timestamp: expect.any(Number) as number })
  })

  // proves: tree 104
  test('tree.failed comes once with the trace, before tree.completed, and not for a tree that recovers', async () => {
    const failed = await forest(n('sequence', {}, [leaf('a')]), { scripts: { a: [{ status: 'FAILURE', reason: 'no' }] } })
    expect(eventTypes(failed).filter((type) => type === 'tree.failed' || type === 'tree.completed')).toEqual([
      'tree.failed',
      'tree.completed',
    ])
    expect(payloads(failed, 'tree.failed')).toMatchObject([{ failure_node: 'a', failure_path: 'a', error_message: 'no' }])
    const recovered = await forest(n('selector', {}, [leaf('a'), leaf('b')]), { scripts: { a: ['F'], b: ['S'] } })
    expect(eventTypes(recovered).filter((type) => type.startsWith('tree.'))).toEqual(['tree.completed'])
    expect(recovered.get('_failure.0')).toMatchObject({ node_id: 'a', recovered: true })
  })

  test('a failure that was taken for recovered is not, once the tree has failed', async () => {
    const tree = await forest(n('selector', {}, [leaf('a'), leaf('b')]), { scripts: { a: ['F'], b: ['F'] } })
    const trace = payloads(tree, 'tree.failed')[0]?.failure_trace as JsonObject[]
    expect(trace.map(({ node_id, recovered }) => [node_id, recovered])).toEqual([
      ['a', undefined],
      ['b', undefined],
      [expect.stringMatching('selector'), undefined],
    ])
  })

  // proves: tree 105
  test('the newest 50 of 60 failures are kept, and an execution begins without any', async () => {
    const root = n('repeater', { count: 60 }, [n('always_succeed', {}, [leaf('a')])])
    const tree = await forest(root, { scripts: { a: [...Array.from({ length: 60 }, () => 'F' as const), 'S'] }, stays: true })
    expect(tree.get('_failure_count')).toMatchObject({ total: 60 })
    expect(Array.from({ length: 51 }, (_, i) => tree.get(`_failure.${i}`)).filter((entry) => entry !== undefined)).toHaveLength(50)
    await tree.event('again')
    expect([tree.get('_failure_count'), tree.get('_failure.0'), tree.get('_failure_reason')]).toEqual([undefined, undefined, undefined])
  })

  // proves: tree EP-03
  test('a node reads the reason and the trace of a failure in the same tick, and none of an earlier execution', async () => {
    const read = n('set', { key: 'why', expression: 'bb._failure_reason or "none"' })
    const count = n('set', { key: 'count', expression: '#bb._failure_trace' })
    const root = n('sequence', {}, [
      read,
      n('always_succeed', {}, [leaf('a')]),
      n('set', { key: 'later', expression: 'bb._failure_reason' }),
      count,
    ])
    const board = { why: { type: 'str' }, later: { type: 'str' }, count: { type: 'int' } } as const
    const tree = await forest(root, { tree: { board }, stays: true, scripts: { a: [{ status: 'FAILURE', reason: 'closed' }, 'F'] } })
    expect([tree.get('why'), tree.get('later'), tree.get('count')]).toEqual(['none', 'closed', 1])
    await tree.event('again')
    expect([tree.get('why'), tree.get('later'), tree.get('count')]).toEqual(['none', 'action a returned FAILURE', 1])
  })
})
