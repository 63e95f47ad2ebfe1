import { expect, test } from 'vitest'
import { Doors } from '../../../kernel/world.ts'
import { forest, n } from '../tick/tree-world.ts'

test('a result that comes while a tick waits for another leaf is taken by a tick of its own', async () => {
  const [tools, scripts] = [new Doors(), new Doors()]
  const tree = await forest(
    n('parallel', { id: 'both' }, [n('tool', { id: 'slow', tool: 'slow' }), n('script', { id: 'quick', code: 'return true' })]),
    { ports: { tool: tools.port(), script: scripts.port() }, tree: { events: false } },
  )
  tools.door().settle('found')
  await tree.pass(0)
  expect(tree.states()).toEqual({ both: 'FRESH', slow: 'RUNNING', quick: 'FRESH' })
  scripts.door().settle({ status: 'success' })
  await tree.pass(0)
  expect([tree.run.status, tree.states(), tree.get('slow_result')]).toEqual([
    'completed',
    { both: 'SUCCESS', slow: 'SUCCESS', quick: 'SUCCESS' },
    'found',
  ])
})
