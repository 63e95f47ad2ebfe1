import { Buffer } from 'node:buffer'
import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import type { Host } from '../kernel/index.ts'
import { isolatedHandles } from '../tools/inherited-handles.ts'
import type { ConfinedCommand } from '../tools/sandbox.ts'
import { mcpFaults } from './faults.ts'
import type { McpMessage, McpTransport } from './library.ts'

/** The most bytes of one message: one line of standard output. */
export const MOST_MESSAGE = 16_000_000
/** The most lines in a row that are not messages. A server that prints more is stopped. */
const MOST_GARBAGE = 100
const KEPT_ERRORS = 2_000
/** The milliseconds between the end of the input and a kill. */
const GRACE = 2_000

/** The settings of a process of a server. */
export interface ServerProcessSettings {
  readonly name: string
  readonly command: ConfinedCommand
  readonly cwd: string
  readonly host: Host
}

/**
 * A server in a process of its own: a message is one line. Nothing of its process group survives `close`. Lines that are not messages are
 * ignored up to a limit, and a line that is too long ends the server.
 */
export class ServerProcess implements McpTransport {
  onclose: (() => void) | undefined
  onerror: ((error: Error) => void) | undefined
  onmessage: ((message: McpMessage) => void) | undefined
  readonly #settings: ServerProcessSettings
  #child: ChildProcess | undefined
  #line: Buffer[] = []
  #lineSize = 0
  #garbage = 0
  #errors = ''
  #problem: Error | undefined
  #ended: Promise<void> | undefined

  constructor(settings: ServerProcessSettings) {
    this.#settings = settings
  }

  /** The reason why the server was stopped here; undefined if it ended by itself. */
  get problem(): Error | undefined {
    return this.#problem
  }

  /** The last text that the server printed to standard error. */
  get errors(): string {
    return this.#errors.trim()
  }

  async start(): Promise<void> {
    const { command, cwd } = this.#settings
    const { argv, environment, handleBytes, sandbox } = command
    const isReporting = sandbox === 'strict'
    const more = isReporting || handleBytes !== undefined ? [isReporting ? ('pipe' as const) : ('ignore' as const)] : []
    const handles = await isolatedHandles(['pipe', 'pipe', 'pipe', ...more, ...(handleBytes === undefined ? [] : ['pipe' as const])])
    try {
      const [program = '', ...args] = argv
      const child = spawn(program, args, {
        cwd,
        env: environment,
        stdio: handles.stdio,
        detached: process.platform !== 'win32',
        windowsHide: true,
      })
      this.#child = child
      this.#ended = new Promise((resolve) => {
        child.once('close', () => this.#end(resolve))
      })
      await new Promise<void>((resolve, reject) => {
        child.once('spawn', resolve)
        child.once('error', reject)
      })
      this.#read(child, handleBytes)
    } finally {
      await handles.close()
    }
  }

  #read(child: ChildProcess, handleBytes: Uint8Array | undefined): void {
    child.on('error', (error) => this.onerror?.(error))
    child.stdin?.on('error', () => undefined)
    child.stdout?.on('data', (part: Buffer) => this.#take(part))
    child.stderr?.on('data', (part: Buffer) => {
      this.#errors = `${this.#errors}${part.toString('utf8')}`.slice(-KEPT_ERRORS)
    })
    ;(child.stdio[3] as Readable | null | undefined)?.resume()
    const bytes = child.stdio[4] as Writable | null | undefined
    bytes?.on('error', () => undefined)
    if (handleBytes !== undefined) bytes?.end(handleBytes)
  }

  #take(part: Buffer): void {
    let from = 0
    for (let at = part.indexOf(10); at >= 0 && this.#problem === undefined; at = part.indexOf(10, from)) {
      this.#add(part.subarray(from, at))
      from = at + 1
      const line = Buffer.concat(this.#line).toString('utf8')
      this.#line = []
      this.#lineSize = 0
      this.#takeLine(line)
    }
    this.#add(part.subarray(from))
  }

  #add(part: Buffer): void {
    if (this.#problem !== undefined) return
    this.#lineSize += part.length
    if (this.#lineSize > MOST_MESSAGE) {
      const { name } = this.#settings
      return this.#stop(mcpFaults.make('R4509', `the server ${name} sent a message of more than ${MOST_MESSAGE} bytes, and was stopped`))
    }
    if (part.length > 0) this.#line.push(part)
  }

  #takeLine(line: string): void {
    if (this.#problem !== undefined || line.trim() === '') return
    const message = messageOf(line)
    if (message !== undefined) {
      this.#garbage = 0
      return this.onmessage?.(message)
    }
    this.#garbage++
    if (this.#garbage <= MOST_GARBAGE) return
    const { name } = this.#settings
    this.#stop(
      mcpFaults.make(
        'R4507',
        `the server ${name} prints text that is no message of the protocol, and was stopped: ${JSON.stringify(line.slice(0, 200))}`,
      ),
    )
  }

  #stop(problem: Error): void {
    if (this.#problem !== undefined) return
    this.#problem = problem
    this.#line = []
    this.onerror?.(problem)
    this.#kill('SIGKILL')
  }

  #end(resolve: () => void): void {
    // What the server has started ends with it.
    this.#kill('SIGKILL')
    void this.#settings.command.end().then(resolve, resolve)
    this.onclose?.()
  }

  #kill(signal: 'SIGTERM' | 'SIGKILL'): void {
    const pid = this.#child?.pid
    if (pid === undefined) return
    try {
      if (process.platform === 'win32') this.#child?.kill(signal)
      else process.kill(-pid, signal)
    } catch {
      // The group has ended.
    }
  }

  send(message: McpMessage): Promise<void> {
    const stdin = this.#child?.stdin
    if (stdin === null || stdin === undefined || stdin.destroyed || this.#problem !== undefined)
      return Promise.reject(new Error('the server has ended'))
    return new Promise((resolve, reject) => {
      stdin.write(`${JSON.stringify(message)}\n`, (error) => (error === null || error === undefined ? resolve() : reject(error)))
    })
  }

  /** Ends the input of the server, and kills it with everything that it started if it does not end soon. Resolves when it has ended. */
  async close(): Promise<void> {
    const { host } = this.#settings
    if (this.#child?.pid === undefined) return
    this.#child.stdin?.end()
    const cancel = host.at(host.now() + GRACE, () => this.#kill('SIGKILL'))
    this.#kill('SIGTERM')
    await this.#ended
    cancel()
  }
}

function messageOf(line: string): McpMessage | undefined {
  try {
    const value = JSON.parse(line) as unknown
    return typeof value === 'object' && value !== null && !Array.isArray(value) && 'jsonrpc' in value ? value : undefined
  } catch {
    return undefined
  }
}
