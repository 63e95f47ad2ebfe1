import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { reflex, workFolder } from '../cli/worlds.ts'
import { type EndedProcess as Ended, inProcess, kindPage, linkedFolder } from './page.ts'

const { blocks } = kindPage('skill-quick-start')

// proves: skill 187
describe('the quick start of skills', () => {
  const folder = linkedFolder('skill-quick-start')

  test('its commands, from the first to the last, need no key and print what it says', { timeout: 600_000 }, () => {
    const printed: string[] = []
    const ends = new Map<string, Ended>()
    for (const line of blocks.filter(({ language }) => language === 'sh').flatMap(({ text }) => text.trimEnd().split('\n'))) {
      const ended = inProcess(folder(), line)
      ends.set(line, ended)
      if (line.startsWith('node ')) printed.push(ended.out)
    }
    expect([...ends].filter(([, { code }]) => code !== 0)).toEqual([])
    expect(printed).toEqual(blocks.filter(({ language }) => language === 'text').map(({ text }) => text))
    expect(ends.get('npx reflex skill why parcel.where --run last')?.out).toContain('approved')
    // The page shows the files that the command writes.
    const files = blocks.filter(({ file }) => file !== undefined)
    expect(files.map(({ file = '' }) => readFileSync(join(folder(), file), 'utf8'))).toEqual(files.map(({ text }) => text))
  })
})

test('an unknown first thing is refused, and files are never replaced', async () => {
  const folder = join(workFolder(), 'new')
  expect((await reflex(['init', folder, '--first', 'agnt'], { folder: workFolder() })).err).toContain('write --first agent')
  const first = await reflex(['init', folder, '--first', 'agent', '--json'], { folder: workFolder() })
  const { files } = JSON.parse(first.out) as { readonly files: readonly string[] }
  expect(files.map((file) => basename(file))).toEqual(['tools.mjs', 'parcel.where.skill.json', 'where.case.json', 'agent.mjs'])
  expect((await reflex(['init', folder, '--first', 'agent'], { folder: workFolder() })).err).toContain('error R2038')
})
