import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { callIn, containing, folder, refusal, tools, use, write } from './workshop.ts'

const PATHS: readonly string[] = [
  'lib/.git/config',
  'lib/.git',
  '.GIT/hooks/pre-commit',
  'a/.g\u200cit/config',
  'a/git~1/config',
  'a/.git./config',
  'a/.git::$INDEX_ALLOCATION/config',
  'sub/.reflex/reflex.db',
  '.envrc',
  'a/b/.envrc',
  '.vscode/tasks.json',
  'a/.VSCode/settings.json',
  '.husky/pre-commit',
  'a/.idea/workspace.xml',
  'x.code-workspace',
  'store/HEAD',
  'bare/config',
  'bare/hooks/update',
  'mine/pre-commit',
  'shared.gitconfig',
  'tools/clean.sh',
  'one.js',
  'nested/own/pre-commit',
  '.rvmrc',
  'a/.claude/hooks/x.sh',
  'x.sublime-project',
]

/** A folder with a bare repository, a folder of hooks that the settings name, and a link to editor settings. */
function project(): string {
  const work = folder()
  execFileSync('git', ['init', '-q', work])
  execFileSync('git', ['-C', work, 'config', 'core.hooksPath', 'mine'])
  execFileSync('git', ['-C', work, 'config', 'include.path', '../shared.gitconfig'])
  write(join(work, 'shared.gitconfig'), '[filter "x"] clean = ./tools/clean.sh %f\n[diff "x"]\n\ttextconv = "node one.js"\n')
  write(join(work, 'one.js'), '')
  execFileSync('git', ['init', '-q', join(work, 'nested')])
  execFileSync('git', ['-C', join(work, 'nested'), 'config', 'core.hooksPath', 'own'])
  execFileSync('git', ['init', '-q', '--bare', join(work, 'bare')])
  mkdirSync(join(work, 'settings'))
  symlinkSync('settings', join(work, '.zed'))
  return work
}

describe('a file that would run automatically', () => {
  it.each(PATHS)('is written by no tool: %s', async (path) => {
    const work = project()
    const there = existsSync(join(work, path))
    const calls = [
      () => use('file.write', { path, text: 'evil', in: 'work' }, callIn(work)),
      () => use('file.write', { path, text: 'evil', in: 'work', append: true }, callIn(work)),
      () => use('file.edit', { edits: [{ path, content: 'evil' }], in: 'work' }, callIn(work)),
    ]
    for (const call of calls) expect(await refusal(call)).toMatchObject({ message: containing('arbor://fs/autorun/') })
    expect(existsSync(join(work, path))).toBe(there)
    const needs = tools().prepare('file.write', { path, text: 'evil', in: 'work' }).traits(callIn(work)).needs ?? []
    expect(needs.filter((need) => need.startsWith('arbor://fs/autorun/'))).toHaveLength(1)
  })

  it('is also checked by the name in the request', async () => {
    const work = project()
    expect(await refusal(() => use('file.write', { path: '.zed/tasks.json', text: 'x', in: 'work' }, callIn(work)))).toMatchObject({
      message: containing('arbor://fs/autorun/'),
    })
  })

  it('is written if the run has a separate permission', async () => {
    const work = project()
    const plain = callIn(work)
    const call = callIn(work, { allows: (capability) => plain.allows(capability) || capability === `arbor://fs/autorun${work}/.envrc` })
    expect(await use('file.write', { path: '.envrc', text: 'x', in: 'work' }, call)).toMatchObject({ path: '.envrc' })
    expect(await refusal(() => use('file.write', { path: 'a/.envrc', text: 'x', in: 'work' }, call))).toMatchObject({
      message: containing('arbor://fs/autorun/'),
    })
  })

  it('is not a file with a name that only looks similar', async () => {
    const work = project()
    for (const path of [
      '.gitignore',
      '.github/workflows/ci.yml',
      'tasks.json',
      '.vscode/README',
      'git/config',
      'head/x',
      'a.envrc',
      '.vscodes/tasks.json',
    ])
      expect(await use('file.write', { path, text: 'x', in: 'work' }, callIn(work))).toMatchObject({ path })
    const run = await use('file.write', { path: 'out.txt', text: 'x' }, callIn(work))
    expect(run).toMatchObject({ path: '.reflex/runs/otter/out.txt' })
  })
})
