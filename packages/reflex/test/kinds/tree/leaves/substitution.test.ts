import { describe, expect, test } from 'vitest'
import { type Json, type JsonObject, replay } from '../../../../src/kernel/index.ts'
import type { NodeSource, TreeSource } from '../../../../src/kinds/tree/model/source.ts'
import { scripted } from '../../../../src/testing/index.ts'
import { world as memory } from '../seed/seed-world.ts'
import { type Forest, forest, leaf, n } from '../tick/tree-world.ts'

const plan = n('tool', { id: 'plan', tool: 'planner', output: 'plan' })
const deploy = n('action', { id: 'deploy', fn: 'deploy' })
const check = n('condition', { id: 'check', condition: 'bb.plan == "small"' })
const main: TreeSource = {
  format: 1,
  id: 'main',
  board: { plan: { type: 'str' } },
  root: n('sequence', { id: 'all' }, [plan, check, n('retry', { id: 'again', max_retries: 3, backoff_ms: 1000 }, [deploy])]),
}

async function checkReplay({ runtime, run }: Forest): Promise<void> {
  const { records } = await runtime.history(run.id)
  expect(replay(records, runtime.programs).difference).toBeUndefined()
}

function started(root: NodeSource, _substitute: JsonObject, more: Parameters<typeof forest>[1] = {}): Promise<Forest> {
  return forest(root, { ...more, input: { _substitute } })
}

describe('a test of a tree', () => {
  // proves: tree substitution
  test('replaces nodes by answers with a delay and writes, and calls none of their tools and functions', async () => {
    const t = scripted(main, {
      substitute: {
        plan: { returns: 'success', after: 600_000, writes: { plan: 'small' } },
        'dep*': { returns: ['failure', 'failure', 'success'], reason: 'no room' },
      },
      tools: { planner: () => 'never called' },
      tree: { functions: { deploy: () => 'FAILURE' } },
    })
    expect((await t.run()).status).toBe('suspended')
    expect((await t.after('9m')).status).toBe('suspended')
    const end = await t.after('2m')
    expect([end.status, end.value, end.effects]).toEqual(['completed', expect.objectContaining({ plan: 'small' }), []])
    await t.crashEverywhere()
  })

  test('is refused for a node that does not exist, and for what is no answer', async () => {
    const tools = { planner: () => '' }
    const tree = { functions: { deploy: () => 'SUCCESS' as const } }
    const run = (substitute: object): Promise<unknown> => scripted(main, { substitute: substitute as never, tools, tree }).run()
    await expect(run({ deplo: 'success' })).rejects.toMatchObject({ code: 'R1216', fix: 'write deploy' })
    await expect(run({ 'x*': 'success' })).rejects.toMatchObject({ code: 'R1216' })
    await expect(run({ deploy: 'perhaps' })).rejects.toMatchObject({
      code: 'R1216',
      message: expect.stringMatching(/deploy: write success/) as string,
    })
    await expect(run({ deploy: { after: -1 } })).rejects.toMatchObject({ code: 'R1216' })
    await expect(run({ deploy: { return: 'success' } })).rejects.toMatchObject({ message: expect.stringMatching(/no return/) as string })
  })
})

describe('a substitute', () => {
  test('stands in place of a node of a referenced tree, and the node keeps its conditions', async () => {
    const trees: TreeSource[] = [{ format: 1, id: 'inner', root: n('sequence', { id: 'steps' }, [leaf('first'), leaf('last')]) }]
    const root = n('sequence', { id: 'top' }, [
      n('subtree_ref', { id: 'one', tree_name: 'inner' }),
      n('subtree_ref', { id: 'two', tree_name: 'inner', lazy: true }),
      n('action', { id: 'skipped', fn: 'first', skip_if: 'true' }),
    ])
    const tree = await started(
      root,
      { 'one/*st': 'success', 'two/last': 'success', skipped: 'failure' },
      { trees, scripts: { first: ['S'], last: ['F'] } },
    )
    expect([tree.run.status, tree.calls]).toEqual(['completed', ['first']])
    await checkReplay(tree)
  })

  test('stands in place of a composite: nothing below it is ticked', async () => {
    const root = n('selector', { id: 'any' }, [n('sequence', { id: 'try' }, [leaf('a'), leaf('b')]), leaf('c')])
    const tree = await started(
      root,
      { try: { returns: 'failure', reason: 'mocked' } },
      { scripts: { a: ['S'], b: ['S'], c: ['S'] }, stays: true },
    )
    expect([tree.calls, tree.states()]).toEqual([['c'], { any: 'SUCCESS', try: 'FAILURE', a: 'FRESH', b: 'FRESH', c: 'SUCCESS' }])
    expect(tree.get('_failure.0')).toMatchObject({ node_id: 'try', reason: 'mocked', recovered: true })
    await checkReplay(tree)
  })

  test('calls another function of the host', async () => {
    const tree = await started(leaf('real'), { real: { fn: 'fake', args: { n: 1 } } }, { scripts: { real: ['F'], fake: ['S'] } })
    expect([tree.run.status, tree.calls]).toEqual(['completed', ['fake']])
    await checkReplay(tree)
  })

  test('that is RUNNING is judged by the watchdog, and halted like its node', async () => {
    const tree = await started(leaf('a'), { a: 'running' }, { scripts: { a: ['S'] }, stays: true, tree: { max_tick_duration_ms: 50 } })
    expect(tree.states()).toEqual({ a: 'RUNNING' })
    await tree.pass(100)
    expect([tree.states(), tree.get('_failure.0')]).toEqual([{ a: 'FAILURE' }, expect.objectContaining({ error_code: 'E3003' })])
    await checkReplay(tree)
  })

  test('whose write is refused fails as its node would', async () => {
    const tree = await started(leaf('a'), { a: { writes: { k: 'text' } } }, { stays: true, tree: { board: { k: { type: 'int' } } } })
    expect(tree.get('_failure.0')).toMatchObject({ node_id: 'a', error_code: 'E1002' })
  })

  test('outlives a reload, for the nodes that it names', async () => {
    const tree = await started(leaf('a'), { a: 'success' }, { stays: true, scripts: { a: ['F'], b: ['S'] } })
    const source = { format: 1, id: 'main', board: {}, root: n('sequence', { id: 'root' }, [leaf('a'), leaf('b')]) }
    const { hash } = tree.runtime.programs.add('tree', 'main', source as unknown as Json)
    await tree.command({ do: 'reload', reload: { hash } })
    await tree.event({})
    expect(tree.calls).toEqual(['b'])
    await checkReplay(tree)
  })

  test('stands in place of nodes of trees in memory', () => {
    const calls: string[] = []
    const functions = { deploy: () => (calls.push('deploy'), 'FAILURE' as const) }
    const substitute = { plan: { writes: { plan: 'small' } }, 'dep*': { returns: ['failure', 'success'] as const } }
    const { tree } = memory({ board: main.board ?? {}, root: n('sequence', {}, [plan, check, deploy]) }, { functions, substitute })
    expect([tree.tick().status, tree.tick().status, calls]).toEqual(['FAILURE', 'SUCCESS', []])
    expect(tree.blackboard.get('plan')).toBe('small')
  })
})
