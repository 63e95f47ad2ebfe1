import type { Host, Store } from '../../src/kernel/index.ts'
import { Reflex } from '../../src/app/reflex.ts'
import { work } from '../../src/app/worker.ts'
import { workflow } from '../../src/kinds/workflow/index.ts'

/** What is measured of a crowd at one moment. */
export interface CrowdMoment {
  readonly what: string
  /** Milliseconds since the moment before. */
  readonly ms: number
  /** Bytes that the process has of the machine's memory; the most since the moment before, and now. */
  readonly most: number
  readonly now: number
  /** Bytes of values that something still holds. */
  readonly held: number
}

export interface CrowdOptions {
  readonly workdir: string
  readonly open: () => Store
  readonly runs: number
  readonly answered: number
  readonly host?: Host
  readonly told?: (moment: CrowdMoment) => void
}

/** What became of a crowd. */
export interface CrowdResult {
  readonly completed: readonly string[]
  readonly suspended: number
  /** Runs with another end than their answer, and messages that nobody took. */
  readonly wrong: readonly string[]
  /** Runs that a process still held when all was done. */
  readonly held: number
}

/** Asks a person for a month, then ends with what they said. */
export const ASKS = workflow({
  id: 'crowd',
  entry: 'read',
  nodes: {
    read: { spec: { writes: { amount: 84, notes: 'a few words that are carried along' } } },
    ask: { spec: { ask: 'Pay {{amount}}?', options: [{ event: 'YES' }, { event: 'NO' }], due: '30d' } },
    pay: { spec: { writes: { paid: true } } },
    leave: { spec: { writes: { paid: false } } },
  },
  edges: [
    { id: 'asked', from: 'read', to: 'ask' },
    { id: 'yes', from: 'ask', to: 'pay', event: 'YES' },
    { id: 'no', from: 'ask', to: 'leave', event: 'NO' },
  ],
})

/** Runs begun at a time. */
const ABREAST = 64

/** Suspends a crowd of runs, answers some of them at once while no worker lives, and lets a worker carry on. */
export async function crowd({ workdir, open, runs, answered, told }: CrowdOptions): Promise<CrowdResult> {
  const watch = new Watch(told)
  await watch.moment('at the start')
  const names = Array.from({ length: runs }, (_, i) => `run-${i}`)
  const first = new Reflex({ workdir, store: open() })
  for (let i = 0; i < runs; i += ABREAST) {
    const part = names.slice(i, i + ABREAST)
    await Promise.all(part.map(async (id) => (await first.run(ASKS, { id })).close()))
    watch.look()
  }
  await first.close()
  await watch.moment(`${runs} runs suspended`)

  const second = new Reflex({ workdir, store: open() })
  // Every so many, so that the answered ones are spread over the crowd.
  const chosen = names.filter((_, i) => i % Math.floor(runs / answered) === 0).slice(0, answered)
  for (const [i, id] of chosen.entries()) {
    await second.answer(id, i % 3 === 0 ? 'NO' : 'YES', { run: false, by: 'ana' })
    watch.look()
  }
  await watch.moment(`${answered} answered, nobody there`)

  await work(second, { once: true, onEvent: () => watch.look() })
  await watch.moment('carried on by a worker')

  const rows = await second.runs()
  const completed = rows.filter(({ status }) => status === 'completed')
  const wrong: string[] = []
  for (const [i, id] of chosen.entries()) {
    const { value } = completed.find((row) => row.id === id) ?? {}
    if (JSON.stringify(value) !== JSON.stringify({ paid: i % 3 !== 0 })) wrong.push(`${id} ended with ${JSON.stringify(value)}`)
    if ((await second.store.inbox(id)).length > 0) wrong.push(`${id} has an answer that nobody took`)
  }
  const held = second.runtime.openRuns.size
  const suspended = rows.filter(({ status, owner }) => status === 'suspended' && owner === null).length
  await second.close()
  await watch.moment('after')
  return { completed: completed.map(({ id }) => id), suspended, wrong, held }
}

class Watch {
  readonly #told: CrowdOptions['told']
  #most = 0
  #since = performance.now()

  constructor(told: CrowdOptions['told']) {
    this.#told = told
  }

  look(): void {
    if (this.#told !== undefined) this.#most = Math.max(this.#most, process.memoryUsage.rss())
  }

  async moment(what: string): Promise<void> {
    this.look()
    const ms = performance.now() - this.#since
    const most = this.#most
    globalThis.gc?.()
    await new Promise((resolve) => setImmediate(resolve))
    this.#told?.({ what, ms, most, now: process.memoryUsage.rss(), held: process.memoryUsage().heapUsed })
    this.#most = 0
    this.#since = performance.now()
  }
}
