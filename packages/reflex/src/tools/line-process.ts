import { Buffer } from 'node:buffer'
import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import type { Host } from '../kernel/index.ts'
import { faults } from './faults.ts'
import { isolatedHandles } from './inherited-handles.ts'
import { collect, hand, killGroup, type OutputCollector } from './process.ts'
import { confine, type Sandbox, type SandboxSettings } from './sandbox.ts'
import type { ToolCall } from './tool.ts'

/** A program that reads and writes lines for as long as it runs. */
export interface LineProgram {
  readonly argv: readonly string[]
  /** The folder in which it starts; by default the work folder. */
  readonly cwd?: string | undefined
  readonly environment?: Readonly<Record<string, string>> | undefined
  readonly sandbox?: Sandbox | undefined
}

/** The end of a program: its exit code, or the signal that ended it, and the end of what it wrote to its errors. */
export interface LineProcessEnd {
  readonly code: number | null
  readonly signal: string | null
  readonly stderr: string
}

/** The most bytes of one line. A program that writes a longer one is killed. */
export const MOST_LINE = 1_000_000
/** The most lines that wait to be read; then its output is not read any more until they are. */
const MOST_WAITING = 64
const MOST_ERRORS = 4000

/** A running program with which lines are exchanged. What it writes stays in the pipe until somebody reads it. */
export class LineProcess {
  readonly #child: ChildProcess
  readonly #host: Host
  readonly #errors: OutputCollector
  readonly #cleanUp: () => Promise<unknown>
  readonly #lines: string[] = []
  readonly #readers: ((line: string | undefined) => void)[] = []
  #rest: Buffer[] = []
  #restSize = 0
  #isOver = false
  /** True once it has written a line that is too long. */
  isFlooding = false
  /** Resolves when the program has ended and what its sandbox left behind is cleaned up. */
  readonly ended: Promise<LineProcessEnd>

  constructor(child: ChildProcess, host: Host, cleanUp: () => Promise<unknown>) {
    this.#child = child
    this.#host = host
    this.#cleanUp = cleanUp
    this.#errors = collect(child.stderr, MOST_ERRORS)
    child.stdin?.on('error', () => undefined)
    child.stdout?.on('data', (part: Buffer) => this.#onData(part))
    child.stdout?.on('error', () => undefined)
    child.stdout?.on('end', () => this.#finish())
    this.ended = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        killGroup(child, 'SIGKILL')
        void this.#cleanUp().finally(() => {
          this.#finish()
          resolve({ code, signal, stderr: this.#errors.text() })
        })
      })
    })
  }

  /** Sends a line. A program that has ended does not get it; nothing is thrown then. */
  send(line: string): void {
    this.#child.stdin?.write(`${line}\n`)
  }

  /** Returns the next line; undefined once there is none, and when the signal is aborted. Lines that came earlier are not lost. */
  next(signal?: AbortSignal): Promise<string | undefined> {
    const line = this.#lines.shift()
    if (this.#lines.length < MOST_WAITING / 2) this.#child.stdout?.resume()
    if (line !== undefined || this.#isOver || signal?.aborted === true) return Promise.resolve(line)
    return new Promise((resolve) => {
      const abort = (): void => {
        this.#readers.splice(this.#readers.indexOf(reader), 1)
        resolve(undefined)
      }
      const reader = (read: string | undefined): void => {
        signal?.removeEventListener('abort', abort)
        resolve(read)
      }
      signal?.addEventListener('abort', abort, { once: true })
      this.#readers.push(reader)
    })
  }

  /** Closes its input, and kills it with everything that it started if it has not ended after `ms` milliseconds. */
  async end(ms: number): Promise<LineProcessEnd> {
    this.#child.stdin?.end()
    const cancel = this.#host.at(this.#host.now() + ms, () => this.kill())
    try {
      return await this.ended
    } finally {
      cancel()
    }
  }

  kill(): void {
    killGroup(this.#child, 'SIGKILL')
  }

  #onData(part: Buffer): void {
    // The rest of a line that is too long may come before the program is gone.
    if (this.isFlooding) return
    let from = 0
    for (let at = part.indexOf(10); at >= 0; at = part.indexOf(10, from)) {
      if (this.#restSize + at - from > MOST_LINE) return this.#flood()
      this.#deliver(Buffer.concat([...this.#rest, part.subarray(from, at)]).toString('utf8'))
      this.#rest = []
      this.#restSize = 0
      from = at + 1
    }
    const rest = part.subarray(from)
    if (rest.length > 0) this.#rest.push(rest)
    this.#restSize += rest.length
    if (this.#restSize > MOST_LINE) this.#flood()
    else if (this.#lines.length >= MOST_WAITING) this.#child.stdout?.pause()
  }

  #flood(): void {
    this.isFlooding = true
    this.kill()
  }

  #deliver(line: string): void {
    const reader = this.#readers.shift()
    if (reader === undefined) this.#lines.push(line)
    else reader(line)
  }

  #finish(): void {
    if (this.#isOver) return
    this.#isOver = true
    if (this.#restSize > 0 && !this.isFlooding) this.#deliver(Buffer.concat(this.#rest).toString('utf8'))
    for (const reader of this.#readers.splice(0)) reader(undefined)
  }
}

/**
 * Starts a program in its own process group, confined as the run of the call must be. It inherits no handle above 2. Throws `R4130` if it
 * cannot be started, `R4133` and `R4134` if it cannot be confined.
 */
export async function startLines(program: LineProgram, settings: SandboxSettings, call: ToolCall): Promise<LineProcess> {
  const { cwd = call.workdir, environment = {} } = program
  const confined = await confine({ argv: program.argv, cwd, environment }, program.sandbox, settings, call)
  const isStrict = confined.sandbox === 'strict'
  const { handleBytes } = confined
  const handles = await isolatedHandles([
    'pipe',
    'pipe',
    'pipe',
    ...(isStrict || handleBytes !== undefined ? [isStrict ? ('pipe' as const) : ('ignore' as const)] : []),
    ...(handleBytes === undefined ? [] : ['pipe' as const]),
  ])
  try {
    const [command = '', ...args] = confined.argv
    const child = spawn(command, args, {
      cwd: isStrict ? '/' : cwd,
      env: confined.environment,
      stdio: handles.stdio,
      detached: process.platform !== 'win32',
      windowsHide: true,
    })
    if (isStrict) (child.stdio[3] as Readable | null)?.resume()
    if (handleBytes !== undefined) hand(child.stdio[4] as Writable | null, handleBytes)
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve)
      child.once('error', reject)
    })
    return new LineProcess(child, settings.host, confined.end)
  } catch (thrown) {
    await confined.end()
    const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
    throw faults.make('R4130', `${program.argv[0] ?? ''} ${code === 'ENOENT' ? 'was not found' : 'cannot be started'}`, { cause: thrown })
  } finally {
    await handles.close()
  }
}
