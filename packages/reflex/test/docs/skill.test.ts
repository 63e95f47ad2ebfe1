import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Ended, start } from '../cli/worlds.ts'

const root = resolve(import.meta.dirname, '../../../..')
const page = readFileSync(join(root, 'docs/kinds/skill.md'), 'utf8')

/** The blocks of the page, in order. A block behind a line with only a name and a colon is a file of that name. */
const blocks = [...page.matchAll(/(?:^`([\w.-]+)`:\n\n)?^```(\w+)\n([\s\S]*?)^```/gm)].map(([, file, language = '', text = '']) => ({
  file,
  language,
  text,
}))

/** The exit code of each command that does not end with 0. */
const CODES: Readonly<Record<string, number>> = {
  'run publish.skill.json --tools site.ts --input note=first': 1,
  'run publish.skill.json --tools site.ts --input note=first --draft --id half': 1,
  'run publish.skill.json --tools site.ts --draft --id asks --answers none': 75,
}

let folder = ''

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'reflex-skill-docs-')))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}\n')
  for (const { file, text } of blocks) if (file !== undefined) writeFileSync(join(folder, file), text)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The words of a command for a shell: those in single quotes are one. */
function wordsOf(command: string): string[] {
  return [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain = '']) => quoted ?? plain)
}

const commands = blocks
  .filter(({ language }) => language === 'sh')
  .flatMap(({ text }) => text.trimEnd().split('\n'))
  .map((line) => wordsOf(line.replace(/^npx reflex /, '')))

describe('the page of skills', () => {
  test('its commands end as it says', { timeout: 600_000 }, async () => {
    const ends = new Map<string, Ended>()
    for (const words of commands) {
      if (words[0] === 'mkdir') mkdirSync(join(folder, words[1] ?? ''))
      else ends.set(words.join(' '), await start(words, { folder }).ended)
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
    expect(readFileSync(join(folder, 'news/pages.txt'), 'utf8')).toBe('first.html\n')
    expect(ended('replay first')?.out).toContain('0 effects')
    expect(JSON.parse(ended('answer asks :={"note": "first"}')?.out ?? '')).toEqual({ page: 'first.html' })
  })

  test('its mistake has the code that it shows', async () => {
    const shown = blocks.find(({ text }) => text.includes('R1409'))?.text.trim() ?? ''
    const text = readFileSync(join(folder, 'publish.skill.json'), 'utf8')
    writeFileSync(join(folder, 'keyless.skill.json'), text.replace(/^.*idempotence_key.*\n/m, ''))
    const { code, out } = await start(['validate', 'keyless.skill.json', '--tools', 'site.ts'], { folder }).ended
    expect(code).toBe(1)
    expect(out).toContain(shown)
  })

  test('its application prints what it says', { timeout: 600_000 }, () => {
    const { status, ...printed } = spawnSync(process.execPath, ['app.ts'], { cwd: folder, encoding: 'utf8', input: '' })
    expect({ status, stdout: printed.stdout, stderr: printed.stderr }).toEqual({
      status: 0,
      stdout: "completed { page: 'first.html' }\n",
      stderr: '',
    })
  })
})
