import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Ended, start } from '../cli/worlds.ts'
import { kindPage, wordsOf } from './page.ts'

const page = kindPage('skill')
const { blocks } = page

/** The exit code of each command that does not end with 0. */
const CODES: Readonly<Record<string, number>> = {
  'run publish.skill.json --tools site.ts --input note=first': 1,
  'run publish.skill.json --tools site.ts --input note=first --draft --id half': 1,
  'run publish.skill.json --tools site.ts --draft --id asks --answers none': 75,
}

const commands = blocks
  .filter(({ language }) => language === 'sh')
  .flatMap(({ text }) => text.trimEnd().split('\n'))
  .map((line) => wordsOf(line.replace(/^npx reflex /, '')))

describe('the page of skills', () => {
  test('its commands end as it says', { timeout: 600_000 }, async () => {
    const ends = new Map<string, Ended>()
    for (const words of commands) {
      if (words[0] === 'mkdir') mkdirSync(join(page.folder, words[1] ?? ''))
      else ends.set(words.join(' '), await start(words, { folder: page.folder }).ended)
    }
    const codes = [...ends].map(([command, { code, err }]) => [command, code, code === (CODES[command] ?? 0) ? '' : err])
    expect(codes).toEqual([...ends.keys()].map((command) => [command, CODES[command] ?? 0, '']))
    const ended = (command: string): Ended | undefined => ends.get(command)
    expect(ended('run publish.skill.json --tools site.ts --input note=first')?.err).toContain('state.draft')
    expect(ended('run publish.skill.json --tools site.ts --input note=first --draft --id half')?.err).toContain('R1472')
    const shown = blocks.find(({ text }) => text.includes('site.remove undoes'))?.text ?? ''
    for (const line of shown.trimEnd().split('\n')) expect(ended('trace half')?.out).toContain(line.split(/ {2,}/).join('\t'))
    for (const id of ['first', 'again'])
      expect(JSON.parse(ended(`run publish.skill.json --tools site.ts --input note=first --draft --id ${id}`)?.out ?? '')).toEqual({
        page: 'first.html',
      })
    expect(readFileSync(join(page.folder, 'news/pages.txt'), 'utf8')).toBe('first.html\n')
    expect(ended('replay first')?.out).toContain('0 effects')
    expect(JSON.parse(ended('answer asks :={"note": "first"}')?.out ?? '')).toEqual({ page: 'first.html' })
  })

  test('its mistake has the code that it shows', async () => {
    const shown = blocks.find(({ text }) => text.includes('R1409'))?.text.trim() ?? ''
    const text = readFileSync(join(page.folder, 'publish.skill.json'), 'utf8')
    writeFileSync(join(page.folder, 'keyless.skill.json'), text.replace(/^.*idempotence_key.*\n/m, ''))
    const { code, out } = await start(['validate', 'keyless.skill.json', '--tools', 'site.ts'], { folder: page.folder }).ended
    expect(code).toBe(1)
    expect(out).toContain(shown)
  })

  test('its application prints what it says', { timeout: 600_000 }, () => {
    const { status, ...printed } = spawnSync(process.execPath, ['app.ts'], { cwd: page.folder, encoding: 'utf8', input: '' })
    expect({ status, stdout: printed.stdout, stderr: printed.stderr }).toEqual({
      status: 0,
      stdout: "completed { page: 'first.html' }\n",
      stderr: '',
    })
  })
})
