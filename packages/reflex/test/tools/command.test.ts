import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { callIn, containing, folder, PATH, refusal, tools, use, write } from './workshop.ts'

const node = process.execPath

function alive(pid: number): boolean {
  try {
    // A zombie that its parent has not collected still has its number.
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

async function until(condition: () => boolean): Promise<boolean> {
  for (let i = 0; i < 200 && !condition(); i++) await sleep(10)
  return condition()
}

describe('command', () => {
  it('runs words without a shell', async () => {
    const work = folder()
    const words = ['$HOME', '`id`', ';touch pwned', '* "quoted"', '']
    const result = await use(
      'command',
      { argv: [node, '-e', 'console.log(JSON.stringify(process.argv.slice(1)))', '--', ...words] },
      callIn(work),
    )
    expect(result).toEqual({ code: 0, stdout: `${JSON.stringify(words)}\n`, stderr: '' })
    expect(existsSync(join(work, 'pwned'))).toBe(false)
  })

  it('returns code, output and errors; a code is a result', async () => {
    const result = await use('command', { argv: ['sh', '-c', 'echo out; echo err >&2; exit 3'] }, callIn(folder()))
    expect(result).toEqual({ code: 3, stdout: 'out\n', stderr: 'err\n' })
    expect(await use('command', { argv: ['sh', '-c', 'kill -9 $$'], sandbox: 'none' }, callIn(folder()))).toEqual({
      code: null,
      signal: 'SIGKILL',
      stdout: '',
      stderr: '',
    })
  })

  // proves: pipeline 4.5f
  it('sees the locations, the language and the variables that the operator names, and nothing else', async () => {
    const environment = {
      PATH: `.:${PATH}:rel/bin`,
      HOME: '/home/ana',
      LANG: 'C.UTF-8',
      TZ: 'UTC',
      SECRET: 'hunter2',
      NODE_OPTIONS: '--bad',
      LD_PRELOAD: '/evil.so',
      NAMED: 'yes',
    }
    const all = tools({ environment, variables: ['NAMED', 'ABSENT'] })
    const { stdout } = (await use('command', { argv: ['env'], sandbox: 'none' }, callIn(folder()), all)) as { stdout: string }
    expect(stdout.trim().split('\n').toSorted()).toEqual(['HOME=/home/ana', 'LANG=C.UTF-8', 'NAMED=yes', `PATH=${PATH}`, 'TZ=UTC'])
  })

  it('gets the given input, or none', async () => {
    expect(await use('command', { argv: ['cat'], stdin: 'één' }, callIn(folder()))).toMatchObject({ stdout: 'één' })
    expect(await use('command', { argv: ['cat'] }, callIn(folder()))).toMatchObject({ stdout: '', code: 0 })
    expect(await use('command', { argv: ['true'], stdin: 'x'.repeat(1_000_000) }, callIn(folder()))).toMatchObject({ code: 0 })
  })

  it('keeps a limited part of the output and reads the rest', async () => {
    const script = "process.stdout.write('é'.repeat(500000)); process.stderr.write('e'.repeat(10)); process.exitCode = 4"
    const result = await use('command', { argv: [node, '-e', script], limit: 1001 }, callIn(folder()))
    expect(result).toEqual({ code: 4, stdout: 'é'.repeat(500), stderr: 'e'.repeat(10), truncated: true })
  })

  it('starts below the work folder and nowhere else', async () => {
    const work = folder()
    mkdirSync(join(work, 'sub'))
    symlinkSync('/', join(work, 'root'))
    expect(await use('command', { argv: ['pwd'], cwd: 'sub' }, callIn(work))).toMatchObject({ stdout: `${work}/sub\n` })
    for (const cwd of ['..', 'root', '/etc', 'root/etc'])
      expect(await refusal(() => use('command', { argv: ['pwd'], cwd }, callIn(work)))).toMatchObject({ code: 'R4105' })
    expect(await refusal(() => use('command', { argv: ['pwd'], cwd: 'no' }, callIn(work)))).toMatchObject({ code: 'R4106' })
  })

  it('reports a program that does not exist', async () => {
    expect(await refusal(() => use('command', { argv: ['no-such-program'] }, callIn(folder())))).toMatchObject({
      code: 'R4130',
      message: 'no-such-program was not found',
    })
    expect(await refusal(() => use('command', { argv: ['npm test'] }, callIn(folder())))).toMatchObject({
      code: 'R4130',
      fix: containing('list of words'),
    })
    const work = folder()
    const plain = write(join(work, 'plain'), 'x')
    expect(await refusal(() => use('command', { argv: [plain] }, callIn(work)))).toMatchObject({
      code: 'R4130',
      message: containing('cannot be run'),
    })
    for (const argv of [[], [''], 'ls', ['a\0b']])
      expect(await refusal(() => use('command', { argv }, callIn(work)))).toMatchObject({ code: 'R4101' })
  })

  it('declares that something leaves, and which permissions it needs', () => {
    const place = { workdir: '/w', runFolder: '/w/r' }
    expect(
      tools()
        .prepare('command', { argv: ['ls'] })
        .traits(place),
    ).toMatchObject({
      leaves: true,
      repeat: 'ask',
      needs: ['arbor://tool/command', 'arbor://shell/exec'],
    })
  })
})

describe('the end of a command without a sandbox', () => {
  /** Ignores SIGTERM, and so does its child; both write their numbers. */
  const stubborn = `trap '' TERM; echo $$ > pids; (trap '' TERM; sh -c 'echo $$ >> pids; while :; do sleep 0.05; done') & while :; do sleep 0.05; done`

  async function pids(work: string): Promise<number[]> {
    const read = (): string[] => (existsSync(join(work, 'pids')) ? readFileSync(join(work, 'pids'), 'utf8').trim().split('\n') : [])
    await until(() => read().length === 2)
    return read().map(Number)
  }

  // proves: pipeline 3.11j
  it('also ends a child that ignores the signal, and its child', async () => {
    const work = folder()
    const fault = await refusal(() =>
      use('command', { argv: ['sh', '-c', `echo before; ${stubborn}`], timeout: 150, sandbox: 'none' }, callIn(work)),
    )
    expect(fault).toMatchObject({ code: 'R4131', data: { stdout: 'before\n' } })
    const [shell = 0, inner = 0] = await pids(work)
    expect(await until(() => !alive(shell) && !alive(inner))).toBe(true)
  })

  it('comes when the run cancels the call', async () => {
    const work = folder()
    const stop = new AbortController()
    const running = refusal(() => use('command', { argv: ['sh', '-c', stubborn], sandbox: 'none' }, callIn(work, { signal: stop.signal })))
    const [shell = 0, inner = 0] = await pids(work)
    stop.abort()
    expect(await running).toMatchObject({ code: 'R4132' })
    expect(await until(() => !alive(shell) && !alive(inner))).toBe(true)
    expect(await refusal(() => use('command', { argv: ['touch', 'late'] }, callIn(work, { signal: stop.signal })))).toMatchObject({
      code: 'R4132',
    })
    expect(existsSync(join(work, 'late'))).toBe(false)
  })

  it('leaves no process that a command put into the background', async () => {
    const work = folder()
    const result = await use('command', { argv: ['sh', '-c', 'sleep 60 & echo $!'], sandbox: 'none' }, callIn(work))
    const pid = Number((result as { stdout: string }).stdout)
    expect(pid).toBeGreaterThan(0)
    expect(await until(() => !alive(pid))).toBe(true)
  })

  it('does not wait for the output of processes that left the group', async () => {
    const work = folder()
    const script = "require('child_process').spawn('sleep', ['3'], {detached: true, stdio: 'inherit'}).unref(); console.log('done')"
    const result = await use('command', { argv: [node, '-e', script], timeout: 2500, sandbox: 'none' }, callIn(work))
    expect(result).toMatchObject({ code: 0, stdout: 'done\n' })
  })
})

describe('a named command', () => {
  const all = tools({
    commands: [
      {
        name: 'greet',
        description: 'Greets',
        argv: [node, '-e', 'console.log(process.argv.slice(1).join("|"))', '--', '{who}', '--to={who}', '{other}'],
        parameters: { who: 'a name' },
      },
    ],
  })

  it('takes its parameters as words and nothing else', async () => {
    expect(await use('greet', { who: 'a b; c' }, callIn(folder()), all)).toMatchObject({ stdout: 'a b; c|--to=a b; c|{other}\n' })
    expect(await refusal(() => use('greet', { who: '--eval=1' }, callIn(folder()), all))).toMatchObject({
      code: 'R4101',
      message: containing('does not start with a dash'),
    })
    expect(await refusal(() => use('greet', { who: 'a', argv: ['ls'] }, callIn(folder()), all))).toMatchObject({ code: 'R4101' })
    expect(await refusal(() => use('greet', {}, callIn(folder()), all))).toMatchObject({
      code: 'R4101',
      message: containing('who is missing: a name'),
    })
  })

  it('describes what it did', async () => {
    const prepared = tools({ commands: [{ name: 'no', description: '', argv: ['false'], leaves: false, repeat: 'free' }] }).prepare(
      'no',
      {},
    )
    expect(prepared.says(await prepared.run(callIn(folder())))).toBe('false → exit 1')
    expect(prepared.traits({ workdir: '/', runFolder: '/r' })).toMatchObject({ leaves: false, repeat: 'free' })
  })
})
