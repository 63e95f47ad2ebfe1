import { spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { environmentOf } from '../environment.ts'

const HERE = 'examples/09-deploy-watcher'
const root = resolve(import.meta.dirname, '../../../..')
const TOOLS = ['--tools', `${HERE}/service.ts`]

let folder = ''

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'reflex-watcher-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'examples'))
  cpSync(join(root, HERE), join(folder, HERE), { recursive: true, filter: (path) => !path.endsWith('/out') })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}\n')
})

/** Runs the command in a process of its own, with nobody at the terminal. */
function reflex(...words: readonly string[]): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'packages/reflex/bin/reflex.js'), ...words], {
    cwd: folder,
    encoding: 'utf8',
    input: '',
    env: environmentOf(folder),
  })
  return { code: status, out: stdout, err: stderr }
}

function watch(): void {
  expect(reflex('run', `${HERE}/deploy-watcher.lua`, ...TOOLS, '--stay', '--id', 'watcher', '--answers', 'none').code).toBe(75)
}
const send = (event: object): number | null => reflex('signal', 'watcher', 'event', `:=${JSON.stringify(event)}`, '--answers', 'none').code

/** A command at work, whose input is open. */
interface Watching {
  says(text: string): Promise<void>
  event(event: object): void
  stop(): Promise<number | null>
}

function begin(...words: readonly string[]): Watching {
  const child = spawn(process.execPath, [join(root, 'packages/reflex/bin/reflex.js'), ...words], {
    cwd: folder,
    env: environmentOf(folder),
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  child.stderr.on('data', (data) => (said += String(data)))
  return {
    says: (text) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          if (said.includes(text)) resolve()
        }
        child.stderr.on('data', check)
        void ended.then(() => reject(new Error(`ended without ${text}: ${said}`)))
        check()
      }),
    event: (event) => void child.stdin.write(`${JSON.stringify(event)}\n`),
    stop: () => {
      child.kill('SIGINT')
      return ended
    },
  }
}
const calls = (): string[] =>
  readFileSync(join(folder, HERE, 'out/service.log'), 'utf8')
    .trim()
    .split('\n')

describe('example 09, a deploy watcher', () => {
  test('has nothing to find', () => {
    const { out, code } = reflex('validate', HERE, ...TOOLS)
    expect(out).not.toMatch(/^(error|warning)/m)
    expect(code).toBe(0)
  })

  test('repairs what its events report, and rolls back a version that does not start', () => {
    watch()
    const lines = readFileSync(join(folder, HERE, 'events.jsonl'), 'utf8')
      .trim()
      .split('\n')
    expect(lines.map((line) => send(JSON.parse(line) as object))).toEqual(lines.map(() => 75))
    expect(calls()).toEqual(['restart 1.9.0', 'restart 2.0.0-broken', 'rollback 2.0.0-broken'])
    const { code, out } = reflex('signal', 'watcher', 'close')
    expect([code, JSON.parse(out)]).toEqual([0, { action: 'none', incidents: 2 }])
    expect(reflex('replay', 'watcher').code).toBe(0)
  })

  test('is reloaded while it runs: a saved version decides about the next event, and a wrong one changes nothing', async () => {
    const file = join(folder, HERE, 'deploy-watcher.lua')
    const source = readFileSync(file, 'utf8')
    const watching = begin('watch', `${HERE}/deploy-watcher.lua`, ...TOOLS, '--id', 'watcher', '--events', '-')
    watching.event({ version: '1.9.0', errors: 0.06 })
    await watching.says('restart: service.restart')
    writeFileSync(file, source.replace('default = 0.05', 'default = 0.1').replace('bb.limit', 'bb.limit * 2'))
    await watching.says('reloaded: ~ is_healthy')
    watching.event({ version: '1.9.1', errors: 0.07 })
    await watching.says('done      is_healthy')
    writeFileSync(file, source.replace('BT.selector', 'BT.selektor'))
    await watching.says('the run keeps its version')
    watching.event({ version: '1.9.2', errors: 0.5 })
    await watching.says('event {"version":"1.9.2","errors":0.5}')
    await watching.stop()
    expect(reflex('show', 'watcher').out).toContain('bb.limit * 2')
  })

  test('calls a person when restart and rollback have not helped', () => {
    watch()
    const bad = { version: '3.0.0', errors: 0.5 }
    expect([send(bad), send(bad), send(bad)]).toEqual([75, 75, 75])
    expect(calls()).toEqual(['restart 3.0.0', 'rollback 3.0.0'])
    expect(reflex('inbox').out).toContain('3.0.0 is unhealthy after a restart and a rollback')
    expect(reflex('answer', 'watcher', 'handled').code).toBe(75)
    const { code, out } = reflex('signal', 'watcher', 'close')
    expect([code, JSON.parse(out)]).toEqual([0, { action: 'handled by a person', incidents: 1 }])
  })
})
