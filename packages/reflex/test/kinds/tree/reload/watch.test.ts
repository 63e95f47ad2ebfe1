import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reflex, start, workFolder } from '../../../cli/worlds.ts'
import { virtualHost } from '../../../../src/testing/index.ts'
import { n } from '../tick/tree-world.ts'

function tree(...values: number[]): string {
  const root = n(
    'sequence',
    { id: 'root' },
    values.map((value) => n('set', { id: `put_${value}`, key: 'v', value })),
  )
  return JSON.stringify({ format: 1, id: 'deploy', board: { v: { type: 'int' } }, root })
}

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = workFolder()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

test('a run handles the events of a file one after another, and ends with the file', async () => {
  const folder = folderWith({ 'deploy.tree.json': tree(1), 'events.jsonl': '{"n":1}\n\n{"n":\n{"n":2}' })
  const ended = await reflex(['run', 'deploy.tree.json', '--id', 'otter', '--events', 'events.jsonl'], { folder })
  expect([ended.code, ended.err]).toEqual([0, expect.stringMatching(/warning R1001 {2}events\.jsonl:3:.*the line is left out/)])
  const trace = await reflex(['trace', 'otter', '--jsonl'], { folder })
  expect([...new Set(trace.out.match(/"n":[12]/g))]).toEqual(['"n":1', '"n":2'])
})

test('no run starts without the file of its events', async () => {
  const folder = folderWith({ 'deploy.tree.json': tree(1) })
  const ended = await reflex(['run', 'deploy.tree.json', '--events', 'events.jsonl'], { folder })
  expect([ended.code, ended.err]).toEqual([2, expect.stringContaining('events.jsonl does not exist')])
  expect((await reflex(['runs'], { folder })).out).not.toContain('deploy')
})

test('events come from standard input, too', async () => {
  const folder = folderWith({ 'deploy.tree.json': tree(1) })
  expect((await reflex(['run', 'deploy.tree.json', '--events', '-'], { folder, input: '1\n2\n' })).code).toBe(0)
})

test('a program of another kind takes no events', async () => {
  const ended = await reflex(['watch', 'p.dot'], {
    folder: folderWith({ 'p.dot': 'digraph p { start [shape=Mdiamond]; done [shape=Msquare]; start -> done }' }),
  })
  expect(ended.err).toContain('takes no events')
})

test('a watched tree shows its nodes, keys debug it, and it is reloaded when its file is saved', async () => {
  const folder = folderWith({ 'deploy.tree.json': tree(1, 2) })
  const host = virtualHost()
  const watching = start(['watch', 'deploy.tree.json', '--id', 'otter'], { folder, columns: 80, host })
  const shows = async (text: string): Promise<void> => {
    for (let i = 0; i < 3_000 && !watching.screen().includes(text); i++) {
      await new Promise((resolve) => setImmediate(resolve))
      await host.advance(100)
    }
    expect(watching.screen()).toContain(text)
  }
  await shows('q leave, resumable')
  watching.press('b', 'p', 'u', 't', '_', '2', 'enter')
  await shows('v = 2 · break')
  watching.press(' ')
  await shows('paused before it')
  watching.press('p')
  await shows('✓ put_2       v = 2 · break, 1 hit')
  writeFileSync(join(folder, 'deploy.tree.json'), tree(1, 3))
  await shows('reloaded: + put_3, − put_2, ~ root')
  writeFileSync(join(folder, 'deploy.tree.json'), '{')
  await shows('saved with errors; the run keeps its version: R1001')
  watching.press('q')
  expect((await watching.ended).code).toBe(75)
})
