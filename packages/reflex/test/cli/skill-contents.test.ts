import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reflex, workFolder } from './worlds.ts'

/** The bytes of all files of a folder, as text. */
function bytesIn(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile())
  return files.map((file) => readFileSync(join(file.parentPath, file.name), 'utf8')).join('\n')
}

// proves: skill 143
test('a folder keeps no contents of its skills, and its runs say so', async () => {
  const options = { folder: workFolder() }
  const settings = (skill: object): void => writeFileSync(join(options.folder, 'reflex.config.json'), JSON.stringify({ skill }))
  writeFileSync(join(options.folder, 'canary-order.json'), '{"buyer":"canary-ana"}')
  settings({ logContent: 'none' })
  const run = await reflex(['run', 'look-up.skill.json', '-i', 'path=canary-order.json', '--draft', '--id', 'otter-2m9q'], options)
  expect([run.code, run.out]).toEqual([0, expect.stringContaining('canary-ana')])
  expect(bytesIn(join(options.folder, '.reflex'))).not.toContain('canary')
  const replayed = await reflex(['replay', 'otter-2m9q'], options)
  expect([replayed.code, replayed.screen]).toEqual([0, expect.stringContaining('replays decisions: texts were not kept')])
  expect((await reflex(['show', 'otter-2m9q'], { ...options, columns: 120 })).screen).toContain('replayable: decisions')
  expect((await reflex(['trace', 'otter-2m9q'], { ...options, columns: 120 })).screen).toContain('replayable: decisions')
  for (const verb of ['show', 'trace', 'replay']) {
    const { out } = await reflex([verb, 'otter-2m9q', '--json'], options)
    expect(JSON.parse(out)).toMatchObject({ replayable: 'decisions' })
  }
  const forked = await reflex(['fork', 'otter-2m9q@3'], options)
  expect([forked.code, forked.err]).toEqual([expect.any(Number), expect.stringContaining('R2067')])
})

test('a file beside programs cannot ask for secrets in records', async () => {
  const options = { folder: workFolder() }
  writeFileSync(join(options.folder, 'reflex.config.json'), JSON.stringify({ skill: { logContent: 'full' } }))
  const { err } = await reflex(['run', 'look-up.skill.json', '-i', 'path=order.json', '--draft'], options)
  expect(err).toContain('logContent')
})
