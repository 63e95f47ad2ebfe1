import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { WorkerOrder } from './worker-child.ts'

const CHILD = resolve(import.meta.dirname, 'worker-child.ts')
/** The slots of each worker, if not said otherwise. */
const SLOTS = 32

/** Workers in processes of their own, and what they have done. */
export class Crew {
  readonly world: string
  readonly #children: ChildProcess[] = []

  constructor(folder: string) {
    this.world = join(folder, `world-${Math.round(performance.now())}`)
    writeFileSync(this.world, '')
  }

  async hire(count: number, order: Omit<WorkerOrder, 'world' | 'slots'> & { readonly slots?: number }): Promise<void> {
    const hired = Array.from({ length: count }, () =>
      spawn(process.execPath, [CHILD, JSON.stringify({ slots: SLOTS, ...order, world: this.world })], {
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      }),
    )
    this.#children.push(...hired)
    await Promise.all(hired.map((child) => once(child, 'message')))
  }

  tell(): void {
    for (const child of this.#children) child.send('go')
  }

  /** The processes of the workers. */
  get pids(): readonly number[] {
    return this.#children.flatMap(({ pid }) => (pid === undefined ? [] : [pid]))
  }

  get lines(): string[] {
    return readFileSync(this.world, 'utf8').split('\n').slice(0, -1)
  }

  /** Resolves when there are so many lines; the file is only read when it has grown. */
  async until(lines: number): Promise<void> {
    for (let size = -1; ; ) {
      const now = statSync(this.world).size
      if (now !== size && this.lines.length >= lines) return
      size = now
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  async end(): Promise<void> {
    const gone = this.#children.map((child) => once(child, 'exit'))
    this.tell()
    await Promise.all(gone)
  }
}
