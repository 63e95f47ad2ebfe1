import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Json } from '../../src/kernel/index.ts'
import { confinedIn, containing, folder, lacking, noSandbox, refusal, Sandbox, tools, use, write } from './workshop.ts'

const missing = await noSandbox()

interface Result {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly warning?: string
  readonly warnings?: readonly { readonly code: string; readonly message: string }[]
}

async function sh(command: string, work: string, more: Record<string, Json> = {}, change = {}): Promise<Result> {
  return (await use('shell', { command, ...more }, confinedIn(work, change), tools())) as unknown as Result
}

/** A project folder with a folder of Reflex, in which removed entries are kept. */
function project(): string {
  const work = folder()
  mkdirSync(join(work, '.reflex/runs'), { recursive: true })
  return work
}

const codes = ({ warnings = [] }: Result): readonly string[] => warnings.map(({ code }) => code)

/** Allows the permissions of a confined run, and every capability with a prefix. */
function alsoAllowing(work: string, prefix: string): { readonly allows: (capability: string) => boolean } {
  const call = confinedIn(work)
  return { allows: (capability) => call.allows(capability) || capability.startsWith(prefix) }
}

describe.skipIf(missing !== undefined)(`what a command leaves${missing === undefined ? '' : ` (skipped: ${missing})`}`, () => {
  const MADE: readonly (readonly [what: string, command: string, path: string])[] = [
    ['a repository in a subfolder', 'git init -q sub', 'sub/.git'],
    ['a repository of the work folder', 'git init -q', '.git'],
    ['a file that names a repository', 'mkdir sub evil; echo "gitdir: ../evil" > sub/.git', 'sub/.git'],
    ['a link to a repository', 'mkdir evil sub; ln -s ../evil sub/.git', 'sub/.git'],
    ['a repository that was renamed in', 'mkdir -p a/b; git init -q a/b/x; mv a/b/x/.git a/b/.git; mv a c', 'c/b/.git'],
    ['a repository in another spelling', 'mkdir -p sub/.GIT', 'sub/.GIT'],
    ['a repository with an unseen character', 'mkdir -p sub/.g$(printf "\\342\\200\\214")it', 'sub/.g\u200cit'],
    ['a repository by its short name', 'mkdir -p "sub/git~1"', 'sub/git~1'],
    ['a repository behind a folder that is closed', 'git init -q a/b; chmod 000 a', 'a/b/.git'],
    ['a bare repository of any name', 'git init -q --bare store', 'store/HEAD'],
    ['a bare repository in another folder', 'mkdir x; echo "ref: refs/heads/a" > x/HEAD; echo ../y > x/commondir', 'x/HEAD'],
    ['a store of Reflex', 'mkdir .reflex2 && mkdir -p sub/.reflex && echo x > sub/.reflex/reflex.db', 'sub/.reflex'],
    ['settings of direnv', 'mkdir sub; echo "touch /tmp/x" > sub/.envrc', 'sub/.envrc'],
    ['tasks of an editor', 'mkdir -p a/.vscode; echo {} > a/.vscode/tasks.json', 'a/.vscode/tasks.json'],
    ['a link to a folder of tasks', 'mkdir a e; echo {} > e/tasks.json; ln -s ../e a/.vscode', 'a/.vscode'],
    ['hooks of a tool', 'mkdir -p .husky; echo x > .husky/pre-commit', '.husky'],
    ['a project of an editor', 'echo {} > a.code-workspace', 'a.code-workspace'],
    ['a pipe', 'mkfifo door', 'door'],
  ]

  it.each(MADE)('%s is removed and reported', async (_what, command, path) => {
    const work = project()
    const result = await sh(`umask 022; ${command}`, work)
    expect(result.code).toBe(0)
    expect(lstatSync(join(work, path), { throwIfNoEntry: false })).toBeUndefined()
    expect(result.warnings).toEqual([{ code: 'R4144', message: containing(`${path} was removed`) }])
    expect(result.warning).toContain('R4144')
  })

  it('in a folder with a non-UTF-8 name is removed with it, and older entries that have not changed stay', async () => {
    const work = project()
    const bad = (name: string): Buffer => Buffer.concat([Buffer.from(`${work}/${name}`), Buffer.from([0xfe])])
    for (const name of ['old', 'touched']) mkdirSync(Buffer.concat([bad(name), Buffer.from('/sub')]), { recursive: true })
    const text = `x=$(printf '\\376'); mkdir "new$x"; git init -q "new$x/r"; echo evil > "touched$x/sub/.envrc"; mkfifo "pipe$x"
      cp /bin/true "bits$x"; chmod u+s "bits$x"; echo kept > "file$x"; mkdir "twin$x" "twin\ufffd"; echo evil > "twin\ufffd/.envrc"`
    const result = await sh(text, work)
    expect(result).toMatchObject({ code: 0, stderr: '' })
    const left = readdirSync(work, { encoding: 'latin1' }).filter((name) => !name.startsWith('.'))
    expect(left.toSorted()).toEqual(['file\xfe', 'old\xfe', Buffer.from('twin\ufffd').toString('latin1')].toSorted())
    expect(readdirSync(join(work, 'twin\ufffd'))).toEqual([])
    expect(new Set(codes(result))).toEqual(new Set(['R4144']))
  })

  it('is moved aside, where git finds no repository', async () => {
    const work = project()
    const { warning = '' } = await sh('git init -q --bare sub/.git', work)
    const [, aside = ''] = /it was moved to (\S+)/.exec(warning) ?? []
    expect(aside).toContain('.reflex/runs/.reflex-removed/')
    expect(existsSync(join(work, aside, 'config'))).toBe(true)
    expect(() => execFileSync('git', ['rev-parse', '--git-dir'], { cwd: join(work, aside), stdio: 'pipe' })).toThrow()
  })

  it('as sockets and owner bits is removed too', async () => {
    const work = project()
    const script = `require('net').createServer().listen('door', () => { require('fs').writeFileSync('tool', ''); process.exit() })`
    write(join(work, 'old'), '')
    chmodSync(join(work, 'old'), 0o4755)
    const result = await sh(
      `'${process.execPath}' -e "${script.replaceAll('"', '\\"')}"; chmod 6755 tool; cp tool closed; chmod 4111 closed`,
      work,
    )
    expect(result.stderr).toBe('')
    expect(existsSync(join(work, 'door'))).toBe(false)
    expect([statSync(join(work, 'tool')).mode & 0o7777, statSync(join(work, 'closed')).mode & 0o7777]).toEqual([0o755, 0o111])
    expect(statSync(join(work, 'old')).mode & 0o7777).toBe(0o4755)
    expect(codes(result)).toEqual(['R4144', 'R4144', 'R4144'])
  })

  it('is also removed if the command was killed, cancelled or failed', async () => {
    const work = project()
    const late = await refusal(() => sh('git init -q sub; sleep 60', work, { timeout: 700 }))
    expect(late).toMatchObject({ code: 'R4131', message: containing('sub/.git was removed'), data: { warnings: [{ code: 'R4144' }] } })
    const stop = new AbortController()
    const running = refusal(() => sh('git init -q sub; touch ready; sleep 60', work, {}, { signal: stop.signal }))
    while (!existsSync(join(work, 'ready'))) await new Promise((resolve) => setTimeout(resolve, 5))
    stop.abort()
    expect(await running).toMatchObject({ code: 'R4132', message: containing('sub/.git was removed') })
    expect(codes(await sh('git init -q sub; exit 3', work))).toEqual(['R4144'])
    expect(existsSync(join(work, 'sub/.git'))).toBe(false)
  })

  it('includes no earlier files: they are read-only, and stay', async () => {
    const work = project()
    const nested = new Sandbox(join(work, 'lib/nested'))
    nested.commit('first', { a: 'a' })
    write(join(work, '.envrc'), 'mine')
    write(join(work, '.vscode/settings.json'), 'mine')
    write(join(work, 'sub/.reflex/reflex.db'), 'secret')
    execFileSync('git', ['init', '-q', '--bare', join(work, 'bare')])
    const config = readFileSync(join(work, 'bare/config'), 'utf8')
    const command = `echo evil > .envrc; echo evil > .vscode/settings.json; git -C lib/nested config core.fsmonitor evil; cat sub/.reflex/reflex.db
      git -C bare config core.fsmonitor evil; echo evil > bare/hooks/post-update; mv lib other; git -C other/nested log --oneline`
    const result = await sh(command, work)
    expect(result.stdout).toMatch(/^[\da-f]{7} first\n$/)
    renameSync(join(work, 'other'), join(work, 'lib'))
    expect([readFileSync(join(work, '.envrc'), 'utf8'), readFileSync(join(work, '.vscode/settings.json'), 'utf8')]).toEqual([
      'mine',
      'mine',
    ])
    expect(readFileSync(join(work, 'sub/.reflex/reflex.db'), 'utf8')).toBe('secret')
    expect(readFileSync(join(work, 'bare/config'), 'utf8')).toBe(config)
    expect(nested.git('config', '--list')).toEqual(lacking('evil'))
    expect(nested.git('status', '--porcelain')).toBe('')
    expect(readdirSync(join(work, 'lib/nested/.git')).filter((name) => name.startsWith('reflex'))).toEqual([])
  })

  it('replaces no link to a file that runs automatically', async () => {
    const work = project()
    mkdirSync(join(work, 'mine'))
    symlinkSync('mine', join(work, '.vscode'))
    const result = await sh('rm .vscode; mkdir evil; echo {} > evil/tasks.json; ln -s evil .vscode', work)
    expect(execFileSync('readlink', [join(work, '.vscode')], { encoding: 'utf8' })).toBe('mine\n')
    expect(result.warning).toContain('was reset to its earlier target')
  })

  it('may stay if the run has a separate permission', async () => {
    const work = project()
    const allowed = alsoAllowing(work, `arbor://fs/autorun${work}/sub/`)
    const result = await sh('git init -q sub; git init -q other; echo x > sub/.envrc', work, {}, allowed)
    expect([existsSync(join(work, 'sub/.git')), existsSync(join(work, 'sub/.envrc')), existsSync(join(work, 'other/.git'))]).toEqual([
      true,
      true,
      false,
    ])
    expect(codes(result)).toEqual(['R4144'])
  })

  it('of a process that died is removed by the next command', async () => {
    const work = project()
    const state = join(work, '.reflex/runs/.reflex-commands')
    write(join(work, 'sub/.git/config'), '')
    write(join(work, 'mine/.envrc'), '')
    const marks = ['mine/.envrc', '.reflex'].map((name) => {
      const { dev, ino } = statSync(join(work, name))
      return { path: join(work, name), dev, ino, kind: name === '.reflex' ? 'folder' : 'file' }
    })
    const record = {
      machine: hostname(),
      pid: 999_999_999,
      began: '1',
      roots: [work],
      hidden: [],
      named: [],
      before: { marks, doors: [] },
      copies: [],
      since: 0,
    }
    write(join(state, '999999999-1.json'), JSON.stringify(record))
    const result = await sh('true', work)
    expect([existsSync(join(work, 'sub/.git')), existsSync(join(work, 'mine/.envrc')), readdirSync(state)]).toEqual([false, true, []])
    expect(result.warnings).toEqual([{ code: 'R4144', message: containing('sub/.git was removed') }])
  })

  it('of a process that was killed is removed by the next command, which applies the changes of git', async () => {
    const work = project()
    const repository = new Sandbox(work)
    repository.commit('first', { a: 'a' })
    const script = join(import.meta.dirname, 'interrupted.ts')
    const command = 'git init -q sub; git branch theirs; touch ready; while :; do sleep 0.05; done'
    const child = spawn(process.execPath, [script, work, command], { stdio: 'ignore' })
    const ended = new Promise((resolve) => child.once('exit', resolve))
    while (!existsSync(join(work, 'ready'))) await new Promise((resolve) => setTimeout(resolve, 5))
    child.kill('SIGKILL')
    await ended
    const copies = (): readonly string[] => readdirSync(join(work, '.git')).filter((name) => name.startsWith('reflex-copy-'))
    expect([existsSync(join(work, 'sub/.git')), copies().length]).toEqual([true, 1])
    const result = await sh('true', work)
    expect(result.warnings).toEqual([{ code: 'R4144', message: containing('sub/.git was removed') }])
    expect([existsSync(join(work, 'sub/.git')), copies()]).toEqual([false, []])
    expect(repository.git('branch', '--format=%(refname:short)')).toBe('main\ntheirs\n')
    expect(repository.git('status', '--porcelain')).toBe('?? .reflex/\n?? ready\n')
  })

  it('beside another command does not count as an earlier file', async () => {
    const work = project()
    const first = sh('git init -q sub; touch ready; while [ ! -e go ]; do sleep 0.01; done', work)
    while (!existsSync(join(work, 'ready'))) await new Promise((resolve) => setTimeout(resolve, 5))
    const second = sh('touch second; while [ ! -e done ]; do sleep 0.01; done; mv sub moved', work)
    while (!existsSync(join(work, 'second'))) await new Promise((resolve) => setTimeout(resolve, 5))
    write(join(work, 'done'), '')
    const seconds = await second
    expect(codes(seconds)).toEqual(['R4144'])
    expect(existsSync(join(work, 'moved/.git')) || existsSync(join(work, 'sub/.git'))).toBe(false)
    write(join(work, 'go'), '')
    await first
  })

  it('cannot reach a socket or pipe of the host', async () => {
    const work = project()
    const server = createServer((socket) => socket.end('reached'))
    await new Promise<void>((ready) => server.listen(join(work, 'host.sock'), ready))
    onTestFinished(() => void server.close())
    execFileSync('mkfifo', [join(work, 'pipe')])
    const script = `require('net').connect('host.sock').on('data', (d) => console.log(String(d))).on('error', (e) => console.log(e.code))`
    const result = await sh(
      `'${process.execPath}' -e "${script}"; [ -p pipe ] && echo pipe; mv host.sock x || ln host.sock y || echo kept`,
      work,
    )
    expect(result.stdout).toMatch(/^E\w+\nkept\n$/)
    const reader = { allows: (capability: string) => !/unsandboxed|fs\/write/.test(capability) }
    expect((await sh(`'${process.execPath}' -e "${script}"`, work, {}, reader)).stdout).not.toContain('reached')
  })
})
