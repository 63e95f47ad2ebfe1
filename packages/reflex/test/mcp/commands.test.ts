import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { DOCUMENTS } from '../../src/cli/output/schema.ts'
import { reflex, workFolder } from '../cli/worlds.ts'
import { EVERYTHING } from './outside.ts'

const DOCS = readFileSync(join(import.meta.dirname, '../../../../docs/mcp.md'), 'utf8')

/** The words of the commands of a section of the docs that are there to be typed. */
const commands = [...DOCS.slice(DOCS.indexOf('## Allow a server')).matchAll(/^reflex (.+)$/gm)].map(([, words = '']) => words.split(' '))

it('pins, lists and checks a server by the commands of the docs', { timeout: 60_000 }, async () => {
  const root = workFolder()
  const folder = join(root, 'shop')
  mkdirSync(folder)
  symlinkSync(join(EVERYTHING, '../../../..'), join(folder, 'node_modules'))
  const [, proposed = ''] = /```json\n(\{\n {2}"mcp": \{\n {4}"servers"[^`]*)```/.exec(DOCS) ?? []
  writeFileSync(join(folder, 'reflex.config.json'), proposed)
  const environment = { PATH: process.env['PATH'] ?? '' }
  const command = (words: readonly string[]) => reflex([...words], { folder, environment })

  const before = await command(['mcp', 'tools', '--json'])
  expect(DOCUMENTS.servers.parse(JSON.parse(before.out)).servers).toMatchObject([{ name: 'files', tools: [], fault: { code: 'R4500' } }])
  const pin = commands.find(([, word]) => word === 'pin') ?? []
  const pinned = DOCUMENTS.pin.parse(JSON.parse((await command([...pin, '--json'])).out))
  expect(pinned.tools.map(({ name }) => name)).toContain('read_text_file')
  const line = (await command(pin)).out.trim()
  expect(line).toBe(pinned.line)
  writeFileSync(join(root, 'own.policy.json'), `{"mcp": {${line}}}`)

  const [list = [], doctor = []] = commands.filter((words) => words.includes('--policy'))
  expect((await command(list)).out).toContain('files\tmcp.files.read_text_file\tpinned')
  expect((await command(doctor)).out).toMatch(/^check\tmcp\tok\tfiles: \d+ tools/m)
  const wrong = await command(['mcp', 'pinn'])
  expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining('R2031') as string })
})
