import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Crash, Part } from './worker.ts'

/** Looks of the watchdog within the time that a program may take. */
const LOOKS = 20
const MEGABYTES = 1024
/** In the hand of a worker that has not begun. */
const NONE = -1

/** What came of all programs. */
export interface Harvest {
  readonly crashes: Crash[]
  /** The numbers of those that did not end in time. */
  readonly hangs: number[]
}

/** Which programs, and where they may be put. */
export interface Field {
  readonly seed: number
  readonly count: number
  readonly workers: number
  readonly folder: string
  readonly only: string | undefined
  /** The module that tries them, with a `Part` as its data. */
  readonly worker: URL
  /** Milliseconds that one program may take. */
  readonly longest: number
  progress(done: number): void
}

/**
 * Lets workers try all programs. A program that ends its worker, or that does not end, is written down, and a new worker goes on
 * behind it: the rest of the programs is the same whatever one of them does.
 */
export async function harvest(field: Field): Promise<Harvest> {
  const found: Harvest = { crashes: [], hangs: [] }
  const lanes = Array.from({ length: Math.min(field.workers, field.count) }, (_, lane) => new Lane(lane, field, found))
  const looks = setInterval(() => field.progress(lanes.reduce((sum, lane) => sum + lane.done, 0)), 2000)
  await Promise.all(lanes.map((lane) => lane.run()))
  clearInterval(looks)
  found.crashes.sort((a, b) => a.number - b.number)
  found.hangs.sort((a, b) => a - b)
  return found
}

/** Every so many-th program, from the one with the number of the lane on. */
class Lane {
  readonly #hand = new Int32Array(new SharedArrayBuffer(4))
  readonly #lane: number
  readonly #field: Field
  readonly #found: Harvest

  constructor(lane: number, field: Field, found: Harvest) {
    this.#lane = lane
    this.#field = field
    this.#found = found
  }

  get done(): number {
    return Math.max(0, Math.ceil((Atomics.load(this.#hand, 0) - this.#lane) / this.#step))
  }

  async run(): Promise<void> {
    for (let first = this.#lane; first < this.#field.count; ) {
      const ended = await this.#work(first)
      const number = Atomics.load(this.#hand, 0)
      if (ended === undefined) return
      if (number === NONE) throw new Error(`a worker does not begin: ${ended}`)
      if (ended === 'hang') this.#found.hangs.push(number)
      else this.#found.crashes.push({ number, subject: 'worker', what: ended })
      first = number + this.#step
    }
  }

  get #step(): number {
    return Math.min(this.#field.workers, this.#field.count)
  }

  /** Nothing where all went well, else what ended the worker. */
  #work(first: number): Promise<string | undefined> {
    const { seed, count, folder, only, worker, longest } = this.#field
    Atomics.store(this.#hand, 0, NONE)
    const part: Part = { seed, first, end: count, step: this.#step, folder: join(folder, String(this.#lane)), only, hand: this.#hand }
    return new Promise((resolve) => {
      const thread = new Worker(worker, {
        workerData: part,
        resourceLimits: { maxOldGenerationSizeMb: MEGABYTES },
      })
      let failure: string | undefined
      let seen = -1
      let since = Date.now()
      const watch = setInterval(() => {
        const number = Atomics.load(this.#hand, 0)
        if (number !== seen) [seen, since] = [number, Date.now()]
        else if (number !== NONE && Date.now() - since > longest) {
          failure = 'hang'
          void thread.terminate()
        }
      }, longest / LOOKS)
      thread.on('message', (crash: Crash) => this.#found.crashes.push(crash))
      thread.on('error', (error) => (failure ??= error instanceof Error ? (error.stack ?? error.message) : String(error)))
      thread.on('exit', () => {
        clearInterval(watch)
        resolve(failure)
      })
    })
  }
}
