import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Json } from '../../src/kernel/index.ts'
import type { ToolCall, Tools } from '../../src/tools/index.ts'
import { callIn, confinedIn, containing, folder, noSandbox, PATH, refusal, tools, use, write } from './workshop.ts'

const missing = await noSandbox()
const isRoot = process.getuid?.() === 0

interface Result {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly truncated?: true
  readonly warning?: string
}

async function sh(command: string, call: ToolCall, more: Record<string, Json> = {}, all: Tools = tools()): Promise<Result> {
  return (await use('shell', { command, ...more }, call, all)) as unknown as Result
}

/** True if a process of this machine has the word among its arguments. */
function isRunning(word: string): boolean {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .some((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(word)
      } catch {
        return false
      }
    })
}

async function isGone(word: string): Promise<boolean> {
  for (let i = 0; i < 200 && isRunning(word); i++) await sleep(10)
  return !isRunning(word)
}

describe.skipIf(missing !== undefined)(`a command in the sandbox${missing === undefined ? '' : ` (skipped: ${missing})`}`, () => {
  it('works in the work folder and in the folder of its stage, at their real paths', async () => {
    const work = folder()
    const call = confinedIn(work)
    write(join(work, 'in.txt'), 'read\n')
    const result = await sh('cat in.txt; pwd; echo out > out.txt; echo run > $ARBOR_STAGE_DIR/run.txt', call, { stage: 'build' })
    expect(result).toEqual({ code: 0, stdout: `read\n${work}\n`, stderr: '' })
    expect(readFileSync(join(work, 'out.txt'), 'utf8')).toBe('out\n')
    expect(readFileSync(join(call.runFolder, 'build/run.txt'), 'utf8')).toBe('run\n')
  })

  it.skipIf(process.arch !== 'x64' || !existsSync('/usr/bin/perl'))('has no system call for the keys of the user’s session', async () => {
    const [asks, isMissing] = ['syscall(250, 0, -3, 0)', '$! + 0']
    const { stdout } = await sh(`grep '^Seccomp:' /proc/self/status; perl -e 'print ${asks}, " ", ${isMissing}'`, confinedIn(folder()))
    expect(stdout).toBe('Seccomp:\t2\n-1 38')
  })

  it.each([
    ['beside the store', '.reflex/runs/otter'],
    ['in the work folder', 'logs/runs/otter'],
  ])('reads the folder of its run %s, and changes only its own stage there', async (_, runs) => {
    const work = folder()
    const outside = folder()
    const call = confinedIn(work, { runFolder: join(work, runs) })
    const events = write(join(call.runFolder, 'events.jsonl'), 'event\n')
    write(join(call.runFolder, 'other/status.json'), 'other')
    const tries = [
      'cat ../events.jsonl',
      'echo x >> ../events.jsonl',
      'rm ../events.jsonl',
      `ln -sfn ${outside} ../new`,
      'echo x > ../other/status.json',
      'mv ../other ../gone',
      'mv ../build ../gone',
      'mv ../../otter ../../gone',
      'mv ../../../runs ../../../gone',
      `mv ${work}/${runs.split('/')[0]} ${work}/gone`,
    ]
    const result = await sh(`cd $ARBOR_STAGE_DIR; ${tries.map((one) => `(${one}) 2>/dev/null; echo $?`).join('; ')}`, call, {
      stage: 'build',
    })
    const [read, first, ...codes] = result.stdout.trim().split('\n')
    expect([read, first]).toEqual(['event', '0'])
    expect(codes).toHaveLength(tries.length - 1)
    expect(codes).not.toContain('0')
    expect(readFileSync(events, 'utf8')).toBe('event\n')
    // A command that can write above a deeper stage could exchange it.
    for (const stage of ['build/inner', '.']) {
      const inner = await sh('echo x > $ARBOR_STAGE_DIR/new 2>/dev/null; echo $?', call, { stage })
      expect(inner.stdout, stage).not.toBe('0\n')
    }
  })

  describe('respects its limits', () => {
    const limits = { memory: 192 * 2 ** 20, processes: 40 }
    const bounded = tools({ limits })

    it('for memory that one process reserves, by the system', async () => {
      const result = await sh(
        'ulimit -d; head -c 2000000000 /dev/zero | tail -c 2000000000 | wc -c',
        confinedIn(folder()),
        {},
        bounded,
      ).catch((thrown: unknown) => thrown)
      // The check from outside may be faster; either is enough.
      if (result instanceof Error) expect(result).toMatchObject({ code: 'R4138' })
      else expect(result).toMatchObject({ stdout: `${(limits.memory + 2 ** 30) / 1024}\n0\n`, stderr: containing('memory exhausted') })
    })

    it.each([
      ['of one process', 'head -c 300000000 /dev/zero | tail -c 300000000 | (sleep 25; cat) > /dev/null'],
      [
        'of several processes together',
        'for i in 1 2 3; do head -c 90000000 /dev/zero | tail -c 90000000 | (sleep 25; cat) > /dev/null & done; wait',
      ],
      [
        'without a name, in files',
        `python3 -c 'import os,time
for i in range(40): os.write(os.memfd_create("x"), bytes(8000000))
time.sleep(25)'`,
      ],
      [
        'shared with nobody',
        `python3 -c 'import mmap,time
m = mmap.mmap(-1, 300000000)
for i in range(0, 300000000, 4096): m[i] = 1
time.sleep(25)'`,
      ],
    ])('for memory %s', async (_, command) => {
      expect(await refusal(() => sh(command, confinedIn(folder()), {}, bounded))).toMatchObject({
        code: 'R4138',
        message: containing('192 MiB'),
      })
    })

    it('for processes and threads', async () => {
      const many = 'for i in $(seq 100); do sleep 25 & done; wait'
      // The system applies the limit to everyone but root, and then nothing is left to kill.
      if (isRoot)
        expect(await refusal(() => sh(many, confinedIn(folder()), {}, bounded))).toMatchObject({
          code: 'R4138',
          message: containing('40 processes'),
        })
      else expect(await sh(many, confinedIn(folder()), {}, bounded)).toMatchObject({ stderr: containing('fork') })
    })

    it('for memory of its files in /tmp', async () => {
      const result = await sh('head -c 300000000 /dev/zero > /tmp/large', confinedIn(folder()), {}, bounded)
      expect(result).toMatchObject({ stderr: containing('No space left') })
    })

    it('and works as before within these limits', async () => {
      const argv = [process.execPath, '-e', 'console.log(Buffer.alloc(50_000_000, 1).length)']
      expect(await use('command', { argv }, confinedIn(folder()), bounded)).toMatchObject({ code: 0, stdout: '50000000\n' })
      const shared = 'for i in 1 2 3 4 5 6; do sleep 1 & done; wait; echo done'
      expect(await sh(shared, confinedIn(folder()), {}, bounded)).toMatchObject({ stdout: 'done\n' })
    })
  })

  it('changes nothing else on the machine', async () => {
    const outside = folder()
    for (const place of ['/', '/usr', '/etc', '/proc/sys/kernel', outside, '/var', '/root', '/home'])
      expect(await sh(`touch ${place}/reflex-was-here 2>/dev/null; echo $?`, confinedIn(folder())), place).not.toMatchObject({
        stdout: '0\n',
      })
    expect(existsSync(join(outside, 'reflex-was-here'))).toBe(false)
    // Root owns the kernel settings there; permissions alone would not protect them.
    expect(await sh('cat /proc/sys/kernel/hostname > /proc/sys/kernel/hostname', confinedIn(folder()))).not.toMatchObject({ code: 0 })
    const work = folder()
    await sh('echo x > /tmp/left-behind && echo x > ~/left-behind', confinedIn(work))
    expect(existsSync('/tmp/left-behind') || existsSync('/tmp/home/left-behind')).toBe(false)
  })

  it('sees nothing of the home folder or of other folders', async () => {
    const home = folder()
    const secret = write(join(home, '.ssh/id_ed25519'), 'hunter2')
    const other = write(join(folder(), 'notes.txt'), 'hunter2')
    const all = tools({ environment: { PATH: `${PATH}:${home}/bin:${home}`, HOME: home } })
    mkdirSync(join(home, 'bin'))
    const work = join(home, 'project')
    mkdirSync(work)
    const result = await sh(`cat ${secret} ${other} /etc/shadow; ls -A ${home}; ls -A ~; echo $HOME`, confinedIn(work), {}, all)
    expect(result.stdout).not.toContain('hunter2')
    expect(result.stdout).toBe('bin\nproject\n/tmp/home\n')
  })

  it('follows no link out of the work folder', async () => {
    const work = folder()
    const outside = folder()
    write(join(outside, 'secret'), 'hunter2')
    symlinkSync(outside, join(work, 'link'))
    symlinkSync(join(outside, 'secret'), join(work, 'file'))
    const result = await sh('cat file link/secret; echo x > link/new; echo x > file', confinedIn(work))
    expect(result.stdout).toBe('')
    expect(existsSync(join(outside, 'new'))).toBe(false)
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('hunter2')
  })

  it('has no network, not even that of this machine', async () => {
    const server = createServer((socket) => socket.end('reached'))
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const script = `require('net').connect(${port}, '127.0.0.1').on('data', (d) => console.log(String(d))).on('error', (e) => console.log(e.code))`
    const result = (await use('command', { argv: [process.execPath, '-e', script] }, confinedIn(folder()))) as unknown as Result
    expect(result.stdout).toBe('ECONNREFUSED\n')
    expect(await sh('cat /proc/net/dev | grep -c :', confinedIn(folder()))).toMatchObject({ stdout: '1\n' })
  })

  it('writes into no device folder, and shares little memory', async () => {
    const result = await sh(
      'echo x > /dev/left; mkdir /dev/left; stat -f -c "%b %S" /dev/shm; echo x > /dev/shm/x && cat /dev/shm/x',
      confinedIn(folder()),
    )
    const [blocks = 0, size = 0] = (result.stdout.split('\n')[0] ?? '').split(' ').map(Number)
    expect(blocks * size).toBe(67_108_864)
    expect(result).toMatchObject({ stdout: containing('\nx\n'), stderr: containing('Read-only') })
  })

  it('has its own System V memory, semaphores and messages, with low limits', async () => {
    const work = folder()
    const made = await sh(
      `ipcmk -M 16384; ipcmk -S 32; ipcs -m | grep -c 0x
       ipcmk -M 16385 2>&1; ipcmk -M 8589934592 2>&1; ipcmk -S 33 2>&1; ipcmk -Q 2>&1; grep queue /proc/self/limits`,
      confinedIn(work),
    )
    expect(made.stdout).toMatch(/^Shared memory id: \d+\nSemaphore id: \d+\n1\n/)
    const refused = made.stdout.split('\n').filter((line) => line.startsWith('ipcmk: '))
    const full = 'failed: No space left on device'
    expect(refused).toEqual([containing(full), containing(full), containing(full), containing('failed: Function not implemented')])
    expect(made.stdout).toMatch(/Max msgqueue size +819200 +819200 /)
    // Neither another command nor the host sees a segment.
    expect(await sh('ipcs -m | grep -c 0x', confinedIn(work))).toMatchObject({ stdout: '0\n' })
    const [, id = ''] = /memory id: (\d+)/.exec(made.stdout) ?? []
    const host = readFileSync('/proc/sysvipc/shm', 'utf8').split('\n')
    expect(host.filter((line) => line.trim().split(/ +/)[1] === id && line.includes(' 16384 '))).toEqual([])
  })

  it('gets no handle that Reflex inherited from its caller', async () => {
    const outside = folder()
    const secret = write(join(outside, 'secret'), 'hunter2')
    const work = folder()
    const script = join(import.meta.dirname, 'inherited.ts')
    for (const program of ['shell', 'host']) {
      const argv = ['-c', `exec 202<${outside} 77<>${secret}; exec "$0" "$@"`, process.execPath, script, work, program]
      const said = execFileSync('/bin/bash', argv, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
      expect(said, program).not.toContain('hunter2')
      expect(said, program).not.toContain(outside)
      expect(said, program).toContain('looked')
    }
    expect(readFileSync(secret, 'utf8')).toBe('hunter2')
  })

  it('sees only its own processes, and reaches no other', async () => {
    const result = await sh(`cat /proc/${process.pid}/environ; kill -0 ${process.pid}; ls -d /proc/[0-9]* | wc -l`, confinedIn(folder()))
    expect(Number(result.stdout)).toBeLessThan(10)
    expect(result.stderr).toContain('No such')
  })

  it('has no privileges and gets none', async () => {
    const result = await sh('grep -E "CapEff|NoNewPrivs" /proc/self/status; unshare -Ur true && echo more', confinedIn(folder()))
    expect(result.stdout).toBe('CapEff:\t0000000000000000\nNoNewPrivs:\t1\n')
  })

  it('sees the folders of Reflex as empty, and cannot replace them', async () => {
    const work = folder()
    const call = confinedIn(work)
    const store = write(join(work, '.reflex/reflex.db'), 'journal')
    write(join(work, '.reflex/runs/stork/secret'), 'hunter2')
    mkdirSync(call.runFolder, { recursive: true })
    const result = await sh('find .reflex | sort; rm -rf .reflex; mv .reflex x; ln -sfn /etc .reflex; echo x > .reflex/reflex.db', call)
    expect(result.stdout).toBe('.reflex\n.reflex/runs\n.reflex/runs/otter\n')
    expect(readFileSync(store, 'utf8')).toBe('journal')
    const named = tools({ reserved: [join(work, 'state.db')] })
    write(join(work, 'state.db'), 'journal')
    expect(await sh('cat state.db; echo x > state.db', call, {}, named)).toMatchObject({ stdout: '' })
    expect(readFileSync(join(work, 'state.db'), 'utf8')).toBe('journal')
  })

  it('can only read a work folder that the run may not change', async () => {
    const work = folder()
    write(join(work, 'in.txt'), 'read')
    const reader = confinedIn(work, { allows: (capability) => !/unsandboxed|fs\/write/.test(capability) })
    expect(await sh('cat in.txt; echo x > out.txt', reader)).toMatchObject({ stdout: 'read', stderr: containing('Read-only') })
  })

  it('starts in the folder that it names, and nowhere else', async () => {
    const work = folder()
    mkdirSync(join(work, 'sub'))
    expect(await sh('pwd', confinedIn(work), { cwd: 'sub' })).toMatchObject({ stdout: `${work}/sub\n` })
    expect(await refusal(() => sh('pwd', confinedIn(work), { cwd: '/etc' }))).toMatchObject({ code: 'R4105' })
    const granted = folder()
    const allows = (capability: string): boolean => !capability.endsWith('unsandboxed')
    expect(await sh('pwd; echo x > new', confinedIn(work, { allows }), { cwd: granted })).toMatchObject({ stdout: `${granted}\n` })
    expect(existsSync(join(granted, 'new'))).toBe(true)
  })

  it('finds the programs on the PATH, their files, and folders that are opened for reading', async () => {
    const home = folder()
    const data = folder()
    chmodSync(write(join(home, 'node/bin/hello'), '#!/bin/sh\ncat "$(dirname "$0")/../lib/words"\n'), 0o755)
    write(join(home, 'node/lib/words'), 'hello\n')
    write(join(home, 'node/key'), 'hunter2')
    write(join(data, 'a'), 'data\n')
    const all = tools({ environment: { PATH: `${PATH}:${home}/node/bin`, HOME: home }, readable: [data] })
    const result = await sh(
      `hello; cat ${data}/a; cat ${home}/node/key; echo x > ${data}/b; echo x > ${home}/node/bin/evil`,
      confinedIn(folder()),
      {},
      all,
    )
    expect(result.stdout).toBe('hello\ndata\n')
    expect(existsSync(join(data, 'b')) || existsSync(join(home, 'node/bin/evil'))).toBe(false)
  })

  it('fails if its program is missing or cannot be started, and returns any other code', async () => {
    const work = folder()
    const plain = write(join(work, 'plain'), 'x')
    expect(await refusal(() => use('command', { argv: ['no-such-program'] }, confinedIn(work)))).toMatchObject({
      code: 'R4130',
      message: 'no-such-program was not found',
    })
    expect(await refusal(() => use('command', { argv: [plain] }, confinedIn(work)))).toMatchObject({ code: 'R4130' })
    expect(await use('command', { argv: ['sh', '-c', 'exit 126'] }, confinedIn(work))).toMatchObject({ code: 126 })
  })

  it('ends together with everything that it started, including processes that left its group', async () => {
    const result = await sh('setsid sleep 6113 >/dev/null 2>&1 & (setsid sleep 6113 &) ; sleep 0.05; echo done', confinedIn(folder()))
    expect(result).toMatchObject({ code: 0, stdout: 'done\n' })
    expect(await isGone('6113')).toBe(true)
  })

  it('is ended in time, even if it ignores the signal', async () => {
    const command = "trap '' TERM HUP INT; echo before; setsid sleep 6127 & while :; do sleep 0.05; done"
    expect(await refusal(() => sh(command, confinedIn(folder()), { timeout: 150 }))).toMatchObject({
      code: 'R4131',
      data: { stdout: 'before\n' },
    })
    expect(await isGone('6127')).toBe(true)
    const stop = new AbortController()
    const running = refusal(() => sh('sleep 6131', confinedIn(folder(), { signal: stop.signal })))
    while (!isRunning('6131')) await sleep(5)
    stop.abort()
    expect(await running).toMatchObject({ code: 'R4132' })
    expect(await isGone('6131')).toBe(true)
  })

  it('can print without end: a limited part is kept, the rest is read and dropped', async () => {
    const before = process.memoryUsage().rss
    const result = await sh('head -c 1073741824 /dev/zero', confinedIn(folder()), { limit: 1000 })
    expect([result.stdout.length, result.truncated]).toEqual([1000, true])
    expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000)
  })

  it('can start a limited number of processes', async () => {
    expect(await sh('grep processes /proc/self/limits | tr -s " " | cut -d" " -f3,4', confinedIn(folder()))).toMatchObject({
      stdout: '2048 2048\n',
    })
  })

  // The kernel does not apply the limit to root.
  it.skipIf(isRoot)('cannot fill the table of processes', async () => {
    const result = await sh('i=0; while [ $i -lt 3000 ]; do sleep 30 & i=$((i+1)); done', confinedIn(folder()), { timeout: 20_000 })
    expect(result.stderr).toMatch(/fork|Resource temporarily unavailable/)
  })
})

describe('the sandbox that a program requests', () => {
  it.skipIf(missing !== undefined)('is strict if the run may not have another one, with a warning', async () => {
    const outside = folder()
    for (const sandbox of ['none', 'basic']) {
      const result = await sh(`touch ${outside}/x`, confinedIn(folder()), { sandbox })
      expect(result.warning).toBe(`sandbox ${sandbox} is ignored: this run needs a sandbox`)
    }
    expect(existsSync(join(outside, 'x'))).toBe(false)
  })

  it('is the requested one if the run may have it', async () => {
    const outside = folder()
    expect(await sh(`touch ${outside}/x`, callIn(folder()), { sandbox: 'none' })).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(existsSync(join(outside, 'x'))).toBe(true)
    expect(await refusal(() => sh('true', callIn(folder()), { sandbox: 'container' }))).toMatchObject({
      code: 'R4101',
      message: containing('sandbox must be strict or basic or none'),
    })
  })
})

describe('without bubblewrap', () => {
  const none = tools({ bubblewrap: [] })

  // proves: pipeline 2.6.31
  it('a run that needs it fails with the way to install it', async () => {
    const work = folder()
    expect(await refusal(() => sh('touch x', confinedIn(work), {}, none))).toMatchObject({
      code: 'R4133',
      message: 'bubblewrap is not installed',
      fix: containing('apt install bubblewrap'),
    })
    expect(existsSync(join(work, 'x'))).toBe(false)
  })

  it('a trusted run continues without it and is warned, unless its program requires it', async () => {
    expect(await sh('echo hi', callIn(folder()), {}, none)).toMatchObject({
      stdout: 'hi\n',
      warning: 'without a sandbox: bubblewrap is not installed',
    })
    expect(await refusal(() => sh('true', callIn(folder()), { sandbox: 'strict' }, none))).toMatchObject({ code: 'R4133' })
  })

  it.skipIf(process.platform !== 'linux')('a bubblewrap that cannot work here counts as missing', async () => {
    const broken = write(join(folder(), 'bwrap'), '#!/bin/sh\necho "bwrap: setting up uid map: Permission denied" >&2\nexit 1\n')
    chmodSync(broken, 0o755)
    expect(await refusal(() => sh('true', confinedIn(folder()), {}, tools({ bubblewrap: [broken] })))).toMatchObject({
      code: 'R4133',
      message: 'bubblewrap cannot create a sandbox here: bwrap: setting up uid map: Permission denied',
    })
  })

  it('a work folder that contains the home folder cannot be confined', async () => {
    const home = folder()
    const all = tools({ environment: { PATH, HOME: join(home, 'ana') } })
    mkdirSync(join(home, 'ana'))
    for (const work of [home, join(home, 'ana')])
      expect(await refusal(() => sh('true', confinedIn(work), {}, all))).toMatchObject({
        code: 'R4134',
        fix: containing('folder of a project'),
      })
    expect(await sh('true', callIn(home), {}, all)).toMatchObject({ warning: containing('the work folder') })
  })
})
