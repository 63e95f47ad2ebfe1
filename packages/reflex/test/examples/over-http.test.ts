import { spawn, type ChildProcess } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { environmentOf } from '../environment.ts'

const HERE = 'examples/13-over-http'
const root = resolve(import.meta.dirname, '../../../..')

function workplace(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'reflex-http-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'examples'))
  cpSync(join(root, HERE), join(folder, HERE), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}\n')
  return folder
}

/** Starts a process of its own. `said` is everything that it has printed so far. */
function begin(folder: string, words: readonly string[]): { readonly child: ChildProcess; readonly said: () => string } {
  const env = environmentOf(folder)
  const child = spawn(process.execPath, words, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (text += String(part)))
  return { child, said: () => text }
}

const ended = (child: ChildProcess): Promise<number | null> => new Promise((resolve) => child.on('close', resolve))

/** Runs the client against the server at an address until it ends. */
async function client(folder: string, address: string): Promise<{ readonly code: number | null; readonly out: string }> {
  const { child, said } = begin(folder, [`${HERE}/client.ts`, address])
  return { code: await ended(child), out: said() }
}

test('a second process starts a run, follows it and answers; again, it gets the same run', async () => {
  const folder = workplace()
  const words = [join(root, 'packages/reflex/bin/reflex.js'), 'serve', '--programs', HERE, '--port', '0']
  const { child, said } = begin(folder, words)
  const address = await new Promise<string>((found, failed) => {
    const look = (): void => {
      const [url] = /http:\S+#token=\S+/.exec(said()) ?? []
      if (url !== undefined) found(url)
    }
    child.stdout?.on('data', look)
    child.on('close', () => failed(new Error(said())))
  })
  const first = await client(folder, address)
  expect(first.out).toContain('answers "yes", because the tests of 1.4.0 pass')
  expect(first.out).toMatch(/has completed\n$/)
  expect(first.code).toBe(0)
  const numbers = [...first.out.matchAll(/@(\d+) {2}/g)].map(([, n]) => Number(n))
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
  const second = await client(folder, address)
  expect(second.out.split('\n').at(-2)).toBe(first.out.split('\n').at(-2))
  expect(second.out).not.toContain('answers "yes"')
  const closed = ended(child)
  child.kill('SIGTERM')
  expect(await closed).toBe(0)
  expect(await client(folder, address)).toMatchObject({ code: 1, out: expect.stringContaining('R6070') as unknown })
})
