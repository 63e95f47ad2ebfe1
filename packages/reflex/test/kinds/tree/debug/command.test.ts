import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reflex, workFolder } from '../../../cli/worlds.ts'
import { n } from '../tick/tree-world.ts'

const tree = {
  format: 1,
  id: 'deploy',
  board: { v: { type: 'int' } },
  root: n('sequence', { id: 'root' }, [n('set', { id: 'one', key: 'v', value: 1 }), n('set', { id: 'two', key: 'v', value: 2 })]),
}

function folderWithTree(): string {
  const folder = workFolder()
  writeFileSync(join(folder, 'deploy.tree.json'), JSON.stringify(tree))
  return folder
}

// proves: tree 116
test('a run stops before a node, shows its nodes, and goes on by messages of another process', async () => {
  const folder = folderWithTree()
  const begun = await reflex(['run', 'deploy.tree.json', '--id', 'otter', '--break', 'two'], { folder })
  expect([begun.code, begun.err]).toEqual([75, expect.stringContaining('waits for the message debug')])
  const shown = await reflex(['show', 'otter', '--no-color'], { folder, columns: 80 })
  expect(
    shown.out
      .split('\n')
      .filter((line) => /[●✓‖]/.test(line))
      .map((line) => line.trimEnd()),
  ).toEqual(['  ● root          sequence', '    ✓ one         v = 1', '    ‖ two         v = 2 · break, 1 hit · paused before it'])
  const sent = await reflex(['signal', 'otter', 'debug', 'resume'], { folder })
  expect([sent.code, (await reflex(['show', 'otter'], { folder })).out]).toEqual([0, expect.stringContaining('node\t  two\tdone')])
})

test('a run can begin before its first node', async () => {
  const folder = folderWithTree()
  expect((await reflex(['run', 'deploy.tree.json', '--id', 'otter', '--step'], { folder })).code).toBe(75)
  for (const code of [75, 75, 0]) expect((await reflex(['signal', 'otter', 'debug', 'step'], { folder })).code).toBe(code)
})

test('a breakpoint at a node that is not there is refused before the run', async () => {
  const begun = await reflex(['run', 'deploy.tree.json', '--break', 'tow'], { folder: folderWithTree() })
  expect([begun.code, begun.err]).toEqual([1, expect.stringContaining('write two')])
  expect(begun.err).toContain('R1216')
})
