import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { type Ended, start } from '../cli/worlds.ts'
import { kindPage, wordsOf } from './page.ts'

const page = kindPage('skill-learning')

const commands = page.blocks.filter(({ language }) => language === 'sh').flatMap(({ text }) => text.trimEnd().split('\n'))
const shown = page.blocks.filter(({ language }) => language === 'text').flatMap(({ text }) => text.trimEnd().split('\n'))

describe('the page of learning', () => {
  test('its commands end well, and print what it shows', { timeout: 600_000 }, async () => {
    const ends: Ended[] = []
    for (const command of commands) {
      const words = wordsOf(command.replace(/^npx reflex /, ''))
      if (words[0] === 'node') expect(spawnSync(process.execPath, words.slice(1), { cwd: page.folder })).toMatchObject({ status: 0 })
      else ends.push(await start(words, { folder: page.folder }).ended)
    }
    expect(ends.map(({ code }) => code)).toEqual(ends.map(() => 0))
    const [imported, snapshot, tested, , listed, runs, again] = ends.map(({ out }) => out)
    const run = runs?.split('\t')[0] ?? ''
    const trace = await start(['trace', run], { folder: page.folder }).ended
    const printed = `${snapshot ?? ''}\n${trace.out}`.replaceAll(/\s+/g, ' ')
    for (const line of shown) expect(printed).toContain(line.replaceAll(/\s+/g, ' '))
    expect(tested).toContain('5 of 5 unit cases')
    expect(listed).toContain('mined.parcels.get@1.0.1\tactive')
    expect(imported?.trim().split('\n')).toHaveLength(24)
    expect(again?.match(/imported before/g)).toHaveLength(24)
  })
})
