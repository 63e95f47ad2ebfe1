import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reflex, workFolder } from './worlds.ts'

/** Files that a person names to give rights are written by no run. */

const writes = (file: string, how: string): string =>
  `digraph p { start [shape=Mdiamond] done [shape=Msquare] ${how} f [type="file.write", content_key=k, output="${file}"] start -> s -> f -> done }`
const constant = 's [type=transform, transform=constant, expression="taken", output_key=k]'

test('a run cannot write its own policy, whatever the name of the file', async () => {
  const folder = workFolder()
  writeFileSync(join(folder, 'p.dot'), writes('rights.json', constant))
  writeFileSync(join(folder, 'rights.json'), '{"allow": []}')
  const { code, err } = await reflex(['run', 'p.dot', '--policy', 'rights.json'], { folder })
  expect(code).toBe(1)
  expect(err).toContain('rights.json denies')
  expect(readFileSync(join(folder, 'rights.json'), 'utf8')).toBe('{"allow": []}')
})

test.each([
  ['a policy', ['--policy', 'made.json']],
  ['answers', ['--answers', './made.json']],
  ['a script of decisions', ['--agent', './made.json']],
])('refuses %s that a run wrote from a file of secrets', async (_, flags) => {
  const folder = workFolder()
  writeFileSync(join(folder, 'secret.json'), '{"allow": [], "deny": []}')
  writeFileSync(join(folder, 'p.dot'), writes('made.json', 's [type=read, source=file, path="secret.json", output_key=k]'))
  writeFileSync(join(folder, 'q.dot'), 'digraph q { start [shape=Mdiamond] done [shape=Msquare] start -> done }')
  expect((await reflex(['run', 'p.dot'], { folder })).code).toBe(0)
  const { code, err } = await reflex(['run', 'q.dot', ...flags], { folder })
  expect([code, err.includes('R1097')]).toEqual([1, true])
  writeFileSync(join(folder, 'made.json'), '{"allow": []}')
  expect((await reflex(['run', 'q.dot', ...flags], { folder })).err).not.toContain('R1097')
})

test('an archive that a run wrote is refused: its runs would have the rights of a person', async () => {
  const folder = workFolder()
  writeFileSync(join(folder, 'p.dot'), writes('made.run.jsonl', 's [type=read, source=file, path="secret.json", output_key=k]'))
  writeFileSync(join(folder, 'q.dot'), 'digraph q { start [shape=Mdiamond] done [shape=Msquare] start -> done }')
  expect((await reflex(['run', 'q.dot', '--id', 'otter-2m9q'], { folder })).code).toBe(0)
  expect((await reflex(['export', 'otter', '-o', 'secret.json'], { folder })).code).toBe(0)
  expect((await reflex(['run', 'p.dot'], { folder })).code).toBe(0)
  const { code, err } = await reflex(['import', 'made.run.jsonl', '--id', 'heron-7c1x'], { folder })
  expect([code, err.includes('R1097')]).toEqual([1, true])
})
