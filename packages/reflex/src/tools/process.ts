import { Buffer } from 'node:buffer'
import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import type { Host } from '../kernel/index.ts'
import { type Handles, isolatedHandles } from './inherited-handles.ts'
import type { CommandLimits } from './limits.ts'
import { waitForEnd, initPid } from './sandbox-init.ts'
import { overLimits } from './usage.ts'

/** A program to be run, without a shell. */
export interface ProcessRequest {
  readonly argv: readonly string[]
  readonly cwd: string
  readonly environment: Readonly<Record<string, string>>
  /** Given to the program and then closed, or the number of an open file that it reads; without it the input is empty. */
  readonly stdin?: string | number | undefined
  /** The program is bubblewrap and reports its sandbox to handle 3: the result comes once nothing of the sandbox runs. */
  readonly reportsSandbox?: boolean | undefined
  /** Given to the program at handle 4. */
  readonly handleBytes?: Uint8Array | undefined
  /** Milliseconds. */
  readonly timeout: number
  /** Bytes of the output and of the errors, each, in the result. What comes after them is read and dropped, or kept as `keeps` says. */
  readonly outputLimit: number
  /** Bytes kept of an output that is longer than `most`. */
  readonly keepLimit?: number | undefined
  readonly signal: AbortSignal
  /** Limits with everything that it starts; a program above them is killed with all of it. Checked on Linux alone. */
  readonly limits?: CommandLimits | undefined
}

/** How a program ended. */
export interface ProcessResult {
  readonly end: 'exited' | 'timeout' | 'aborted' | keyof CommandLimits
  /** Null when a signal ended it. */
  readonly code: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
  readonly truncated: boolean
  /** All of the outputs that are longer than the result has them, where they are kept. */
  readonly fullOutput?: FullOutput | undefined
}

/** Outputs as a program has written them, up to a bound. */
export interface FullOutput {
  readonly stdout?: { readonly text: string; readonly cut: boolean } | undefined
  readonly stderr?: { readonly text: string; readonly cut: boolean } | undefined
}

/** Milliseconds between asking a program to end and ending it. */
const GRACE = 500
/** Milliseconds between two looks at what a program uses. */
const CHECK_INTERVAL = 100
/** Milliseconds for output that is still on its way when the program has ended. */
const DRAIN_TIME = 200
/** Bytes of what bubblewrap reports of its sandbox. */
const REPORT = 4_000

/**
 * Runs a program in a process group of its own. However it ends, nothing of its group outlives it: a program that
 * takes too long is asked to end, and shortly after killed with all that it has started. It inherits no handle above 2.
 * Rejects only when the program cannot be started, with the error of the system.
 */
export async function runProcess(request: ProcessRequest, host: Host): Promise<ProcessResult> {
  const { stdin, reportsSandbox = false, handleBytes } = request
  const input = typeof stdin === 'string' ? 'pipe' : (stdin ?? 'ignore')
  const handles = await isolatedHandles([
    input,
    'pipe',
    'pipe',
    ...(reportsSandbox || handleBytes !== undefined ? [reportsSandbox ? ('pipe' as const) : ('ignore' as const)] : []),
    ...(handleBytes === undefined ? [] : ['pipe' as const]),
  ])
  try {
    return await runWith(request, handles, host)
  } finally {
    await handles.close()
  }
}

function runWith(request: ProcessRequest, { stdio }: Handles, host: Host): Promise<ProcessResult> {
  return new Promise((resolve, reject) => {
    const [program = '', ...args] = request.argv
    const child = spawn(program, args, {
      cwd: request.cwd,
      env: request.environment,
      stdio,
      detached: process.platform !== 'win32',
      windowsHide: true,
    })
    const output = [
      collect(child.stdout, request.outputLimit, request.keepLimit),
      collect(child.stderr, request.outputLimit, request.keepLimit),
    ] as const
    const report = request.reportsSandbox === true ? collect(child.stdio[3] as Readable | null, REPORT) : undefined
    const stop = stopControl(child, request, host)
    // A program that reads nothing closes its input; that is no error of ours.
    child.stdin?.on('error', () => undefined)
    if (typeof request.stdin === 'string') child.stdin?.end(request.stdin)
    if (request.handleBytes !== undefined) hand(child.stdio[4] as Writable | null, request.handleBytes)
    child.once('error', (error) => {
      stop.release()
      reject(error)
    })
    child.once('exit', (code, signal) => {
      stop.release()
      killGroup(child, 'SIGKILL')
      const cancelDrain = host.at(host.now() + DRAIN_TIME, () => {
        child.stdout?.destroy()
        child.stderr?.destroy()
      })
      child.once('close', () => {
        cancelDrain()
        const [out, err] = output
        const truncated = out.isCut() || err.isCut()
        const whole = truncated && request.keepLimit !== undefined ? { fullOutput: { stdout: out.fullText(), stderr: err.fullText() } } : {}
        const result = { end: stop.reason(), code, signal, stdout: out.text(), stderr: err.text(), truncated, ...whole }
        // When bubblewrap itself is killed, the kernel ends its sandbox a moment later.
        void waitForEnd(initPid(report?.text() ?? ''), host).then(() => resolve(result))
      })
    })
  })
}

/** A program that does not begin reads nothing; its end says why. */
function hand(to: Writable | null, bytes: Uint8Array): void {
  to?.on('error', () => undefined)
  to?.end(bytes)
}

interface StopControl {
  /** Nothing more is to be stopped. */
  release(): void
  reason(): ProcessResult['end']
}

function stopControl(child: ChildProcess, { timeout, signal, limits }: ProcessRequest, host: Host): StopControl {
  let reason: ProcessResult['end'] = 'exited'
  let kill: (() => void) | undefined
  const stop = (why: ProcessResult['end']): void => {
    if (reason !== 'exited') return
    reason = why
    killGroup(child, 'SIGTERM')
    kill = host.at(host.now() + GRACE, () => killGroup(child, 'SIGKILL'))
  }
  const abort = (): void => stop('aborted')
  const cancelTimeout = host.at(host.now() + timeout, () => stop('timeout'))
  const { pid } = child
  const unwatch =
    limits === undefined || pid === undefined
      ? undefined
      : watchLimits(pid, limits, host, (over) => {
          if (reason === 'exited') reason = over
          killGroup(child, 'SIGKILL')
        })
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  return {
    release() {
      cancelTimeout()
      kill?.()
      unwatch?.()
      signal.removeEventListener('abort', abort)
    },
    reason: () => reason,
  }
}

/** Checks a process and those below it repeatedly, until they are over the limits. Returns the function that ends the checks. */
function watchLimits(pid: number, limits: CommandLimits, host: Host, onOver: (over: keyof CommandLimits) => void): () => void {
  let cancelTimer = (): void => undefined
  const look = (): void => {
    const over = overLimits(pid, limits)
    if (over !== undefined) onOver(over)
    else cancelTimer = host.at(host.now() + CHECK_INTERVAL, look)
  }
  cancelTimer = host.at(host.now() + CHECK_INTERVAL, look)
  return () => cancelTimer()
}

/** Signals everything that a program has started and that has not left its group. */
function killGroup({ pid }: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (pid === undefined) return
  if (process.platform === 'win32') {
    spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true }).on('error', () => undefined)
    return
  }
  try {
    process.kill(-pid, signal)
  } catch {
    // The group is gone.
  }
}

interface OutputCollector {
  text(): string
  /** There was more than the text has. */
  isCut(): boolean
  /** All that was kept, if that is more than the text. */
  fullText(): { readonly text: string; readonly cut: boolean } | undefined
}

function collect(stream: Readable | null, most: number, keeps = most): OutputCollector {
  const parts: Buffer[] = []
  let size = 0
  let dropped = false
  stream?.on('data', (part: Buffer) => {
    const room = Math.max(most, keeps) - size
    if (part.length > room) dropped = true
    if (room > 0) parts.push(part.subarray(0, room))
    size += Math.min(part.length, room)
  })
  // A pipe that breaks has said all that it will.
  stream?.on('error', () => undefined)
  const isCut = (): boolean => dropped || size > most
  return {
    text: () => wholeCharacters(Buffer.concat(parts).subarray(0, most), isCut()),
    isCut,
    fullText: () => (isCut() ? { text: wholeCharacters(Buffer.concat(parts), dropped), cut: dropped } : undefined),
  }
}

/** The text of some bytes; a character that was cut at their end is left out. */
function wholeCharacters(bytes: Buffer, cut: boolean): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: cut })
}
