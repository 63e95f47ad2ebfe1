import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { screenOf } from './screen.ts'
import { workFolder } from './worlds.ts'

const BIN = join(import.meta.dirname, '../../bin/reflex.js')
const { FORCE_COLOR: _, NO_COLOR: __, COLUMNS: ___, ...outside } = process.env
/** The command as a global install has it. */
const INSTALLED = mkdtempSync(join(tmpdir(), 'reflex-bin-'))
symlinkSync(BIN, join(INSTALLED, 'reflex'))
afterAll(() => rmSync(INSTALLED, { recursive: true, force: true }))
const environment = { ...outside, PATH: `${INSTALLED}:${outside['PATH']}`, LC_ALL: 'C.UTF-8', TERM: 'xterm' }

function reflex(
  argv: readonly string[],
  cwd: string,
  options: { readonly input?: string } = {},
): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...argv], {
    cwd,
    encoding: 'utf8',
    env: environment,
    input: options.input ?? '',
  })
  return { code: status, out: stdout, err: stderr }
}

function shell(line: string, cwd: string): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync('bash', ['-c', line.replaceAll('reflex ', `"${process.execPath}" "${BIN}" `)], {
    cwd,
    encoding: 'utf8',
    env: environment,
  })
  return { code: status, out: stdout, err: stderr }
}

/** A command that goes on beside the test; ended with it. */
function begin(
  argv: readonly string[],
  cwd: string,
): { child: ChildProcess; says: (text: string) => Promise<void>; ended: Promise<number | null> } {
  const child = spawn(process.execPath, [BIN, ...argv], { cwd, env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const says = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const check = (): void => {
        if (said.includes(text)) resolve()
      }
      for (const stream of [child.stdout, child.stderr]) stream?.on('data', check)
      void ended.then(() => reject(new Error(`ended without ${text}: ${said}`)))
      check()
    })
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data) => (said += String(data)))
  return { child, says, ended }
}

/** A payment that goes on until it is told to end, and leaves a line for each time that it was made. */
function payments(): string {
  const folder = workFolder()
  writeFileSync(join(folder, 'go'), '')
  return folder
}
const PAY = ['run', 'payouts.workflow.json', '--trust', 'trusted', '--id', 'tern']
const paid = (folder: string): string => readFileSync(join(folder, 'paid.txt'), 'utf8')

async function untilPaid(folder: string): Promise<void> {
  const file = join(folder, 'paid.txt')
  while (!existsSync(file) || statSync(file).size === 0) await new Promise((resolve) => setImmediate(resolve))
}

describe.skipIf(process.platform === 'win32')('a killed process', () => {
  test('leaves a run that waits for a process; resume asks about the unknown outcome, and nothing is paid twice', async () => {
    const folder = payments()
    const { child, ended } = begin(PAY, folder)
    await untilPaid(folder)
    child.kill('SIGKILL')
    await ended
    expect(reflex(['runs'], folder).out).toMatch(/^tern\tpayouts\tsuspended\ta process, \d+ is gone\t/)
    const resumed = reflex(['resume', 'tern'], folder)
    expect(resumed.code).toBe(75)
    expect(resumed.err).toMatch(/taken over from process \d+, which is gone · 3 records · keeps rules decide.* · trusted/)
    expect(resumed.err).toMatch(/asked {5}pay: Did pay happen\?\n/)
    expect(resumed.err).toMatch(/Check\s+with\s+the\s+other\s+side\s+first\s+for\s+its\s+key,\s+tern:\d\.\n/)
    expect(reflex(['resume', 'tern', '--answers', 'auto'], folder).code).toBe(75)
    expect(paid(folder)).toBe('paid\n')
    writeFileSync(join(folder, 'stop'), '')
    const repeated = reflex(['answer', 'tern', 'repeat', '--by', 'ana'], folder)
    expect(repeated).toMatchObject({ code: 0, out: '{\n  "told": true\n}\n' })
    expect(paid(folder)).toBe('paid\npaid\n')
  })

  test('does not repeat an effect that a person knows to have happened', async () => {
    const folder = payments()
    const { child, ended } = begin(PAY, folder)
    await untilPaid(folder)
    child.kill('SIGKILL')
    await ended
    expect(reflex(['resume', 'tern'], folder).code).toBe(75)
    expect(reflex(['answer', 'tern', 'happened', '--by', 'ana'], folder)).toMatchObject({ code: 0, out: '{\n  "told": true\n}\n' })
    expect(paid(folder)).toBe('paid\n')
  })

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s leaves it suspended, even twice, and says how to go on', async (signal, code) => {
    const folder = payments()
    const { child, says, ended } = begin(PAY, folder)
    await untilPaid(folder)
    child.kill(signal)
    child.kill(signal)
    await says('reflex resume tern')
    expect(await ended).toBe(code)
    expect(reflex(['runs', '--status', 'suspended'], folder).out).toMatch(/^tern\t/)
  })

  test('a second process gets the name of the owner and does not change the run', async () => {
    const folder = payments()
    const { child, ended } = begin(PAY, folder)
    await untilPaid(folder)
    const second = reflex(['resume', 'tern'], folder)
    expect(second.code).toBe(3)
    expect(second.err).toContain(`held by process ${child.pid}`)
    expect(reflex(['runs'], folder).out).toContain(`running\tprocess ${child.pid}`)
    writeFileSync(join(folder, 'stop'), '')
    expect(await ended).toBe(0)
    expect(paid(folder)).toBe('paid\n')
  })
})

describe.skipIf(process.platform === 'win32')('places that are not writable', () => {
  test('a full disk is a typed fault, and the run continues once there is space', () => {
    const seen = new Set<string>()
    for (const kilobytes of [8, 64, 128, 192, 256]) {
      const folder = workFolder()
      const { code, err } = shell(
        `ulimit -f ${kilobytes}; reflex run refund.workflow.json --id otter --input big=@big.txt`,
        bigFile(folder),
      )
      if (code === 75) continue
      expect({ kilobytes, code, err }).toMatchObject({ code: 3, err: expect.stringMatching(/error R5\d\d\d/) as string })
      expect(err).not.toMatch(/^ {4}at /m)
      seen.add(/R5\d\d\d/.exec(err)?.[0] ?? '')
      const [row] = (JSON.parse(reflex(['runs', '--json'], folder).out) as { runs: { records: number }[] }).runs
      const resumed = row === undefined ? undefined : reflex(['resume', 'otter'], folder)
      if (resumed !== undefined)
        expect({ kilobytes, row, ...resumed }).toMatchObject(
          row?.records === 0 ? { code: 3, err: expect.stringContaining('R5010') as string } : { code: 75 },
        )
    }
    expect(seen.size).toBeGreaterThan(0)
  })

  // Root may write everywhere, so the command runs as somebody else, who may not be able to read this checkout.
  const other = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  const asOther = (argv: readonly string[], cwd: string): ReturnType<typeof reflex> => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...argv], { cwd, encoding: 'utf8', env: environment, ...other })
    return { code: status, out: stdout, err: stderr }
  }
  test.skipIf(asOther(['--version'], '/').code !== 0)('a store in a read-only folder can be read, and no run continues', () => {
    const folder = workFolder()
    expect(reflex(['run', 'refund.workflow.json', '--id', 'otter'], folder).code).toBe(75)
    for (const [place, mode] of [
      ['', 0o555],
      ['.reflex', 0o555],
      ['.reflex/reflex.db', 0o444],
    ] as const)
      chmodSync(join(folder, place), mode)
    // The other user has no home folder of its own, so the store is named.
    for (const argv of [['runs'], ['show', 'otter'], ['inbox']])
      expect(asOther([...argv, '--store', join(folder, '.reflex/reflex.db')], folder)).toMatchObject({
        code: 0,
        out: expect.stringContaining('otter') as string,
        err: '',
      })
    for (const argv of [
      ['run', 'refund.workflow.json'],
      ['resume', 'otter'],
    ])
      expect(asOther(argv, folder)).toMatchObject({ code: 3, out: '', err: expect.stringMatching(/^error R50\d\d/) as string })
    const bare = workFolder()
    chmodSync(bare, 0o555)
    expect(asOther(['run', 'refund.workflow.json'], bare)).toMatchObject({
      code: 3,
      err: expect.stringMatching(/^error R5\d\d\d/) as string,
    })
    for (const place of [bare, folder, join(folder, '.reflex'), join(folder, '.reflex/reflex.db')]) chmodSync(place, 0o755)
    expect(reflex(['resume', 'otter', '--answers', 'auto'], folder).code).toBe(0)
  })

  test('a place without permission to create a store is a typed fault', () => {
    const folder = workFolder()
    for (const store of ['order.json', 'order.json/reflex.db', '/proc/reflex.db', '/dev/null']) {
      const { code, err } = reflex(['run', 'refund.workflow.json', '--store', store], folder)
      expect({ store, code, err }).toMatchObject({ code: 3, err: expect.stringMatching(/^error R50\d\d {2}/) as string })
    }
  })

  test.skipIf(!existsSync('/dev/full'))('an output that cannot be written is a typed fault', () => {
    const folder = workFolder()
    for (const line of ['run refund.workflow.json --id otter --json', 'runs --json', 'trace otter', '--help']) {
      const { code, err } = shell(`reflex ${line} > /dev/full`, folder)
      expect({ line, code, err }).toMatchObject({
        code: 3,
        err: expect.stringMatching(
          /^error R5040 {2}standard output cannot be written: ENOSPC.*\n {2}fix {4}make room on the disk\n$/,
        ) as string,
      })
    }
    expect(reflex(['runs'], folder).out).toMatch(/^otter\t/)
  })

  test('a reader that stops reading does not stop the run', () => {
    const folder = workFolder()
    reflex(['run', 'refund.workflow.json', '--id', 'otter'], folder)
    const { err, out } = shell(
      'reflex trace otter --jsonl | head -1; reflex trace otter --json | true; reflex run refund.workflow.json --jsonl --answers auto | head -1',
      folder,
    )
    expect(err).toBe('')
    expect(out.trim().split('\n')).toHaveLength(2)
    expect(reflex(['runs', '--status', 'completed'], folder).out.split('\n')).toHaveLength(2)
  })
})

function bigFile(folder: string): string {
  writeFileSync(join(folder, 'big.txt'), 'x'.repeat(90_000))
  return folder
}

const python = spawnSync('python3', ['-c', 'import pty'], { encoding: 'utf8' }).status === 0

describe.skipIf(!python)('a real terminal (skipped without python3, which opens it)', () => {
  const terminal = (
    columns: number,
    script: readonly (readonly [string, string])[],
    argv: readonly string[],
    cwd: string,
  ): { code: number | null; screen: string } => {
    const { status, stdout } = spawnSync(
      'python3',
      [join(import.meta.dirname, 'terminal.py'), String(columns), JSON.stringify(script), process.execPath, BIN, ...argv],
      { cwd, encoding: 'utf8', env: environment },
    )
    return { code: status, screen: screenOf(stdout, columns) }
  }

  test.each([80, 40])('arrows and enter work at %i columns', (columns) => {
    const { code, screen } = terminal(
      columns,
      [
        ['› ', '\u001b[B'],
        ['› ', '\r'],
      ],
      ['run', 'refund.workflow.json', '--id', 'otter', '--by', 'ana'],
      workFolder(),
    )
    expect(code).toBe(0)
    expect(screen).toContain('ana: Reject')
    expect(screen).not.toContain('Later')
  })

  test('ctrl-c works at the question, and while an effect runs', () => {
    const folder = payments()
    expect(terminal(80, [['› ', '\u0003']], ['run', 'refund.workflow.json', '--id', 'otter'], folder)).toMatchObject({
      code: 130,
      screen: expect.stringContaining('reflex resume otter') as string,
    })
    expect(terminal(80, [['●', '\u0003']], PAY, folder)).toMatchObject({
      code: 130,
      screen: expect.stringContaining('reflex resume tern') as string,
    })
  })

  test('text with all kinds of characters can be typed', () => {
    const folder = workFolder()
    writeFileSync(
      join(folder, 'ask.workflow.json'),
      JSON.stringify({ id: 'ask', entry: 'q', nodes: { q: { id: 'q', spec: { ask: 'Who?', writes: 'who' } } }, edges: [] }),
    )
    const { code, screen } = terminal(
      80,
      [
        ['Who?', 'Zoë 王 x\u007f👍'],
        ['👍', '\r'],
      ],
      ['run', 'ask.workflow.json'],
      folder,
    )
    expect(code).toBe(0)
    expect(screen).toContain('who Zoë 王')
  })
})

describe('the command itself', () => {
  test.skipIf(process.platform === 'win32')('reads a policy from a process substitution of the shell, <(…)', () => {
    const folder = payments()
    const { code, err } = shell(
      `reflex run refund.workflow.json --input order_id=A-1042 --answers none --policy <(echo '{"alow":[]}')`,
      folder,
    )
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining('alow') as string })
  })

  test('prints its version and ends', () => {
    expect(reflex(['--version'], workFolder())).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^reflex \d+\.\d+\.\d+\n$/) as string,
      err: '',
    })
  })

  test('reads standard input for -', () => {
    const { code, out } = reflex(['run', 'refund.workflow.json', '--answers', 'auto', '--input', 'note=@-', '--json'], workFolder(), {
      input: 'from a pipe',
    })
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ status: 'completed' })
  })
})
