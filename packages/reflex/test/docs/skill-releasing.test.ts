import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Ended, start } from '../cli/worlds.ts'
import { kindPage, wordsOf } from './page.ts'

const page = kindPage('skill-releasing')

/** The exit code of each command that does not end with 0. */
const CODES: Readonly<Record<string, number>> = {
  'gate explain --skill orders.look_up --input path=order.json --user please help': 1,
  'skill diff orders.look_up 1.0.0 1.1.0': 1,
  'skill promote orders.look_up@1.1.0': 1,
  'replay plain --what-if --against strict.skill.json': 1,
}

const commands = page.blocks
  .filter(({ language }) => language === 'sh')
  .flatMap(({ text }) => text.trimEnd().split('\n'))
  .map((line) => wordsOf(line.replace(/^npx reflex /, '')))

describe('the page about releasing skills', () => {
  test('its commands end as it says', { timeout: 600_000 }, async () => {
    const ends = new Map<string, Ended>()
    for (const words of commands) ends.set(words.join(' '), await start(words, { folder: page.folder }).ended)
    const codes = [...ends].map(([command, { code, err }]) => [command, code, code === (CODES[command] ?? 0) ? '' : err])
    expect(codes).toEqual([...ends.keys()].map((command) => [command, CODES[command] ?? 0, '']))
    const screen = (command: string): string => ends.get(command)?.screen ?? ''
    expect(JSON.parse(screen('schema skill-case'))).toMatchObject({ $id: 'urn:reflex:skill-case' })
    expect(screen('skill list')).toContain('orders.look_up@1.0.0\tactive\t90 %')
    expect(screen('skill list')).toContain('orders.look_up@1.1.0\tactive\t10 %')
    expect(screen('skill promote orders.look_up@1.1.0')).toContain('promote needs 50 with at least 0.95')
    expect(screen('skill promote orders.look_up@1.1.0 --by ana')).toContain('by a person')
    expect(screen('skill list --env production')).toContain('orders.look_up@1.1.0\ttested')
    expect(screen('replay plain --what-if --against strict.skill.json')).toContain('2.0.0 denied (invariant_false)')
    const draft = JSON.parse(readFileSync(join(page.folder, 'texts/orders.look_up.skill.json'), 'utf8')) as object
    expect(draft).toMatchObject({ plan: { steps: [] } })
    expect(existsSync(join(page.folder, 'report.xml'))).toBe(true)
  })

  test('its host in the mode shadow carries out nothing', { timeout: 600_000 }, () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['shadow.ts'], { cwd: page.folder, encoding: 'utf8', input: '' })
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: 'failed\n', stderr: '' })
  })
})
