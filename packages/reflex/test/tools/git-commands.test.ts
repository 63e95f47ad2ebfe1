import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/kernel/index.ts'
import { confinedIn, containing, folder, noSandbox, refusal, Sandbox, tools, use, write } from './workshop.ts'

const missing = await noSandbox()

interface Result {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly warning?: string
  readonly warnings?: readonly { readonly code: string; readonly message: string }[]
}

const AS =
  'export GIT_CONFIG_GLOBAL=/tmp/c; git config --file /tmp/c user.name A; git config --file /tmp/c user.email a@b; git config --file /tmp/c protocol.file.allow always;'

async function sh(command: string, work: string, more: Record<string, Json> = {}, change = {}): Promise<Result> {
  return (await use(
    'shell',
    { command: `${AS} ${command}`, timeout: 120_000, ...more },
    confinedIn(work, change),
    tools(),
  )) as unknown as Result
}

function repository(...options: readonly string[]): Sandbox {
  const work = new Sandbox(folder(), ...options)
  mkdirSync(join(work.root, '.reflex/runs'), { recursive: true })
  write(join(work.root, '.reflex/.gitignore'), '*\n')
  work.commit('first', { a: 'one\n', b: 'one\n' })
  return work
}

/** Returns the files in the folder of a repository, without its objects. */
const inside = (work: Sandbox): readonly string[] =>
  readdirSync(join(work.root, '.git'))
    .filter((name) => name !== 'COMMIT_EDITMSG')
    .sort()

describe.skipIf(missing !== undefined)(`git in a command${missing === undefined ? '' : ` (skipped: ${missing})`}`, () => {
  it.each([[[]], [['--object-format=sha256']]])('commits as usual, and the user sees the commit %j', async (options) => {
    const work = repository(...options)
    const before = inside(work)
    const result = await sh(
      'echo two > a; git add a; git commit -qm second; git tag v1; git switch -qc topic; echo three > c; git add c; git status --short',
      work.root,
    )
    expect(result).toEqual({ code: 0, stdout: 'A  c\n', stderr: '' })
    expect(work.git('log', '--format=%s', 'main')).toBe('second\nfirst\n')
    expect(work.git('branch', '--show-current')).toBe('topic\n')
    expect(
      work
        .git('rev-parse', 'v1', 'main')
        .trim()
        .split('\n')
        .every((hash, _i, [first]) => hash === first),
    ).toBe(true)
    expect(work.git('status', '--porcelain')).toBe('A  c\n')
    expect(work.git('log', '-g', '--format=%gs')).toBe('checkout: moving from main to topic\ncommit: second\ncommit (initial): first\n')
    expect(work.git('fsck', '--strict')).toBe('')
    expect(inside(work)).toEqual(before)
  })

  it('makes the first commit, merges, picks, stashes, amends, deletes and packs', async () => {
    const work = new Sandbox(folder())
    const steps = [
      'echo one > a; git add a; git commit -qm one',
      'git switch -qc side; echo s > s; git add s; git commit -qm side; git switch -q main; echo two > a; git commit -qam two; git merge -q --no-edit side; git branch -qd side',
      'echo x > a; git stash -q; echo y > b; git add b; git stash -q; git stash drop -q; git gc -q; git stash pop -q',
      'git commit -qam three --amend',
    ]
    for (const step of steps) expect(await sh(step, work.root), step).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(work.git('log', '--format=%s', '--first-parent')).toBe('three\ntwo\none\n')
    expect(work.git('branch', '--list').trim()).toBe('* main')
    expect([work.git('status', '--porcelain'), work.git('stash', 'list')]).toEqual(['', ''])
    expect(work.git('fsck')).not.toMatch(/^(?:error|missing|bad)/m)
  })

  it('keeps a stopped merge, and ends it in another command', async () => {
    const work = repository()
    const stopped = await sh(
      'git switch -qc side; echo s > a; git commit -qam s; git switch -q main; echo m > a; git commit -qam m; git merge -q side; true',
      work.root,
    )
    expect(stopped.warnings).toBeUndefined()
    expect(work.git('status', '--porcelain')).toBe('UU a\n')
    await sh('echo both > a; git add a; git commit -qm merged', work.root)
    expect(work.git('log', '-1', '--format=%p').trim().split(' ')).toHaveLength(2)
    expect(existsSync(join(work.root, '.git/MERGE_HEAD'))).toBe(false)
  })

  const HARMLESS: readonly (readonly [what: string, command: string, told?: string])[] = [
    ['a common folder', 'mkdir evil; cp -r .git/. evil/; echo ../evil > .git/commondir', '.git/commondir'],
    ['settings', 'git config core.fsmonitor evil || echo "[core] fsmonitor = evil" >> .git/config', 'config'],
    ['settings put in place of others', 'echo evil > x; mv -f x .git/config; ln -sf /tmp/c .git/config; rm -rf .git/config', 'config'],
    ['the whole folder', 'mv .git old; rm -rf .git; mkdir .git'],
    ['hooks', 'echo evil > .git/hooks/post-checkout; mkdir .git/hooks2; git config core.hooksPath .git/hooks2; rmdir .git/hooks2'],
    ['filters of attributes', 'mkdir -p .git/info; echo "* filter=evil" > .git/info/attributes', 'info/attributes'],
    ['modules', 'mkdir -p .git/modules/lib; echo evil > .git/modules/lib/config', 'modules'],
    ['objects of another repository', 'echo /etc > .git/objects/info/alternates'],
    ['a rebase that runs commands', 'mkdir .git/rebase-merge; echo "exec touch evil" > .git/rebase-merge/git-rebase-todo', 'rebase-merge'],
    ['references in place of objects', 'git replace HEAD $(git commit-tree -m evil HEAD^{tree})', 'refs/replace'],
    ['references of a server', 'git update-ref refs/remotes/origin/main HEAD', 'refs/remotes'],
    ['names that a shell would run', 'git update-ref "refs/heads/\\$(evil)" HEAD', 'refs/heads/'],
    ['grafts', 'echo evil > .git/info/grafts; git rev-parse HEAD > .git/shallow', 'shallow'],
    ['links', 'mkdir evil; rm -rf .git/refs/tags .git/logs; ln -s ../../evil .git/refs/tags; ln -s ../evil .git/logs'],
  ]

  it.each(HARMLESS)('leaves no %s', async (_what, command, told) => {
    const work = repository()
    const before = [inside(work), work.git('config', '--list', '--local'), work.git('for-each-ref')]
    const { warning = '' } = await sh(`{ ${command}; } 2>/dev/null; true`, work.root)
    expect([inside(work), work.git('config', '--list', '--local'), work.git('for-each-ref')]).toEqual(before)
    expect(readFileSync(join(work.root, '.git/info/exclude'), 'utf8')).not.toContain('.reflex')
    expect(existsSync(join(work.root, '.git/info/attributes'))).toBe(false)
    if (told !== undefined) expect(warning).toMatch(/R414[45]/)
    expect(work.git('fsck')).not.toMatch(/error|missing|bad/)
  })

  it('does not apply an object whose content does not fit its name', async () => {
    const work = repository()
    const secret = new Sandbox(folder())
    const hash = secret.commit('secret', { key: 'hunter2' })
    const command = `h=$(echo new | git hash-object -w --stdin); d=.git/objects/$(echo $h | cut -c1-2); f=$d/$(echo $h | cut -c3-)
      o=$(git hash-object -w a); chmod u+w $f; echo old > e; git hash-object -w e > /dev/null; cp .git/objects/$(git hash-object e | sed 's,^..,&/,') $f; echo $h
      mkdir -p .git/objects/${hash.slice(0, 2)}; ln -s ${secret.root}/.git/objects/${hash.slice(0, 2)}/${hash.slice(2)} .git/objects/${hash.slice(0, 2)}/${hash.slice(2)}`
    const { stdout, warning } = await sh(command, work.root)
    expect(() => work.git('cat-file', '-e', stdout.trim())).toThrow()
    expect(() => work.git('cat-file', '-e', hash)).toThrow()
    expect(warning).toMatch(/R4145: .*objects\/.*does not fit/)
    expect(work.git('fsck')).toContain('dangling blob')
  })

  it('hides no change from git status', async () => {
    const work = repository()
    await sh(
      'git update-index --assume-unchanged a; git update-index --skip-worktree b; echo evil > a; echo evil > b; git update-index --refresh',
      work.root,
    )
    expect(work.git('status', '--porcelain')).toBe(' M a\n M b\n')
  })

  it('refuses a branch that has changed meanwhile, and names the commit', async () => {
    const work = repository()
    const running = sh(
      'echo two > a; git commit -qam theirs; git rev-parse HEAD; touch ready; while [ ! -e go ]; do sleep 0.01; done',
      work.root,
    )
    while (!existsSync(join(work.root, 'ready'))) await new Promise((resolve) => setTimeout(resolve, 5))
    work.git('commit', '-q', '--allow-empty', '-m', 'mine')
    write(join(work.root, 'go'), '')
    const { stdout, warnings } = await running
    expect(work.git('log', '--format=%s')).toBe('mine\nfirst\n')
    expect(warnings).toEqual([{ code: 'R4145', message: containing(`refs/heads/main ${stdout.trim()}`) }])
    expect(work.git('log', '-1', '--format=%s', stdout.trim())).toBe('theirs\n')
  })

  it('keeps the staged files of two commands at the same time', async () => {
    const work = repository()
    await Promise.all(
      ['c', 'd', 'e'].map((name) => sh(`echo new > ${name}; git add ${name}; git update-ref refs/heads/${name} HEAD`, work.root)),
    )
    expect(work.git('status', '--porcelain')).toBe('A  c\nA  d\nA  e\n')
    expect(work.git('branch', '--format=%(refname:short)')).toBe('c\nd\ne\nmain\n')
  })

  it('keeps the commits of a command that was killed later', async () => {
    const work = repository()
    await refusal(() => sh('echo two > a; git commit -qam second; sleep 60', work.root, { timeout: 1_500 }))
    expect(work.git('log', '--format=%s')).toBe('second\nfirst\n')
    expect(readdirSync(join(work.root, '.git')).filter((name) => name.startsWith('reflex'))).toEqual([])
  })

  it('does not add the folder of a run or of Reflex', async () => {
    const work = repository()
    const runFolder = join(work.root, 'logs/[run] 1')
    write(join(runFolder, 'events.jsonl'), '{}')
    mkdirSync(join(work.root, '.reflex/runs/otter'))
    write(join(work.root, '.reflex/runs/otter/events.jsonl'), '{}')
    await sh('touch new; git add --all', work.root, {}, { runFolder })
    expect(work.git('diff', '--cached', '--name-only')).toBe('new\n')
    await sh('rm -r "logs"; git add --all', work.root)
    expect(work.git('diff', '--cached', '--name-only')).toBe('new\n')
  })

  it('also works in a repository below, and in one with objects elsewhere', async () => {
    const work = folder()
    const lib = new Sandbox(join(work, 'lib'))
    lib.commit('first', { a: 'one\n' })
    await sh('echo two > a; git commit -qam second', work, { cwd: 'lib' })
    expect(lib.git('log', '--format=%s')).toBe('second\nfirst\n')
    lib.git('clone', '-q', '--shared', lib.root, join(work, 'copy'))
    await sh('echo three > a; git commit -qam third', work, { cwd: 'copy' })
    expect(lib.git('-C', join(work, 'copy'), 'log', '--format=%s')).toBe('third\nsecond\nfirst\n')
  })
})
