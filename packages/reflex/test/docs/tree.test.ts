import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readLuaTree } from '../../src/kinds/tree/formats/read-lua.ts'
import { LuaPool } from '../../src/kinds/tree/lua/pool.ts'
import { NODES } from '../../src/kinds/tree/nodes/table.ts'
import { type Ended, start } from '../cli/worlds.ts'

const root = resolve(import.meta.dirname, '../../../..')
const page = readFileSync(join(root, 'docs/kinds/tree.md'), 'utf8')

/** The blocks of the page, in order. A block behind a line with only a name and a colon is a file of that name. */
const blocks = [...page.matchAll(/(?:^`([\w.-]+)`:\n\n)?^```(\w+)\n([\s\S]*?)^```/gm)].map(([, file, language = '', text = '']) => ({
  file,
  language,
  text,
}))

/** The exit code of each command that does not end with 0. */
const CODES: Readonly<Record<string, number>> = {
  'run watch.lua --stay --id watcher --answers none': 75,
  'signal watcher event :={"level": "high"}': 75,
  'signal watcher event :={"level": "low"}': 75,
  'run publish.lua --answers none': 75,
  'run patrol.lua --id stopped --break visit': 75,
  'signal stopped debug step': 75,
  'signal stopped debug force visit success': 75,
  'signal stopped debug clear': 75,
}

let folder = ''
const pool = new LuaPool()

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'reflex-tree-docs-')))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}\n')
  for (const { file, text } of blocks) if (file !== undefined) writeFileSync(join(folder, file), text)
})
afterAll(async () => {
  await pool.close()
  rmSync(folder, { recursive: true, force: true })
})

/** The words of a command for a shell: those in single quotes are one. */
function wordsOf(command: string): string[] {
  return [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain = '']) => quoted ?? plain)
}

const commands = blocks
  .filter(({ language }) => language === 'sh')
  .flatMap(({ text }) => text.split('\n'))
  .flatMap((line) => (line.startsWith('npx reflex ') ? [wordsOf(line.slice('npx reflex '.length))] : []))

describe('the page of trees', () => {
  test('its commands end as it says', { timeout: 600_000 }, async () => {
    const ends = new Map<string, Ended>()
    for (const words of commands) ends.set(words.join(' '), await start(words, { folder }).ended)
    const codes = [...ends].map(([command, { code }]) => [command, code])
    const expected = [...ends.keys()].map((command) => [command, CODES[command] ?? 0])
    expect(codes).toEqual(expected)
    const result = (command: string): unknown => JSON.parse(ends.get(command)?.out ?? '')
    expect(result('run patrol.lua')).toEqual({ battery: 70, seen: ['hall', 'lab', 'store'] })
    expect(result('run patrol.lua --input battery=50')).toEqual({ battery: 20, seen: ['hall', 'lab', 'store'] })
    expect(result('signal watcher close')).toEqual({ alarms: 1 })
    expect(result('run offers.lua')).toEqual({ first: 'north', offers: [12, 9] })
    expect(result('answer last yes')).toEqual({ answer: 'yes' })
    expect(result('run fallback.lua --id fell')).toEqual({ why: expect.stringContaining('the first way is closed') as string })
    expect(result('run door.tree.json')).toEqual({ locked: false, opened: true })
    expect(result('run gate.xml')).toEqual({ tries: 2, state: 'open' })
  })

  test('its mistake has the message that it shows', async () => {
    const shown = blocks.find(({ text }) => text.includes('conditon'))?.text ?? ''
    const text = readFileSync(join(folder, 'patrol.lua'), 'utf8').replace('BT.condition(', 'BT.conditon(')
    const { findings } = await readLuaTree(text, 'patrol.lua', pool)
    const [{ code, rule, line, column, message } = {}] = findings
    expect(shown).toContain(`error ${code} (${rule})  patrol.lua:${line}:${column}\n  ${message}`)
  })

  test.each([
    ['lamp.ts', 'lamp { level: 80 }\ncompleted true\n'],
    ['charge.ts', 'completed 80\n'],
    ['guard.ts', 'tree.completed\ntree.tick.complete\nSUCCESS 31\n'],
  ])('its application %s prints what it says', { timeout: 600_000 }, (file, stdout) => {
    const { status, ...printed } = spawnSync(process.execPath, [file], { cwd: folder, encoding: 'utf8', input: '' })
    expect({ status, stdout: printed.stdout, stderr: printed.stderr }).toEqual({ status: 0, stdout, stderr: '' })
  })

  const nodes = blocks.filter(({ file, language }) => language === 'lua' && file === undefined).map(({ text }) => text)
  test.each([...nodes, ...NODES.map(({ example }) => example)])('%s is a node', async (text) => {
    const source = text.startsWith('BT.tree(') ? `return ${text}` : `return BT.tree("t", { root = ${text} })`
    expect((await readLuaTree(source, 't.lua', pool)).findings).toEqual([])
  })
})
