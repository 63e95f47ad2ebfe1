import { Buffer } from 'node:buffer'
import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import type { Host } from '../kernel/index.ts'
import { type Handles, isolatedHandles } from './inherited-handles.ts'
import type { CommandLimits } from './limits.ts'
import { waitForEnd, initPid } from './sandbox-init.ts'
import { overLimits } from './usage.ts'

/** A program to run without a shell. */
export interface ProcessRequest {
  readonly argv: readonly string[]
  readonly cwd: string
  readonly environment: Readonly<Record<string, string>>
  /** The input of the program, or the number of an open file that it reads; without it the input is empty. */
  readonly stdin?: string | number | undefined
  /**
   * True if the program is bubblewrap and reports its sandbox on handle 3: the result comes when nothing of the sandbox
   * runs.
   */
  readonly reportsSandbox?: boolean | undefined
  /** The bytes that the program reads from handle 4. */
  readonly handleBytes?: Uint8Array | undefined
  /** The time limit in milliseconds. */
  readonly timeout: number
  /**
   * The limit in bytes of the output and of the errors, each, in the result. Further output is read and dropped, or
   * kept up to `keepLimit`.
   */
  readonly outputLimit: number
  /** The most bytes to keep of an output that is longer than `outputLimit`. */
  readonly keepLimit?: number | undefined
  readonly signal: AbortSignal
  /**
   * The limits of the program with everything that it starts; a program above them is killed with all of it. Checked
   * only on Linux.
   */
  readonly limits?: CommandLimits | undefined
}

/** The end of a program, and its outputs. */
export interface ProcessResult {
  readonly end: 'exited' | 'timeout' | 'aborted' | keyof CommandLimits
  /** Null if a signal ended it. */
  readonly code: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
  readonly truncated: boolean
  /** The full outputs, if they are longer than in the result and are kept. */
  readonly fullOutput?: FullOutput | undefined
}

/** The outputs of a program, up to `keepLimit`. */
export interface FullOutput {
  readonly stdout?: { readonly text: string; readonly cut: boolean } | undefined
  readonly stderr?: { readonly text: string; readonly cut: boolean } | undefined
}

/** The milliseconds between the request to end and the kill. */
const GRACE = 500
/** The milliseconds between two checks of a program's use. */
const CHECK_INTERVAL = 100
/** The milliseconds to wait for remaining output after a program has ended. */
const DRAIN_TIME = 200
/** The most bytes of bubblewrap's report about its sandbox. */
const REPORT = 4_000

/**
 * Runs a program in its own process group. However it ends, no process of its group survives it: a program that exceeds
 * its time is asked to end, and shortly after killed with everything that it started. It inherits no handle above 2.
 * Rejects only if the program cannot be started, with the error of the system.
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
    // A program that reads nothing closes its input; this is not an error.
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

/** Writes bytes to a program. A program that does not start reads nothing; its end shows the reason. */
export function hand(to: Writable | null, bytes: Uint8Array): void {
  to?.on('error', () => undefined)
  to?.end(bytes)
}

interface StopControl {
  /** Removes the timers and listeners. */
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

/**
 * Checks a process and its descendants repeatedly until they exceed the limits. Returns the function that ends the
 * checks.
 */
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

/** Sends a signal to everything that a program has started and that is still in its group. */
export function killGroup({ pid }: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (pid === undefined) return
  if (process.platform === 'win32') {
    spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true }).on('error', () => undefined)
    return
  }
  try {
    process.kill(-pid, signal)
  } catch {
    // The group has ended.
  }
}

export interface OutputCollector {
  text(): string
  /** True if there was more output than the text contains. */
  isCut(): boolean
  /** Returns all kept output, if it is more than the text. */
  fullText(): { readonly text: string; readonly cut: boolean } | undefined
}

/** Keeps the first bytes of an output; more is read and dropped. */
export function collect(stream: Readable | null, most: number, keeps = most): OutputCollector {
  const parts: Buffer[] = []
  let size = 0
  let dropped = false
  stream?.on('data', (part: Buffer) => {
    const room = Math.max(most, keeps) - size
    if (part.length > room) dropped = true
    if (room > 0) parts.push(part.subarray(0, room))
    size += Math.min(part.length, room)
  })
  // No more output follows a broken pipe.
  stream?.on('error', () => undefined)
  const isCut = (): boolean => dropped || size > most
  return {
    text: () => wholeCharacters(Buffer.concat(parts).subarray(0, most), isCut()),
    isCut,
    fullText: () => (isCut() ? { text: wholeCharacters(Buffer.concat(parts), dropped), cut: dropped } : undefined),
  }
}

/** Returns bytes as text; a character that is cut at their end is omitted. */
function wholeCharacters(bytes: Buffer, cut: boolean): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: cut })
}
