import { describe, expect, test } from 'vitest'
import { replay } from '../../../../src/kernel/index.ts'
import type { TreeSource } from '../../../../src/kinds/tree/model/source.ts'
import { type Forest, forest, type ForestOptions, leaf, n } from '../tick/tree-world.ts'

const rescue: TreeSource = {
  format: 1,
  id: 'rescue',
  // A recovery tree that names one itself: recursion is prevented.
  recovery_tree: 'rescue',
  root: n('sequence', { id: 'help' }, [
    n('condition', { id: 'snapshot', condition: 'bb._failure_context.snapshot.k == 7' }),
    n('condition', { id: 'trace', condition: 'bb._failure_context.failure_trace[1].node_id == "work"' }),
    leaf('repair'),
  ]),
}

function failing(more: ForestOptions = {}): Promise<Forest> {
  return forest(n('sequence', { id: 'root' }, [leaf('work')]), {
    stays: true,
    input: { k: 7 },
    trees: [rescue],
    ...more,
    scripts: { work: ['F'], repair: ['S'], ...more.scripts },
    tree: { recovery_tree: 'rescue', ...more.tree },
  })
}
const typesOf = ({ events }: Forest): string[] => events.map(([type]) => type).filter((type) => /recovery|fallback/.test(type))

async function checkReplay({ runtime, run }: Forest): Promise<void> {
  const { records } = await runtime.history(run.id)
  expect(replay(records, runtime.programs).difference).toBeUndefined()
}

describe('the recovery tree of a run', () => {
  // proves: tree recovery
  test('runs after the third failed execution in a minute, with the failures and the values', async () => {
    const tree = await failing()
    await tree.event({})
    expect(typesOf(tree)).toEqual([])
    await tree.event({})
    expect([typesOf(tree), tree.calls.filter((id) => id === 'repair')]).toEqual([
      ['tree.recovery.started', 'tree.recovery.completed'],
      ['repair'],
    ])
    // The count begins again.
    await tree.event({})
    await tree.event({})
    expect(typesOf(tree)).toHaveLength(2)
    await tree.event({})
    expect(typesOf(tree)).toHaveLength(4)
    await checkReplay(tree)
  })

  test('does not run for failures that are a minute apart, nor for a tree that has recovered by itself', async () => {
    const tree = await failing({ scripts: { work: ['F', 'S'] } })
    for (let i = 0; i < 2; i++) await tree.event({})
    expect(tree.states().work).toBe('SUCCESS')
    const slow = await failing()
    for (let i = 0; i < 4; i++) {
      await slow.pass(31_000)
      await slow.event({})
    }
    expect([typesOf(tree), typesOf(slow)]).toEqual([[], []])
  })

  test('that fails too is the last resort: the event tree.fallback says so', async () => {
    const tree = await failing({ scripts: { repair: ['F'] } })
    await tree.event({})
    await tree.event({})
    expect(tree.events.filter(([type]) => type === 'tree.fallback')).toEqual([
      ['tree.fallback', expect.objectContaining({ recovery_tree: 'rescue', severity: 'critical' })],
    ])
    expect(tree.run.status).toBe('suspended')
    await checkReplay(tree)
  })

  test('runs beside the tree, which handles events meanwhile and waits for its end before it closes', async () => {
    let repaired: (status: 'SUCCESS') => void = () => undefined
    const functions = { repair: () => new Promise<'SUCCESS'>((resolve) => (repaired = resolve)) }
    const tree = await failing({ functions })
    for (let i = 0; i < 6; i++) await tree.event({})
    expect([typesOf(tree), tree.calls.length]).toEqual([['tree.recovery.started'], 7])
    await tree.message('close', null)
    expect(tree.run.status).toBe('running')
    repaired('SUCCESS')
    await tree.run.idle()
    expect([typesOf(tree).at(-1), tree.run.status]).toEqual(['tree.recovery.completed', 'failed'])
    await checkReplay(tree)
  })

  test('does not exist for a run that ends with its first execution', async () => {
    const tree = await failing({ stays: false, tree: { events: false } })
    expect([tree.run.status, typesOf(tree)]).toEqual(['failed', []])
  })
})
