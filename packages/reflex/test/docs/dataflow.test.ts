import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Ended, start } from '../cli/worlds.ts'

const root = resolve(import.meta.dirname, '../../../..')
const page = readFileSync(join(root, 'docs/kinds/dataflow.md'), 'utf8')

/** The blocks of the page, in order. A block behind a line with only a name and a colon is a file of that name. */
const blocks = [...page.matchAll(/(?:^`([\w.-]+)`:\n\n)?^```(\w+)\n([\s\S]*?)^```/gm)].map(([, file, language = '', text = '']) => ({
  file,
  language,
  text,
}))

/** The exit code of each command that does not end with 0. */
const CODES: Readonly<Record<string, number>> = {
  'run visits.dataflow.json --stays --id live --answers none': 75,
  'signal live event :={"event_id": "a", "semantic_kind": "door", "payload": {"inside": true}}': 75,
}

let folder = ''

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'reflex-dataflow-docs-')))
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
  .flatMap(({ text }) => text.split('\n'))
  .flatMap((line) => (line.startsWith('npx reflex ') ? [wordsOf(line.slice('npx reflex '.length))] : []))

describe('the page of dataflow graphs', () => {
  test('its commands end as it says', { timeout: 600_000 }, async () => {
    const ends = new Map<string, Ended>()
    for (const words of commands) ends.set(words.join(' '), await start(words, { folder }).ended)
    const codes = [...ends].map(([command, { code, err }]) => [command, code, code === (CODES[command] ?? 0) ? '' : err])
    expect(codes).toEqual([...ends.keys()].map((command) => [command, CODES[command] ?? 0, '']))
    const result = (command: string): unknown => JSON.parse(ends.get(command)?.out ?? '')
    expect(result('run price.dataflow.json --input amount=80')).toEqual({ tax: 20, total: 100 })
    const visits = 'run visits.dataflow.json --events door.jsonl --id visits'
    expect(result(visits)).toEqual({ events: 4, refused: 1, failed: 0, sent: {} })
    expect(ends.get(visits)?.err).toContain('R1331: no field "insid"; did you mean "inside"?')
    expect(ends.get('show visits')?.out).toContain('visits\t2')
    expect(result('signal live event :=null')).toMatchObject({ events: 1 })
    expect(result('run fridge.dataflow.json --events readings.jsonl --id fridge')).toMatchObject({ events: 4, sent: { alarm: 1 } })
    expect(readFileSync(join(folder, 'alarms.txt'), 'utf8')).toBe('kitchen 9\n')
    expect(result('run quote.lua')).toEqual({ price: { tax: 10, total: 50 } })
  })

  test('its mistake has the message that it shows', async () => {
    const shown = blocks.find(({ text }) => text.includes('multply'))?.text ?? ''
    const text = readFileSync(join(folder, 'price.dataflow.json'), 'utf8')
    writeFileSync(join(folder, 'price.dataflow.json'), text.replace('multiply@', 'multply@'))
    const { code, out } = await start(['validate', 'price.dataflow.json'], { folder }).ended
    writeFileSync(join(folder, 'price.dataflow.json'), text)
    expect(code).toBe(1)
    expect(out).toContain(shown)
  })

  test('its application prints what it says', { timeout: 600_000 }, () => {
    const { status, ...printed } = spawnSync(process.execPath, ['clamp.ts'], { cwd: folder, encoding: 'utf8', input: '' })
    expect({ status, stdout: printed.stdout, stderr: printed.stderr }).toEqual({
      status: 0,
      stdout: '0\ncompleted { result: 10 }\n',
      stderr: '',
    })
  })
})
