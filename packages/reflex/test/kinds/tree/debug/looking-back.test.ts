import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reflex, workFolder } from '../../../cli/worlds.ts'
import { n } from '../tick/tree-world.ts'

const CHILD = {
  format: 1,
  id: 'child',
  board: {},
  root: n('sequence', { id: 'inner' }, [n('fail', { id: 'closed', reason: 'the way is closed' })]),
}
const TREE = {
  format: 1,
  id: 'deploy',
  board: { v: { type: 'int', default: 1 } },
  root: n('selector', { id: 'root' }, [
    n('condition', { id: 'large', condition: 'bb.v > 1' }),
    n('subtree_ref', { id: 'sub', tree_name: 'child' }),
    n('set', { id: 'raise', key: 'v', value: 2 }),
  ]),
}

function ran(): string {
  const folder = workFolder()
  writeFileSync(join(folder, 'deploy.tree.json'), JSON.stringify(TREE))
  writeFileSync(join(folder, 'child.tree.json'), JSON.stringify(CHILD))
  return folder
}

/** The lines of a screen without times. */
const linesOf = (screen: string): string[] =>
  screen.split('\n').map((line) => line.replace(/ +(recovered  )?\d\d:\d\d:\d\d$/, '').trimEnd())

test('trace, show, why and graph tell of nodes, also of those in other trees, with reasons and writers', async () => {
  const folder = ran()
  expect((await reflex(['run', 'deploy.tree.json', '--id', 'otter', '--stay', '--answers', 'none'], { folder })).code).toBe(75)
  expect((await reflex(['signal', 'otter', 'close'], { folder })).code).toBe(0)
  const screen = async (...words: string[]): Promise<string[]> =>
    linesOf((await reflex([...words, '--no-color'], { folder, columns: 80 })).out)
  expect((await screen('trace', 'otter')).slice(2)).toEqual([
    '   @2    large    ✗ bb.v > 1 is false',
    '   @2        sub/closed  ✗ the way is closed',
    '   @2      sub/inner  ✗',
    '   @2    sub      ✗',
    '   @2    raise    + v 2',
    '   @2  root       selector',
    '   @3             close: no more events',
    '   @3  completed  SUCCESS · v',
    '',
  ])
  expect((await screen('show', 'otter')).slice(2)).toEqual([
    '  ✓ root          selector',
    '    ✗ large       bb.v > 1 is false',
    '    ✗ sub         tree child',
    '      ✗ inner     sequence',
    '        ✗ closed  the way is closed',
    '    ✓ raise       v = 2',
    'failed  large         bb.v > 1 is false',
    '        sub/closed    the way is closed',
    `board   v  2${'raise @2'.padStart(67)}`,
    '',
  ])
  expect((await screen('why', 'otter', 'v'))[0]).toMatch(/^v +2, written at raise +@2$/)
  expect(await screen('graph', 'otter')).toEqual(expect.arrayContaining([expect.stringContaining('✗ large')]))
})
