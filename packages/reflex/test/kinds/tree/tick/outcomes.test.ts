import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../../src/kernel/index.ts'
import type { NodeSource } from '../../../../src/kinds/tree/model/source.ts'
import { NODES } from '../../../../src/kinds/tree/nodes/table.ts'
import { type Answer, forest, leaf, n } from './tree-world.ts'

/** One tick of a node over children with these answers: its state, and the children that were ticked. */
type Row = readonly [type: string, params: JsonObject, children: string, answer: string, ticked: string]

// proves: tree 93, tree EP-01
const ROWS: readonly Row[] = [
  ['sequence', {}, 'SSS', 'SUCCESS', 'abc'],
  ['sequence', {}, 'SFS', 'FAILURE', 'ab'],
  ['sequence', {}, 'SRS', 'RUNNING', 'ab'],
  ['selector', {}, 'FFF', 'FAILURE', 'abc'],
  ['selector', {}, 'FSF', 'SUCCESS', 'ab'],
  ['selector', {}, 'FRS', 'RUNNING', 'ab'],
  ['reactive_sequence', {}, 'SSS', 'SUCCESS', 'abc'],
  ['reactive_sequence', {}, 'SF', 'FAILURE', 'ab'],
  ['reactive_sequence', {}, 'SR', 'RUNNING', 'ab'],
  ['reactive_selector', {}, 'FS', 'SUCCESS', 'ab'],
  ['reactive_selector', {}, 'FF', 'FAILURE', 'ab'],
  ['reactive_selector', {}, 'FR', 'RUNNING', 'ab'],
  ['sequence_with_memory', {}, 'SS', 'SUCCESS', 'ab'],
  ['sequence_with_memory', {}, 'SF', 'FAILURE', 'ab'],
  ['sequence_with_memory', {}, 'SR', 'RUNNING', 'ab'],
  ['selector_with_memory', {}, 'FS', 'SUCCESS', 'ab'],
  ['selector_with_memory', {}, 'FF', 'FAILURE', 'ab'],
  ['selector_with_memory', {}, 'RF', 'RUNNING', 'a'],
  ['parallel', {}, 'SSS', 'SUCCESS', 'abc'],
  ['parallel', {}, 'SFR', 'FAILURE', 'abc'],
  ['parallel', {}, 'SRR', 'RUNNING', 'abc'],
  ['parallel', { policy: 'require_one' }, 'FSR', 'SUCCESS', 'abc'],
  ['parallel', { policy: 'require_one' }, 'FFF', 'FAILURE', 'abc'],
  ['parallel', { policy: 'require_one' }, 'FFR', 'RUNNING', 'abc'],
  ['parallel', { policy: 'require_n', n: 2 }, 'SFS', 'SUCCESS', 'abc'],
  ['parallel', { policy: 'require_n', n: 2 }, 'FFR', 'FAILURE', 'abc'],
  ['parallel', { policy: 'require_n', n: 2 }, 'SFR', 'RUNNING', 'abc'],
  ['for_each', { collection_key: 'items' }, 'S', 'SUCCESS', 'aa'],
  ['for_each', { collection_key: 'items' }, 'F', 'FAILURE', 'a'],
  ['for_each', { collection_key: 'items' }, 'R', 'RUNNING', 'a'],
  ['for_each', { collection_key: 'items', continue_on_failure: true }, 'F', 'SUCCESS', 'aa'],
  ['if_then_else', {}, 'SFS', 'FAILURE', 'ab'],
  ['if_then_else', {}, 'FFS', 'SUCCESS', 'ac'],
  ['if_then_else', {}, 'FS', 'FAILURE', 'a'],
  ['if_then_else', {}, 'RS', 'RUNNING', 'a'],
  ['if_then_else', {}, 'SR', 'RUNNING', 'ab'],
  ['while_do_else', {}, 'SFS', 'FAILURE', 'ab'],
  ['while_do_else', {}, 'FFS', 'SUCCESS', 'ac'],
  ['while_do_else', {}, 'FS', 'FAILURE', 'a'],
  ['while_do_else', {}, 'RS', 'RUNNING', 'a'],
  ['while_do_else', {}, 'SR', 'RUNNING', 'ab'],
  ['switch', { key: 'mode', cases: ['day'] }, 'SF', 'FAILURE', 'b'],
  ['switch', { key: 'mode', cases: ['night'] }, 'SF', 'SUCCESS', 'a'],
  ['switch', { key: 'mode', cases: ['night'] }, 'RF', 'RUNNING', 'a'],
  ...decorator('timeout', { timeout_ms: 1_000 }, 'SUCCESS', 'FAILURE'),
  ...decorator('retry', { max_retries: 0 }, 'SUCCESS', 'FAILURE'),
  ...decorator('retry', { max_retries: 1 }, 'SUCCESS', 'RUNNING'),
  ...decorator('guard', { condition: 'true' }, 'SUCCESS', 'FAILURE'),
  ...decorator('cooldown', { cooldown_ms: 1_000 }, 'SUCCESS', 'FAILURE'),
  ...decorator('inverter', {}, 'FAILURE', 'SUCCESS'),
  ...decorator('always_succeed', {}, 'SUCCESS', 'SUCCESS'),
  ...decorator('always_fail', {}, 'FAILURE', 'FAILURE'),
  ...decorator('repeater', { count: 1 }, 'SUCCESS', 'FAILURE'),
  ...decorator('repeater', { count: 2 }, 'RUNNING', 'FAILURE'),
  ...decorator('repeater', { until_failure: true }, 'RUNNING', 'SUCCESS'),
  ...decorator('repeater', { until_success: true }, 'SUCCESS', 'RUNNING'),
  ...decorator('run_once', {}, 'SUCCESS', 'FAILURE'),
  ['guard', { condition: 'false' }, 'S', 'FAILURE', ''],
  ['delay', { delay_ms: 1_000 }, 'S', 'RUNNING', ''],
]

/** A decorator with a child that succeeds, fails, and is RUNNING: RUNNING passes every decorator. */
function decorator(type: string, params: JsonObject, success: string, failure: string): readonly Row[] {
  return [
    [type, params, 'S', success, 'a'],
    [type, params, 'F', failure, 'a'],
    [type, params, 'R', 'RUNNING', 'a'],
  ]
}

describe('the answer of a node', () => {
  test.each(ROWS)('%s %j over %s is %s', async (type, params, children, answer, ticked) => {
    const names = ['a', 'b', 'c'].slice(0, children.length)
    const scripts = Object.fromEntries(names.map((name, i) => [name, [children[i] as Answer]]))
    const root = n(type, { id: 'root', ...params }, names.map(leaf))
    const board = { items: { default: [1, 2] }, item: {}, mode: { default: 'night' } }
    const tree = await forest(root, { scripts, stays: true, tree: { tick_budget: 1, board } })
    expect([tree.states().root, tree.calls.join('')]).toEqual([answer, ticked])
  })

  test('every composite and decorator has rows, and RUNNING passes each of them', () => {
    const passes = new Set(ROWS.filter(([, , children, answer]) => children.includes('R') && answer === 'RUNNING').map(([type]) => type))
    const inner = NODES.filter(({ role }) => role !== 'leaf').map(({ type }) => type)
    // The child of a delay is ticked later: see decorators.test.ts.
    expect(inner.filter((type) => !passes.has(type))).toEqual(['delay'])
  })
})

// proves: tree 94
describe('a node that has ended begins afresh', () => {
  const fresh: readonly (readonly [string, NodeSource, readonly Answer[], string])[] = [
    ['sequence', n('sequence', {}, [leaf('a'), leaf('b')]), ['S'], 'abab'],
    ['selector', n('selector', {}, [leaf('a'), leaf('b')]), ['F'], 'abab'],
    ['retry', n('retry', { max_retries: 1 }, [leaf('a')]), ['F'], 'aaaa'],
    ['for_each', n('for_each', { collection_key: 'items' }, [leaf('a')]), ['S'], 'aaaa'],
    ['repeater', n('repeater', { count: 2 }, [leaf('a')]), ['S'], 'aaaa'],
  ]
  test.each(fresh)('%s, in the next execution', async (_, root, script, calls) => {
    const board = { items: { default: [1, 2] }, item: {}, mode: { default: 'night' } }
    const tree = await forest(root, { scripts: { a: script, b: script }, stays: true, tree: { board } })
    await tree.event('again')
    expect(tree.calls.join('')).toBe(calls)
  })

  test.each(fresh)('%s, in a later tick of its execution', async (_, root, script, calls) => {
    const board = { items: { default: [1, 2] }, item: {}, mode: { default: 'night' } }
    const whole = n('reactive_sequence', {}, [n('always_succeed', {}, [root]), leaf('z')])
    const tree = await forest(whole, { scripts: { a: script, b: script, z: ['R', 'S'] }, tree: { board } })
    expect([tree.run.status, tree.calls.filter((name) => name !== 'z').join('')]).toEqual(['completed', calls])
  })
})
