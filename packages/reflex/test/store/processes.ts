import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { onTestFinished } from 'vitest'
import type { FaultData } from '../../src/kernel/journal/fault.ts'

const CHILD = resolve(import.meta.dirname, 'child.ts')

/** An empty folder that is removed after the test. */
export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'reflex-store-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** A process that has a store open. It ends with the test. */
export class StoreProcess {
  readonly child: ChildProcess
  #output = ''

  /** `shell`: commands that a shell runs before it becomes the process. */
  constructor(options: SpawnOptions & { readonly shellBefore?: string } = {}) {
    const { shellBefore, ...rest } = options
    const [command, args] =
      shellBefore === undefined ? [process.execPath, [CHILD]] : ['sh', ['-c', `${shellBefore}; exec "$0" "$@"`, process.execPath, CHILD]]
    this.child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'], serialization: 'advanced', ...rest })
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#output += text
    })
    onTestFinished(() => void this.child.kill('SIGKILL'))
  }

  static async open(file: string): Promise<StoreProcess> {
    const process = new StoreProcess()
    await process.call('open', file)
    return process
  }

  /** Calls a method of the store there. Rejects with the fault as data. */
  async call<Answer = unknown>(name: string, ...args: unknown[]): Promise<Answer> {
    this.tell(name, ...args)
    return this.answer<Answer>()
  }

  /** The next answer to a command. */
  async answer<Answer = unknown>(): Promise<Answer> {
    const [message] = (await once(this.child, 'message')) as [{ readonly answer?: Answer; readonly fault?: FaultData }]
    // oxlint-disable-next-line typescript/only-throw-error -- the fault has crossed the border of a process
    if (message.fault !== undefined) throw message.fault
    return message.answer as Answer
  }

  tell(name: string, ...args: unknown[]): void {
    this.child.send([name, ...args])
  }

  /** The lines that it has written so far; the last one only if it is complete. */
  get lines(): string[] {
    return this.#output.split('\n').slice(0, -1)
  }

  async untilLines(count: number): Promise<void> {
    while (this.lines.length < count) await once(this.child.stdout ?? this.child, 'data')
  }

  /** Kills it as a power failure would, and waits until it has ended and all its output has arrived. */
  async kill(): Promise<void> {
    const gone = once(this.child, 'close')
    this.child.kill('SIGKILL')
    await gone
  }
}
