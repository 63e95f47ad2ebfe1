import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { screenOf } from '../cli/screen.ts'

const root = resolve(import.meta.dirname, '../../../..')
const example = join(root, 'examples/01-release-review')
const bin = join(root, 'packages/reflex/bin/reflex.js')
const TERMINAL = join(import.meta.dirname, '../cli/terminal.py')

let folder = ''

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'reflex-example-')))
})

/** The command in the folder, with nobody at the terminal. */
function reflex(...args: string[]): { code: number | null; out: string; err: string } {
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const environment = { ...process.env, REFLEX_ACTOR: 'ana', COLUMNS: '80' }
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], {
    cwd: folder,
    encoding: 'utf8',
    input: '',
    env: environment,
  })
  return { code: status, out: stdout, err: stderr }
}

function git(...args: string[]): void {
  const who = {
    GIT_AUTHOR_NAME: 'Ana',
    GIT_AUTHOR_EMAIL: 'ana@example.org',
    GIT_COMMITTER_NAME: 'Ana',
    GIT_COMMITTER_EMAIL: 'ana@example.org',
  }
  execFileSync('git', ['-c', 'init.defaultBranch=main', ...args], { cwd: folder, env: { ...process.env, ...who }, stdio: 'ignore' })
}

function commit(message: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  git('add', '-A')
  git('commit', '-q', '--allow-empty', '-m', message)
}

function history(): void {
  git('init', '-q')
  commit('feat: begin', { 'lib.js': 'export function parse() {}\nexport function load() {}\n' })
  git('tag', 'v1.4.2')
  commit('fix: mend a seam', { 'a.txt': 'a' })
  commit('feat!: one way to read\n\nBREAKING CHANGE: parse() is gone, use load()', { 'lib.js': 'export function load() {}\n' })
}

function notes(): string {
  const [run = ''] = readdirSync(join(folder, '.reflex/runs'))
  return readFileSync(join(folder, '.reflex/runs', run, 'RELEASE_NOTES.md'), 'utf8')
}

describe('example 01, a release review', () => {
  test('suspends with nobody to ask, is answered from elsewhere, and writes the notes', () => {
    history()
    const asked = reflex('run', example, '--input', 'repo=.')
    expect(asked.code).toBe(75)
    expect(asked.err).toContain('Release 2 commits as 2.0.0?')
    expect(reflex('inbox').out).toContain('Release 2 commits as 2.0.0?')

    const answered = reflex('answer', 'last', 'yes', '--json')
    expect(answered.code).toBe(0)
    expect(JSON.parse(answered.out)).toMatchObject({ v: 1 })
    expect(notes()).toContain('# 2.0.0')
    expect(notes()).toContain('parse() is gone, use load()')

    const trace = reflex('trace', 'last')
    expect(trace.code).toBe(0)
    for (const part of ['push', 'breaking-changes', 'pop', 'decide', 'breaking = 1', 'ana', 'RELEASE_NOTES.md'])
      expect(trace.out).toContain(part)
  })

  test.skipIf(spawnSync('python3', ['--version']).status !== 0)(
    'asks at a terminal, and takes the choice that a person makes there (needs python3)',
    () => {
      history()
      const keys = JSON.stringify([
        ['› ', '\u001b[B'],
        ['› ', '\r'],
      ])
      const { status, stdout } = spawnSync('python3', [TERMINAL, '80', keys, process.execPath, bin, 'run', example], {
        cwd: folder,
        encoding: 'utf8',
        env: { ...process.env, REFLEX_ACTOR: 'ana' },
      })
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
      const screen = screenOf(stdout, 80)
      expect(status).toBe(0)
      for (const part of ['▸ breaking', '◂ breaking', '◆ propose', 'ana: Minor', 'version 1.5.0']) expect(screen).toContain(part)
      expect(notes()).toContain('# 1.5.0')
    },
  )

  test('enters the sub-workflow also when nothing broke, and takes a no', () => {
    git('init', '-q')
    commit('docs: say hello', { 'README.md': 'hello' })
    const { code, err } = reflex('run', example)
    expect(code).toBe(75)
    expect(err).toContain('no tag yet')
    expect(err).toContain('broke = "none"')
    expect(reflex('answer', 'last', 'no').code).toBe(0)
    expect(reflex('runs', '--json').out).toContain('completed')
  })

  test('says what is missing in a repository without commits, and goes on once there is one', () => {
    git('init', '-q')
    const empty = reflex('run', example)
    expect(empty.code).toBe(75)
    expect(empty.err).toContain('R4122')
    commit('feat: begin', { a: '1' })
    const again = reflex('resume', 'last')
    expect(again.code).toBe(75)
    expect(again.err).toContain('Release 1 commits as 0.1.0?')
  })

  test('makes a sample where there is no repository, and says so', () => {
    const { code, err } = reflex('run', example, '--answers', 'auto')
    expect(code).toBe(0)
    expect(err).toContain('made a sample')
    expect(notes()).toContain('# 2.0.0')
  })
})
