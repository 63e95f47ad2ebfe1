import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Ended, start } from '../cli/worlds.ts'
import { kindPage, wordsOf } from './page.ts'

const page = kindPage('dataflow')
const { blocks } = page

/** The exit code of each command that does not end with 0. */
const CODES: Readonly<Record<string, number>> = {
  'run visits.dataflow.json --stays --id live --answers none': 75,
  'signal live event :={"event_id": "a", "semantic_kind": "door", "payload": {"inside": true}}': 75,
}

const commands = blocks
  .filter(({ language }) => language === 'sh')
  .flatMap(({ text }) => text.split('\n'))
  .flatMap((line) => (line.startsWith('npx reflex ') ? [wordsOf(line.slice('npx reflex '.length))] : []))

describe('the page of dataflow graphs', () => {
  test('its commands end as it says', { timeout: 600_000 }, async () => {
    const ends = new Map<string, Ended>()
    for (const words of commands) ends.set(words.join(' '), await start(words, { folder: page.folder }).ended)
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
    expect(readFileSync(join(page.folder, 'alarms.txt'), 'utf8')).toBe('kitchen 9\n')
    expect(result('run quote.lua')).toEqual({ price: { tax: 10, total: 50 } })
  })

  test('its mistake has the message that it shows', async () => {
    const shown = blocks.find(({ text }) => text.includes('multply'))?.text ?? ''
    const text = readFileSync(join(page.folder, 'price.dataflow.json'), 'utf8')
    writeFileSync(join(page.folder, 'price.dataflow.json'), text.replace('multiply@', 'multply@'))
    const { code, out } = await start(['validate', 'price.dataflow.json'], { folder: page.folder }).ended
    writeFileSync(join(page.folder, 'price.dataflow.json'), text)
    expect(code).toBe(1)
    expect(out).toContain(shown)
  })

  test('its application prints what it says', { timeout: 600_000 }, () => {
    const { status, ...printed } = spawnSync(process.execPath, ['clamp.ts'], { cwd: page.folder, encoding: 'utf8', input: '' })
    expect({ status, stdout: printed.stdout, stderr: printed.stderr }).toEqual({
      status: 0,
      stdout: '0\ncompleted { result: 10 }\n',
      stderr: '',
    })
  })
})
