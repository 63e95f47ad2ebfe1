import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Repeat } from 'reflex-runtime/kernel'

const CHILD = resolve(import.meta.dirname, 'child.ts')

/** What a worker process is told when it starts. */
export interface ChildOrder {
  readonly address: string
  readonly workdir: string
  /** The file of what tools did. */
  readonly world: string
  readonly leaseMs: number
  /** Milliseconds that a call of the tool takes. */
  readonly toolMs: number
  /** The rule for calling its tool again after a crash. Default: under the same key. */
  readonly repeat?: Repeat
  /** False: a worker without the tool. */
  readonly tools: boolean
  /** The names of further tools: workers with other tools are another version. */
  readonly moreTools?: readonly string[]
  /** Milliseconds by which its clock is ahead. */
  readonly aheadMs?: number
  /** The run whose tool ends the process. */
  readonly fatal?: string
  /** The most turns at once. Default: 8. */
  readonly slots?: number
  /** A file. A call of the tool ends when it is there. */
  readonly gate?: string
  /** Milliseconds for effects under way when it leaves. Default: 1000. */
  readonly grace?: number
}

export interface WorldLine {
  readonly did: 'begun' | 'ended'
  readonly run: string
  readonly step: string
  readonly key: string
  readonly pid: number
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** Workers in processes of their own, and the file of what their tools did. `end` removes both. */
export class Workers {
  readonly folder = mkdtempSync(join(tmpdir(), 'reflex-cluster-'))
  readonly world = join(this.folder, 'world')
  readonly #order: Omit<ChildOrder, 'world' | 'workdir'>
  readonly #children: ChildProcess[] = []
  readonly #said: string[] = []

  constructor(order: Omit<ChildOrder, 'world' | 'workdir'>) {
    this.#order = order
    writeFileSync(this.world, '')
  }

  end(): void {
    for (const child of this.#children) child.kill('SIGKILL')
    rmSync(this.folder, { recursive: true, force: true })
  }

  /** Those that were started, in their order. */
  get children(): readonly ChildProcess[] {
    return this.#children
  }

  /** What the workers wrote to their standard error. */
  get said(): readonly string[] {
    return this.#said
  }

  /** Starts a worker. Resolves when it has joined. */
  async start(more: Partial<ChildOrder> = {}): Promise<ChildProcess> {
    const order = { ...this.#order, world: this.world, workdir: this.folder, ...more }
    const child = spawn(process.execPath, [CHILD, JSON.stringify(order)], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
    child.stderr?.setEncoding('utf8').on('data', (text: string) => this.#said.push(text))
    this.#children.push(child)
    const gone = once(child, 'exit').then(() => {
      throw new Error(`the worker ended: ${this.#said.join('')}`)
    })
    gone.catch(() => undefined)
    await Promise.race([once(child, 'message'), gone])
    return child
  }

  /** Asks a worker to end by itself. Resolves when it has begun to. */
  async beginDrain(child: ChildProcess): Promise<void> {
    const begun = once(child, 'message')
    child.send('drain')
    await begun
  }

  /** Asks a worker to end by itself. Resolves when it has. */
  async drain(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.send('drain')
    await gone
  }

  get lines(): WorldLine[] {
    return this.linesFrom(0).lines
  }

  /** The whole lines from a place in the file on, and their bytes. */
  linesFrom(start: number): { readonly lines: WorldLine[]; readonly bytes: number } {
    const text = readFileSync(this.world).subarray(start)
    const bytes = text.lastIndexOf('\n') + 1
    const lines = text.subarray(0, bytes).toString('utf8').split('\n')
    return { lines: lines.filter((line) => line !== '').map((line) => JSON.parse(line) as WorldLine), bytes }
  }
}
