import { chmodSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { callIn, folder, Sandbox, tools, use, write } from './workshop.ts'

/** A repository whose settings run a program at every opportunity in git. */
function hostile(work: string): { repo: Sandbox; mark: string; blob: string } {
  const repo = new Sandbox(join(work, 'repo'))
  repo.commit('one', { 'a.txt': 'one\n', '.gitattributes': '* diff=evil filter=evil\n' })
  repo.commit('two', { 'a.txt': 'two\n' })
  const blob = repo.git('rev-parse', 'HEAD:a.txt').trim()
  const mark = join(work, 'ran')
  const evil = write(join(work, 'evil'), `#!/bin/sh\necho "$0 $*" >> ${mark}\ncat /dev/null\n`)
  chmodSync(evil, 0o755)
  for (const hook of ['reference-transaction', 'post-index-change', 'fsmonitor-watchman', 'post-checkout']) {
    chmodSync(write(join(repo.root, 'hooks', hook), `#!/bin/sh\necho hook >> ${mark}\n`), 0o755)
  }
  const settings: Readonly<Record<string, string>> = {
    'core.fsmonitor': evil,
    'core.hooksPath': join(repo.root, 'hooks'),
    'core.pager': evil,
    'pager.log': evil,
    'core.sshCommand': evil,
    'core.gitProxy': evil,
    'core.askPass': evil,
    'credential.helper': evil,
    'diff.external': evil,
    'diff.evil.command': evil,
    'diff.evil.textconv': evil,
    'filter.evil.clean': evil,
    'filter.evil.smudge': evil,
    'filter.evil.process': evil,
    'gpg.program': evil,
    'log.showSignature': 'true',
    'alias.log': `!${evil}`,
    'protocol.allow': 'always',
    'protocol.ext.allow': 'always',
    'core.repositoryformatversion': '1',
    'extensions.partialClone': 'origin',
    'remote.origin.promisor': 'true',
    'remote.origin.url': `ext::${evil}`,
    'remote.origin.uploadpack': evil,
  }
  for (const [name, value] of Object.entries(settings)) repo.git('config', name, value)
  return { repo, mark, blob }
}

const CALLS = [
  ['git.root', {}],
  ['git.log', { files: true }],
  ['git.tag', {}],
  ['git.show', { commit: 'HEAD' }],
  ['git.diff', { from: 'HEAD~1' }],
] as const

it('runs nothing that the settings of a repository name', async () => {
  const { repo, mark } = hostile(folder())
  rmSync(mark, { force: true })
  for (const [name, args] of CALLS) await use(name, args, callIn(repo.root))
  expect(existsSync(mark)).toBe(false)
  expect(() => repo.git('diff', 'HEAD~1', 'HEAD')).toThrow('fatal')
  expect(existsSync(mark), 'the trap works').toBe(true)
})

it('fetches no missing objects', async () => {
  const { repo, mark, blob } = hostile(folder())
  rmSync(join(repo.root, '.git/objects', blob.slice(0, 2), blob.slice(2)))
  rmSync(mark, { force: true })
  await expect(use('git.show', { commit: 'HEAD' }, callIn(repo.root))).rejects.toMatchObject({ code: 'R4124' })
  expect(existsSync(mark)).toBe(false)
  expect(() => repo.git('cat-file', '-p', blob)).toThrow('fatal')
  expect(existsSync(mark), 'the trap works').toBe(true)
})

it('ignores a git in the work folder and settings in the environment', async () => {
  const work = folder()
  const { repo, mark } = hostile(work)
  chmodSync(write(join(repo.root, 'git'), `#!/bin/sh\necho own >> ${mark}\n`), 0o755)
  rmSync(mark, { force: true })
  const environment = {
    PATH: '.::/usr/local/bin:/usr/bin:/bin',
    GIT_DIR: '/nowhere',
    GIT_EXTERNAL_DIFF: join(work, 'evil'),
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'core.fsmonitor',
    GIT_CONFIG_VALUE_0: join(work, 'evil'),
    GIT_TRACE: join(work, 'trace'),
  }
  for (const [name, args] of CALLS) await use(name, args, callIn(repo.root), tools({ environment }))
  expect(existsSync(mark)).toBe(false)
  expect(readdirSync(work)).not.toContain('trace')
})

it('runs no git from the work folder', async () => {
  const repo = new Sandbox(folder())
  repo.commit('one')
  const mark = join(repo.root, 'ran')
  chmodSync(write(join(repo.root, 'node_modules/.bin/git'), `#!/bin/sh\ntouch ${mark}\n`), 0o755)
  const all = tools({ environment: { PATH: `${repo.root}/node_modules/.bin:/usr/local/bin:/usr/bin:/bin` } })
  expect(await use('git.log', {}, callIn(repo.root), all)).toMatchObject({ count: 1 })
  expect(existsSync(mark)).toBe(false)
})
