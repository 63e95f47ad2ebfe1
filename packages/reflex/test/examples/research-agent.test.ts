import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { type Reply, type Seen, startOpenAi } from '../models/openai-server.ts'
import { environmentOf } from '../environment.ts'

const HERE = 'examples/08-research-agent'
const root = resolve(import.meta.dirname, '../../../..')
const TOOLS = ['--tools', `${HERE}/library.ts`, '--answers', 'none']

let folder = ''

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'reflex-research-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'examples'))
  cpSync(join(root, HERE), join(folder, HERE), { recursive: true, filter: (path) => !path.endsWith('/out') })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}\n')
})

/** Runs the command in a process of its own, with nobody at the terminal. */
async function reflex(
  words: readonly string[],
  environment: Record<string, string> = {},
): Promise<{ code: number; out: string; err: string }> {
  const env = { ...environmentOf(folder), ...environment }
  const child = spawn(process.execPath, [join(root, 'packages/reflex/bin/reflex.js'), ...words], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [out, err] = ['', '']
  child.stdout.on('data', (piece) => (out += String(piece)))
  child.stderr.on('data', (piece) => (err += String(piece)))
  await once(child, 'close')
  return { code: child.exitCode ?? -1, out, err }
}
const report = (): string => readFileSync(join(folder, HERE, 'out/REPORT.md'), 'utf8')

/** The marks of a node in the trace of the last run. */
async function marksOf(node: string): Promise<readonly string[]> {
  const { out } = await reflex(['trace', 'last', '--json'])
  const { lines } = JSON.parse(out) as { lines: { mark: string; node?: string }[] }
  return lines.filter((line) => line.node === node).map(({ mark }) => mark)
}

describe('example 08, a research agent', () => {
  test('has nothing to find', async () => {
    const { out, code } = await reflex(['validate', HERE, '--tools', `${HERE}/library.ts`])
    expect(out).not.toMatch(/^(error|warning)/m)
    expect(code).toBe(0)
  })

  test('by hand: three researchers, a refused citation, a report with its sources', async () => {
    const { code, err } = await reflex(['run', `${HERE}/research.lua`, ...TOOLS, '--recorded', `${HERE}/by-hand/report.jsonl`])
    expect(err).toContain('replies from report.jsonl')
    expect(code).toBe(0)
    expect((await marksOf('write')).filter((mark) => mark === 'done')).toHaveLength(2)
    expect(report()).toContain('# Should we move our backups from tape to object storage?')
    expect(report()).toContain('- [restore-drill:7] Restore drill, June, documents/restore-drill.md, line 7')
    expect(report()).not.toContain('prices:1')
    // Each source stands in its file at its line.
    for (const [, file = '', line = ''] of report().matchAll(/documents\/([\w.-]+), line (\d+)/g)) {
      const lines = readFileSync(join(root, HERE, 'documents', file), 'utf8').split('\n')
      expect([lines[Number(line) - 2], lines[Number(line) - 1]]).toEqual(['', expect.stringMatching(/\w/)])
    }
    expect((await reflex(['replay', 'last'])).code).toBe(0)
  })

  test('by a model server: one researcher finds nothing, and two are enough', async () => {
    const { environment, server } = await model((text) => (text.includes('Topic: time') ? 'NOTHING' : note(text)))
    const { code } = await reflex(['run', `${HERE}/research.lua`, ...TOOLS], environment)
    expect(code).toBe(0)
    expect(await marksOf('researcher_2')).toContain('fail')
    expect(report()).toContain('documents/network.md')
    expect(server.problems).toEqual([])
  })

  test('by a model server: without two researchers there is no report', async () => {
    const { environment } = await model((text) => (text.includes('Topic: line') ? note(text) : 'NOTHING'))
    const { code, err } = await reflex(['run', `${HERE}/research.lua`, ...TOOLS], environment)
    expect(code).toBe(1)
    expect(err).toContain('2 of 3 children failed')
    expect(existsSync(join(folder, HERE, 'out'))).toBe(false)
  })
})

/** A note that cites the first passage of a prompt. */
function note(text: string): string {
  return `It is so. [${/\\?"id\\?":\\?"([\w-]+:\d+)/.exec(text)?.[1] ?? 'none:1'}]`
}

/** A server whose model plans, takes notes as `notes` says, and cites in its report what the notes cite. */
async function model(notes: (text: string) => string) {
  const handler = ({ body }: Seen): Reply => {
    const text = JSON.stringify(body)
    if (text.includes('You plan research')) return { text: 'line of the head office\ntime to restore\nattacker' }
    if (text.includes('You take notes')) return { text: notes(text) }
    return { text: `Yes ${[...text.matchAll(/It is so\. (\[[\w-]+:\d+\])/g)].map(([, id]) => id).join(' ')}` }
  }
  const server = await startOpenAi({ key: 'sk-local-12345678', handler })
  onTestFinished(() => server.close())
  return { server, environment: { REFLEX_BASE_URL: server.url, REFLEX_MODEL: 'llama3', REFLEX_API_KEY: 'sk-local-12345678' } }
}
