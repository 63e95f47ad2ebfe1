import { describe, expect, test } from 'vitest'
import { type Forest, forest, leaf, n } from './tree-world.ts'

/** The states of a tree, as they stand in its position. */
const STATUS = ['IDLE', 'RUNNING', 'YIELDED', 'COMPLETED', 'FAILED']
const statusOf = ({ run }: Forest): string | undefined => STATUS[Number((run.state.root.position as readonly unknown[])[0])]
const tokenOf = (tree: Forest): string => tree.get('_resume_token') as string
const yields = ({ events }: Forest): readonly unknown[] =>
  events.filter(([type]) => type === 'tree.budget.yield').map(([, payload]) => payload)

describe('the budget of ticks', () => {
  // proves: tree 30, tree UB-06
  test('a tree that has used it yields, with a token', async () => {
    const tree = await forest(leaf('a'), { scripts: { a: ['R'] }, tree: { tick_budget: 5 } })
    expect([statusOf(tree), tree.calls.length, tree.run.status]).toEqual(['YIELDED', 5, 'suspended'])
    expect(tokenOf(tree)).toMatch(/^[0-9a-f-]{36}$/)
    expect(yields(tree)).toEqual([{ tree_id: 'main', tick_count: 5, tick_budget: 5, resume_token: tokenOf(tree) }])
  })

  test('is 1000 ticks by default', async () => {
    const tree = await forest(leaf('a'), { scripts: { a: ['R'] } })
    expect([statusOf(tree), tree.calls.length]).toEqual(['YIELDED', 1000])
  })

  // proves: tree 31
  test('a tree that waits is RUNNING, and its times and events cost nothing', async () => {
    const tree = await forest(n('repeater', { count: 9 }, [n('wait', { wait_ms: 10 })]), { tree: { tick_budget: 3 } })
    expect(statusOf(tree)).toBe('RUNNING')
    await tree.pass(80)
    expect([statusOf(tree), yields(tree)]).toEqual(['RUNNING', []])
    await tree.pass(10)
    expect(tree.run.status).toBe('completed')
  })

  // proves: tree 32
  test('the token resumes it where it was', async () => {
    const tree = await forest(n('sequence', {}, [leaf('a'), leaf('b')]), {
      scripts: { a: ['S'], b: ['R', 'R', 'R', 'S'] },
      tree: { tick_budget: 3 },
    })
    expect(tree.calls.join('')).toBe('abbb')
    await tree.message('resume', tokenOf(tree))
    expect([tree.run.status, tree.calls.join('')]).toEqual(['completed', 'abbbb'])
  })

  // proves: tree 33
  test('a token counts once; another one leaves the tree YIELDED', async () => {
    const tree = await forest(leaf('a'), { scripts: { a: ['R'] }, tree: { tick_budget: 2 } })
    const first = tokenOf(tree)
    await tree.message('resume', 'guess')
    expect([statusOf(tree), tree.calls.length, tokenOf(tree)]).toEqual(['YIELDED', 2, first])
    await tree.message('resume', first)
    expect([statusOf(tree), tree.calls.length]).toEqual(['YIELDED', 4])
    expect(tokenOf(tree)).not.toBe(first)
    await tree.message('resume', first)
    expect([statusOf(tree), tree.calls.length]).toEqual(['YIELDED', 4])
    expect(tree.events.filter(([type]) => type === 'tree.resume.refused').length).toBe(2)
    await tree.message('resume', tokenOf(tree))
    expect(tree.calls.length).toBe(6)
  })

  // proves: tree 34
  test('an event resumes it without a token, with a whole budget, and ends the token', async () => {
    const tree = await forest(leaf('a'), { scripts: { a: ['R'] }, tree: { tick_budget: 5 } })
    const first = tokenOf(tree)
    await tree.event('more')
    expect([statusOf(tree), tree.calls.length]).toEqual(['YIELDED', 10])
    await tree.message('resume', first)
    expect(tree.calls.length).toBe(10)
    expect([...tree.run.state.waits.values()].filter(({ name }) => name === 'resume').length).toBe(1)
  })

  // proves: tree 35
  test('an answer in the last tick of the budget counts', async () => {
    const tree = await forest(leaf('a'), { scripts: { a: ['R', 'R', 'S'] }, tree: { tick_budget: 3 } })
    expect([tree.run.status, tree.calls.length, yields(tree)]).toEqual(['completed', 3, []])
  })

  test('a time that comes while the tree has yielded is handled, and leaves the token as it is', async () => {
    const tree = await forest(
      n('parallel', { policy: 'require_one' }, [leaf('a'), n('timeout', { timeout_ms: 50 }, [n('wait', { wait_ms: 99 })])]),
      {
        scripts: { a: ['R'] },
        tree: { tick_budget: 2 },
      },
    )
    const first = tokenOf(tree)
    await tree.pass(50)
    expect([statusOf(tree), tokenOf(tree), tree.get('_timeout_triggered')]).toEqual(['YIELDED', first, true])
  })

  test('another tick is not forgotten when the tick waits for a leaf after the one that asked for it', async () => {
    const tree = await forest(n('parallel', {}, [n('repeater', { count: 2 }, [n('succeed')]), leaf('b')]), { scripts: { b: ['S'] } })
    expect([tree.run.status, tree.calls]).toEqual(['completed', ['b']])
  })

  test('closing a tree that has yielded stops it', async () => {
    const tree = await forest(n('sequence', { id: 's' }, [leaf('a')]), { scripts: { a: ['R'] }, stays: true, tree: { tick_budget: 2 } })
    await tree.message('close', null)
    expect([tree.run.status, tree.states()]).toEqual(['failed', { s: 'FAILURE', a: 'FAILURE' }])
  })
})
