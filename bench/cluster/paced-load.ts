import { closeSync, openSync, readSync } from 'node:fs'
import type { Reflex } from '../../packages/reflex/src/app/reflex.ts'
import { workflow } from '../../packages/reflex/src/kinds/workflow/index.ts'
import { Delays } from './delays.ts'

/** Has an effect, asks, and has another one after the answer: two turns. */
const ASKS = workflow({
  id: 'asks',
  entry: 'one',
  nodes: {
    one: { spec: { tool: 'note', args: { step: 'one' } } },
    ask: { spec: { ask: 'Go on?', options: [{ event: 'YES' }] } },
    two: { spec: { tool: 'note', args: { step: 'two' } } },
  },
  edges: [
    { id: 'a', from: 'one', to: 'ask' },
    { id: 'b', from: 'ask', to: 'two', event: 'YES' },
  ],
})

/** Milliseconds for which a run of the load sleeps, and after which a question is answered. */
const NAP_MS = 30_000
const ANSWERED_AFTER_MS = 5000
const ASKED_AGAIN_MS = 1000

/** Has an effect, sleeps, and has another one: two turns. */
const NAPS = {
  format: 1,
  id: 'naps',
  root: {
    id: 'root',
    type: 'sequence',
    children: [
      { id: 'first', type: 'tool', params: { tool: 'note', args: { step: 'one' } } },
      { id: 'nap', type: 'wait', params: { wait_ms: NAP_MS }, children: [] },
      { id: 'second', type: 'tool', params: { tool: 'note', args: { step: 'two' } } },
    ],
  },
}

/** The turns of a pair of runs: one that asks and one that naps. */
const TURNS = 4

/** The delays from due to the first effect: of starts, of answers and of timers. */
export interface LoadDelays {
  readonly starts: Delays
  readonly answers: Delays
  readonly timers: Delays
}

interface Effect {
  readonly run: string
  readonly step: string
  readonly at: number
}

/** Runs that start and are answered at a rate, whatever became of those before them. */
export class PacedLoad {
  readonly #reflex: Reflex
  readonly #world: number
  readonly #turnsPerSecond: number
  readonly #due = new Map<string, number>()
  readonly #under = new Set<Promise<void>>()
  #isOver = false
  #at = 0
  #rest = ''
  /** The pairs of runs that were started, and the effects that workers have performed. */
  pairs = 0
  effects = 0
  /** The starts and answers that the store refused, for example since the machine was too busy to connect. */
  failures = 0

  constructor(reflex: Reflex, world: string, turnsPerSecond: number) {
    this.#reflex = reflex
    this.#world = openSync(world, 'r')
    this.#turnsPerSecond = turnsPerSecond
  }

  /** Starts runs until `end`. A turn that is late delays none of those after it. */
  async run(): Promise<void> {
    const { programs } = this.#reflex.runtime
    await programs.load('tree')
    const naps = programs.add('tree', 'naps', NAPS)
    const begun = Date.now()
    while (!this.#isOver) {
      const pair = this.pairs++
      this.#follow(this.#start(ASKS, `asks-${pair}`).then(() => this.#answer(`asks-${pair}`)))
      this.#follow(this.#start(naps, `naps-${pair}`))
      await pause(begun + (this.pairs * TURNS * 1000) / this.#turnsPerSecond - Date.now())
    }
  }

  /** Starts and answers nothing more. */
  async end(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#under)
    closeSync(this.#world)
  }

  /** Returns the delays of the effects since the last call. */
  delays(): LoadDelays {
    const delays = { starts: new Delays(), answers: new Delays(), timers: new Delays() }
    for (const { run, step, at } of this.#news()) {
      this.effects++
      const due = this.#due.get(run)
      if (due === undefined) continue
      if (step === 'one') delays.starts.add(at - due)
      else delays[run.startsWith('asks') ? 'answers' : 'timers'].add(at - due)
      if (step === 'one' && run.startsWith('naps')) this.#due.set(run, at + NAP_MS)
      else this.#due.delete(run)
    }
    return delays
  }

  /** Returns the effects that were written since the last call. */
  #news(): readonly Effect[] {
    const chunk = Buffer.alloc(1 << 20)
    for (let size = 1; size > 0; this.#at += size) {
      size = readSync(this.#world, chunk, 0, chunk.length, this.#at)
      this.#rest += chunk.toString('latin1', 0, size)
    }
    const lines = this.#rest.split('\n')
    this.#rest = lines.pop() ?? ''
    return lines.map((line) => JSON.parse(line) as Effect)
  }

  async #start(program: Parameters<Reflex['start']>[0], id: string): Promise<void> {
    this.#due.set(id, Date.now())
    ;(await this.#reflex.start(program, { id })).close()
  }

  async #answer(id: string): Promise<void> {
    for (let ms = ANSWERED_AFTER_MS; !this.#isOver; ms = ASKED_AGAIN_MS) {
      await pause(ms)
      if ((await this.#reflex.store.read(id, 0))?.row.waits.length === 0) continue
      this.#due.set(id, Date.now())
      await this.#reflex.answer(`${id}/q1`, 'YES', { run: false })
      return
    }
  }

  #follow(work: Promise<void>): void {
    const followed = work.catch(() => void this.failures++).finally(() => this.#under.delete(followed))
    this.#under.add(followed)
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)))
}
