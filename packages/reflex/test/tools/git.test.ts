import { chownSync, existsSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { callIn, containing, folder, having, lacking, matching, refusal, Sandbox, tools, use, write } from './workshop.ts'

describe('git.log', () => {
  it('returns commits since a tag, the newest first, as fields that a message cannot forge', async () => {
    const repo = new Sandbox(folder())
    repo.commit('first', { a: '1' })
    repo.git('tag', 'v1.0.0')
    const forged = repo.commit('feat: two\n\nbody \u001f\u001e ünïcode\n\nBREAKING CHANGE: gone', { b: '1', 'c d/é': '1' })
    const empty = repo.commit('')
    const log = await use('git.log', { since: 'v1.0.0', files: true }, callIn(repo.root))
    expect(log).toEqual({
      since: 'v1.0.0',
      until: 'HEAD',
      count: 2,
      truncated: false,
      commits: [
        {
          hash: empty,
          subject: '',
          body: '',
          author: 'Ana Ñ',
          email: 'ana@example.org',
          date: matching(/^2023-11-15T00:\d\d:\d\d\+02:00$/),
          files: [],
        },
        having({ hash: forged, subject: 'feat: two', body: 'body \u001f\u001e ünïcode\n\nBREAKING CHANGE: gone', files: ['b', 'c d/é'] }),
      ],
    })
  })

  it('reads the whole history if since is null, reports an early stop, and omits merges on request', async () => {
    const repo = new Sandbox(folder())
    repo.commit('one', { a: '1' })
    repo.git('switch', '-qc', 'side')
    repo.commit('two', { b: '1' })
    repo.git('switch', '-q', 'main')
    repo.commit('three', { c: '1' })
    repo.git('merge', '-q', '--no-ff', 'side', '-m', 'merge')
    const call = callIn(repo.root)
    expect(await use('git.log', { since: null }, call)).toMatchObject({ since: null, count: 4, truncated: false })
    expect(await use('git.log', { limit: 2 }, call)).toMatchObject({ count: 2, truncated: true, commits: [{ subject: 'merge' }, {}] })
    expect(await use('git.log', { merges: false }, call)).toMatchObject({ count: 3 })
    expect(await use('git.log', { paths: ['c'] }, call)).toMatchObject({ count: 1, commits: [{ subject: 'three' }] })
  })

  it('does not report a repository with unreadable settings as one without commits', async () => {
    const repo = new Sandbox(folder())
    repo.commit('one')
    expect((await refusal(() => use('git.log', { until: 'HEAD@{99}' }, callIn(repo.root)))).code).toBe('R4123')
    repo.git('config', 'include.path', write(join(repo.root, 'broken'), 'no settings\n'))
    for (const name of ['git.log', 'git.root', 'git.tag'])
      expect(await refusal(() => use(name, {}, callIn(repo.root))), name).toMatchObject({
        code: 'R4124',
        message: containing('bad config'),
      })
  })

  it('describes on one line what it read', async () => {
    const repo = new Sandbox(folder())
    repo.commit('one')
    const prepared = tools().prepare('git.log', {})
    expect(prepared.says(await prepared.run(callIn(repo.root)))).toBe('all of HEAD → 1 commit')
  })
})

describe('git.tag', () => {
  it('prefers the highest release to a nearer one, and returns the next versions', async () => {
    const repo = new Sandbox(folder())
    repo.commit('one')
    repo.git('tag', 'v1.10.0')
    const hash = repo.git('rev-parse', 'HEAD').trim()
    repo.commit('two')
    repo.git('tag', '-a', 'v1.9.1', '-m', 'a backport')
    repo.git('tag', 'v2.0.0-rc.1')
    repo.git('tag', 'nightly')
    expect(await use('git.tag', {}, callIn(repo.root))).toEqual({
      tag: 'v1.10.0',
      version: '1.10.0',
      hash,
      date: containing('2023-11-1'),
      next: { major: '2.0.0', minor: '1.11.0', patch: '1.10.1' },
    })
  })

  it('returns the nearest tag if none is a version, an older one on request, and nulls if there is none', async () => {
    const repo = new Sandbox(folder())
    repo.commit('one')
    expect(await use('git.tag', {}, callIn(repo.root))).toEqual({
      tag: null,
      version: null,
      hash: null,
      date: null,
      next: { major: '1.0.0', minor: '0.1.0', patch: '0.0.1' },
    })
    repo.git('tag', 'zeta')
    repo.commit('two')
    repo.git('tag', 'alpha')
    repo.commit('three')
    expect(await use('git.tag', {}, callIn(repo.root))).toMatchObject({ tag: 'alpha', version: null })
    expect(await use('git.tag', { at: 'HEAD~2' }, callIn(repo.root))).toMatchObject({ tag: 'zeta' })
    expect(await use('git.tag', { match: 'z*' }, callIn(repo.root))).toMatchObject({ tag: 'zeta' })
  })

  it('returns no tag that the commit does not contain', async () => {
    const repo = new Sandbox(folder())
    repo.commit('one')
    repo.git('tag', 'v1.0.0')
    repo.commit('two')
    repo.git('tag', 'v2.0.0')
    expect(await use('git.tag', { at: 'v1.0.0' }, callIn(repo.root))).toMatchObject({ tag: 'v1.0.0' })
  })
})

describe('git.show and git.diff', () => {
  it('show a commit with its files, its renames and its text', async () => {
    const repo = new Sandbox(folder())
    repo.commit('one', {
      'old.ts': 'export function parse() {}\nexport const a = 1\nexport const b = 2\n',
      gone: 'x\n',
      bin: '\0\u0001\u0002',
    })
    repo.git('mv', 'old.ts', 'new name.ts')
    repo.git('rm', '-q', 'gone')
    const hash = repo.commit('two\n\nwhy', { bin: '\0\u0003', added: 'y' })
    const shown = await use('git.show', { commit: 'HEAD' }, callIn(repo.root))
    expect(shown).toMatchObject({
      hash,
      subject: 'two',
      body: 'why',
      files: [
        { path: 'added', added: 1, removed: 0 },
        { path: 'bin', added: null, removed: null },
        { path: 'gone', added: 0, removed: 1 },
        { path: 'new name.ts', from: 'old.ts', added: 0, removed: 0 },
      ],
      truncated: false,
    })
    expect(shown).toHaveProperty('diff', containing('-x'))
  })

  it('shows the first commit, and a merge against its first parent', async () => {
    const repo = new Sandbox(folder())
    repo.commit('one', { a: '1\n' })
    repo.git('switch', '-qc', 'side')
    repo.commit('two', { b: '2\n' })
    repo.git('switch', '-q', 'main')
    repo.commit('three', { c: '3\n' })
    repo.git('merge', '-q', '--no-ff', 'side', '-m', 'merge')
    expect(await use('git.show', { commit: 'HEAD~2' }, callIn(repo.root))).toMatchObject({
      subject: 'one',
      files: [{ path: 'a', added: 1 }],
    })
    expect(await use('git.show', { commit: 'HEAD' }, callIn(repo.root))).toMatchObject({ subject: 'merge', files: [{ path: 'b' }] })
  })

  it('compare two commits and cut the text between characters', async () => {
    const repo = new Sandbox(folder())
    repo.commit('one', { a: '' })
    repo.commit('two', { a: 'é'.repeat(5000) })
    const diff = await use('git.diff', { from: 'HEAD~1', limit: 2001 }, callIn(repo.root))
    expect(diff).toMatchObject({ from: 'HEAD~1', to: 'HEAD', truncated: true, files: [{ path: 'a' }] })
    expect(diff).toHaveProperty('diff', lacking('\ufffd'))
  })
})

describe('git.root', () => {
  it('finds the repository from a folder inside', async () => {
    const repo = new Sandbox(folder())
    write(join(repo.root, 'a/b/c'), '')
    expect(await use('git.root', { repo: 'a/b' }, callIn(repo.root))).toEqual({ root: repo.root, branch: 'main', head: null })
    const head = repo.commit('one')
    repo.git('checkout', '-q', '--detach')
    expect(await use('git.root', {}, callIn(repo.root))).toEqual({ root: repo.root, branch: null, head })
  })

  it('works in an added working tree and in a bare repository', async () => {
    const work = folder()
    const repo = new Sandbox(join(work, 'main'))
    const head = repo.commit('one')
    repo.git('worktree', 'add', '-q', join(work, 'tree'), '-b', 'tree')
    expect(await use('git.root', { repo: 'tree' }, callIn(work))).toEqual({ root: join(work, 'tree'), branch: 'tree', head })
    repo.git('clone', '-q', '--bare', repo.root, join(work, 'bare.git'))
    expect(await use('git.log', { repo: 'bare.git' }, callIn(work))).toMatchObject({ count: 1 })
  })

  it('works in a repository of another user', async ({ skip }) => {
    if (process.getuid?.() !== 0) skip('only root can give a file away')
    const repo = new Sandbox(folder())
    repo.commit('one')
    for (const path of ['', '.git', '.git/HEAD', '.git/config']) chownSync(join(repo.root, path), 12_345, 12_345)
    expect(() => repo.git('log')).toThrow(/dubious ownership/)
    expect(await use('git.log', {}, callIn(repo.root))).toMatchObject({ count: 1 })
  })
})

describe('failures of git', () => {
  it.each([
    ['git.log', {}],
    ['git.tag', {}],
    ['git.show', { commit: 'HEAD' }],
  ])('%s reports a folder without a repository, a repository without commits, and an unknown revision', async (name, args) => {
    const work = folder()
    expect(await refusal(() => use(name, args, callIn(work)))).toMatchObject({ code: 'R4121' })
    const repo = new Sandbox(join(work, 'repo'))
    expect(await refusal(() => use(name, args, callIn(repo.root)))).toMatchObject({ code: 'R4122' })
    repo.commit('one')
    const revision = name === 'git.log' ? { since: 'v9' } : name === 'git.tag' ? { at: 'v9' } : { commit: 'v9' }
    expect(await refusal(() => use(name, revision, callIn(repo.root)))).toMatchObject({ code: 'R4123', message: containing('"v9"') })
  })

  it.each(['--all', '-p', '--output=/tmp/reflex-pwned', 'HEAD..HEAD', 'HEAD:a', '', ' HEAD', `v${'9'.repeat(300)}`])(
    'takes %j for no revision',
    async (revision) => {
      const repo = new Sandbox(folder())
      repo.commit('one', { a: '1' })
      expect(await refusal(() => use('git.show', { commit: revision }, callIn(repo.root)))).toMatchObject({ code: 'R4123' })
      expect(existsSync('/tmp/reflex-pwned')).toBe(false)
    },
  )

  it('reports that git is missing, and that a folder is missing', async () => {
    const repo = new Sandbox(folder())
    repo.commit('one')
    const without = tools({ environment: { PATH: repo.root } })
    expect(await refusal(() => use('git.log', {}, callIn(repo.root), without))).toMatchObject({ code: 'R4120' })
    expect(await refusal(() => use('git.log', { repo: 'nowhere' }, callIn(repo.root)))).toMatchObject({ code: 'R4106' })
  })

  it('does not treat a path as an option', async () => {
    const repo = new Sandbox(folder())
    repo.commit('one', { '-p': '1', '*': '2', b: '3' })
    expect(await use('git.log', { paths: ['-p'] }, callIn(repo.root))).toMatchObject({ count: 1 })
    expect(await use('git.show', { commit: 'HEAD', paths: ['*'] }, callIn(repo.root))).toMatchObject({ files: [{ path: '*' }] })
  })
})

describe('a repository reads only granted folders', () => {
  it('not the one above, and not through .git, alternates or links', async () => {
    const outside = new Sandbox(join(folder(), 'secret'))
    const hash = outside.commit('secret', { a: '1' })
    const work = folder()
    write(join(work, 'file/.git'), `gitdir: ${outside.root}/.git\n`)
    write(join(work, 'linked/x'), '')
    symlinkSync(join(outside.root, '.git'), join(work, 'linked/.git'))
    const borrowed = new Sandbox(join(work, 'borrowed'))
    write(join(borrowed.root, '.git/objects/info/alternates'), `${outside.root}/.git/objects\n`)
    const swapped = new Sandbox(join(work, 'swapped'))
    swapped.git('config', 'core.worktree', outside.root)
    for (const repo of ['file', 'linked', 'borrowed']) {
      const fault = await refusal(() => use('git.show', { repo, commit: hash }, callIn(work)))
      expect(fault, repo).toMatchObject({ code: 'R4105' })
      expect(fault.message).toContain(outside.root)
    }
    expect(await refusal(() => use('git.log', { repo: 'swapped' }, callIn(work)))).toMatchObject({ code: 'R4122' })
    write(join(outside.root, 'deep/x'), '')
    expect(await refusal(() => use('git.log', {}, callIn(join(outside.root, 'deep'))))).toMatchObject({ code: 'R4105' })
  })

  it('tells the policy in advance which folders it reads', () => {
    const repo = new Sandbox(folder())
    const place = { workdir: repo.root, runFolder: join(repo.root, '.reflex') }
    expect(tools().prepare('git.log', {}).traits(place)).toMatchObject({
      leaves: false,
      repeat: 'free',
      needs: ['arbor://tool/git.log', ...['', '/.git', '/.git/objects', '/.git/refs'].map((end) => `arbor://fs/read${repo.root}${end}`)],
    })
  })
})
