import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { decodeBatch } from '../../packages/reflex/src/kernel/index.ts'
import { openSqlite } from '../../packages/reflex/src/store/index.ts'
import { audit } from '../../packages/reflex/src/testing/fault-suite/audit.ts'
import { LEASE, ProcessLife, RUN } from '../../packages/reflex/src/testing/kind-suite/process-life.ts'
import { Watch, type WorldEvent } from '../../packages/reflex/src/testing/kind-suite/watch.ts'
import type { FaultSuite } from '../../packages/reflex/src/testing/index.ts'
import type { Dice } from './dice.ts'
import type { Finding } from './report.ts'

/** How often something really happened to a process. */
export interface Tally {
  killed: number
  stopped: number
  /** Stopped, and refused by the store once it woke up. */
  fenced: number
  /** Ended because its disk was full. */
  full: number
}

/** What a process is told to do. */
export interface Order {
  readonly subject: string
  readonly file: string
  readonly world: string
  readonly number: number
  /** Where its clock stands, in milliseconds since the epoch. */
  readonly clock: number
  readonly at?: number
  readonly signal?: 'SIGKILL' | 'SIGSTOP'
  /** Only these moments count. Default: all. */
  readonly what?: 'perform'
}

/** How far a process got, if it was not killed. */
export interface Told {
  readonly moments: number
  readonly end?: boolean
  /** The fault that it ended with. */
  readonly code?: string
  readonly bug?: boolean
}

/**
 * What happens to a real process: `kill -9` at a moment, a stop while another one takes over, the same at a moment of its performances
 * (before and after each), or a disk that takes no more than so many blocks of 512 bytes in one file.
 */
export interface RealStroke {
  readonly at: number
  readonly blow: 'kill' | 'halt' | 'pause' | 'quota'
}

const SIGNALS = { kill: 'SIGKILL', halt: 'SIGSTOP', pause: 'SIGSTOP', quota: undefined } as const
const CHILD = resolve(import.meta.dirname, '../faults-process.ts')
const MOST_LIVES = 8
const BEGIN = Date.UTC(2026, 0, 5, 9)

export function realText(strokes: readonly RealStroke[]): string {
  return strokes.map(({ at, blow }) => `${at} ${blow}`).join(', ')
}

/** The strokes of a text such as `14 kill, 3 kill`; nothing if it is no such text. */
export function parseReal(text: string): readonly RealStroke[] | undefined {
  const parts = text.split(',').map((part) => /^\s*(\d+) (kill|halt|pause|quota)\s*$/.exec(part))
  if (parts.some((part) => part === null)) return undefined
  return parts.map((part) => ({ at: Number(part?.[1]), blow: part?.[2] as RealStroke['blow'] }))
}

/** The `index`-th of a series, in which each sort has its turn. */
export function drawReal(dice: Dice, index: number): readonly RealStroke[] {
  const blow = (['kill', 'halt', 'kill', 'quota'] as const)[index % 4] ?? 'kill'
  if (blow === 'quota') return [{ at: dice.between(150, 500), blow }]
  return [
    { at: blow === 'halt' ? dice.between(6, 30) : dice.between(1, 60), blow },
    ...(blow === 'kill' ? dice.list(0, 2, () => ({ at: dice.between(1, 25), blow })) : []),
  ]
}

/** Puts a run through real processes, one after the other, until it has ended. */
export async function strikeReal(suite: FaultSuite, strokes: readonly RealStroke[], tally: Tally): Promise<Finding> {
  const folder = mkdtempSync(join(tmpdir(), 'reflex-faults-'))
  try {
    return await new RealTrial(suite, folder, tally).play(strokes)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Stops real processes at every performance of a run in turn, before and after it, while another one takes the run over. Answers with
 * how many there were: the first process that meets no further one ends the series.
 */
export async function pauseEverywhere(suite: FaultSuite, most: number, tally: Tally, add: (finding: Finding) => void): Promise<number> {
  for (let at = 1; at <= most; at++) {
    const before = tally.stopped
    add(await strikeReal(suite, [{ at, blow: 'pause' }], tally))
    if (tally.stopped === before) return at - 1
  }
  return most
}

class RealTrial {
  readonly #suite: FaultSuite
  readonly #file: string
  readonly #world: string
  readonly #watch = new Watch()
  readonly #tally: Tally
  #lives = 0

  constructor(suite: FaultSuite, folder: string, tally: Tally) {
    this.#suite = suite
    this.#tally = tally
    this.#file = join(folder, 'reflex.db')
    this.#world = join(folder, 'world.jsonl')
    writeFileSync(this.#world, '')
  }

  async play(strokes: readonly RealStroke[]): Promise<Finding> {
    let told: Told | undefined
    while (told?.end !== true && this.#lives < MOST_LIVES && this.#watch.violations.length === 0) {
      told = await this.#life(strokes[this.#lives])
      if (told?.bug === true) this.#watch.report('untyped', `a process ended with ${told.code}`)
    }
    if (told?.end !== true && this.#watch.violations.length === 0)
      this.#watch.report('stuck', `after ${this.#lives} processes the run has not ended`)
    const records = await this.#look(told?.end === true)
    return { subject: this.#suite.subject.name, point: realText(strokes), violations: this.#watch.violations, records }
  }

  /** One process, until it ends. Nothing if it was killed. */
  async #life(stroke: RealStroke | undefined): Promise<Told | undefined> {
    const signal = stroke === undefined ? undefined : SIGNALS[stroke.blow]
    const order = this.#order({
      ...(signal === undefined ? {} : { signal, at: stroke?.at ?? 1 }),
      ...(stroke?.blow === 'pause' ? { what: 'perform' } : {}),
    })
    const child = new Child(order, stroke?.blow === 'quota' ? stroke.at : undefined)
    if (signal !== 'SIGSTOP' || !(await child.stopped)) return this.#heard(child)
    this.#tally.stopped++
    const heir = await this.#heard(new Child(this.#order({})))
    child.wake()
    const woken = await this.#heard(child)
    if (woken?.code === 'R5002') this.#tally.fenced++
    return heir?.end === true ? heir : woken
  }

  #order(more: Partial<Order>): Order {
    this.#lives++
    const clock = BEGIN + (this.#lives - 1) * (LEASE + 1)
    return { subject: this.#suite.subject.name, file: this.#file, world: this.#world, number: this.#lives, clock, ...more }
  }

  async #heard(child: Child): Promise<Told | undefined> {
    const { told, error } = await child.over
    if (told === undefined) this.#tally.killed++
    if (told?.code === 'R5005') this.#tally.full++
    if (error !== '') this.#watch.report('untyped', error)
    return told
  }

  async #look(ended: boolean): Promise<Finding['records']> {
    const { subject, expected } = this.#suite
    const watch = this.#watch
    const store = openSqlite(this.#file)
    try {
      for (const line of readFileSync(this.#world, 'utf8').split('\n')) if (line !== '') watch.handle(JSON.parse(line) as WorldEvent, true)
      const { runtime } = new ProcessLife(subject, store, new Watch())
      if (!ended) return (await store.journal(RUN)).flatMap(({ version, body }) => decodeBatch(version, body, () => 'null'))
      return (await audit({ subject, runtime, store, watch, expected, hasTimeJumped: true })).records
    } finally {
      await store.close()
    }
  }
}

/** A process of `faults-process.ts`. */
class Child {
  /** False if it ended without being stopped. */
  readonly stopped: Promise<boolean>
  readonly over: Promise<{ readonly told: Told | undefined; readonly error: string }>
  readonly #child: ChildProcess

  constructor(order: Order, quota?: number) {
    const args = [CHILD, JSON.stringify(order)]
    this.#child =
      quota === undefined
        ? spawn(process.execPath, args)
        : spawn('sh', ['-c', `ulimit -f ${quota}; exec "$0" "$@"`, process.execPath, ...args])
    const { promise, resolve: settle } = Promise.withResolvers<boolean>()
    this.stopped = promise
    this.over = new Promise((done, reject) => {
      let [output, error] = ['', '']
      this.#child.stdout?.on('data', (text: Buffer) => {
        output += text.toString()
        if (output.startsWith('stopped\n')) settle(true)
      })
      this.#child.stderr?.on('data', (text: Buffer) => void (error += text.toString()))
      this.#child.on('error', reject)
      this.#child.on('close', () => {
        settle(false)
        const line = output.split('\n').find((one) => one.startsWith('{'))
        done({ told: line === undefined ? undefined : (JSON.parse(line) as Told), error })
      })
    })
  }

  wake(): void {
    this.#child.kill('SIGCONT')
  }
}
