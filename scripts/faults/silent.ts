import type { Kind, Port, Rec } from '../../packages/reflex/src/kernel/index.ts'
import { Runtime } from '../../packages/reflex/src/kernel/index.ts'
import { isFault } from '../../packages/reflex/src/kernel/journal/fault.ts'
import type { Run } from '../../packages/reflex/src/kernel/run/run.ts'
import type { Store } from '../../packages/reflex/src/kernel/ports/store.ts'
import { openPostgres } from '../../packages/reflex/src/store/index.ts'
import type { Violation } from '../../packages/reflex/src/testing/index.ts'
import { type Break, PostgresProxy } from '../../packages/reflex/test/store/postgres-proxy.ts'
import { PostgresServer, postgresPrograms } from '../../packages/reflex/test/store/postgres-server.ts'
import type { Finding } from './report.ts'

/** Rounds of a run; in each it performs two effects at once. */
const ROUNDS = 3
const RUNS = ['run-1', 'run-2']
const LEASE = 2_000
/** Processes that a point may need, one after the other. */
const MOST_LIVES = 12
/** Points at the same time: most of each is silence. */
const ABREAST = 6

/** Performs two effects that must not be repeated, waits for a message, and so on for some rounds. */
const rounds: Kind<null> = {
  name: 'rounds',
  rev: 1,
  compile: () => null,
  step(x, input) {
    const [round = 0, settled = 0] = (x.position ?? []) as readonly number[]
    if (input?.[0] === 'ok') {
      x.go([round, settled + 1])
      if (settled === 1) x.wait('message', 'next')
    } else if (round === ROUNDS) x.done(round)
    else {
      x.go([round + 1, 0])
      x.request('letter')
      x.request('letter')
    }
  },
}

/**
 * A connection to Postgres that goes silent, at every message of clients in turn: before the server gets it, and after it has
 * answered it. Two runs of one process share the store; no effect may be repeated, and every run must end.
 */
export async function goSilent(most: number, add: (finding: Finding) => void): Promise<string> {
  const programs = postgresPrograms()
  if ('missing' in programs) return `no connection went silent: ${programs.missing}`
  const server = await PostgresServer.start()
  try {
    const { words } = await new SilentTrial(server, undefined).play()
    const points = Array.from({ length: words * 2 }, (_, i) => ({ at: (i >> 1) + 1, when: i % 2 === 0 ? 'before' : 'after' }) as const)
    const step = Math.max(1, points.length / Math.max(1, most))
    const chosen = Array.from({ length: Math.min(most, points.length) }, (_, i) => points[Math.floor(i * step)])
    const left = chosen.flatMap((point) => point ?? [])
    const count = left.length
    const work = async (): Promise<void> => {
      for (let point = left.pop(); point !== undefined; point = left.pop()) add((await new SilentTrial(server, point).play()).finding)
    }
    await Promise.all(Array.from({ length: ABREAST }, work))
    return `${count} of ${points.length} silences at every message to Postgres`
  } finally {
    await server.stop()
  }
}

interface SilentPoint {
  readonly at: number
  readonly when: Break
}

class SilentTrial {
  readonly #server: PostgresServer
  readonly #point: SilentPoint | undefined
  readonly #violations: Violation[] = []
  readonly #performed = new Map<string, number>()

  constructor(server: PostgresServer, point: SilentPoint | undefined) {
    this.#server = server
    this.#point = point
  }

  async play(): Promise<{ readonly finding: Finding; readonly words: number }> {
    const proxy = await PostgresProxy.start(this.#server.port)
    const address = this.#server.address({ port: proxy.port })
    const { at = Number.POSITIVE_INFINITY, when = 'before' } = this.#point ?? {}
    proxy.silenceAt(at, when)
    try {
      let left: readonly string[] = RUNS
      for (let life = 1; left.length > 0 && life <= MOST_LIVES; life++) left = await this.#life(address, life, left)
      if (left.length > 0) this.#violations.push({ breach: 'stuck', text: `after ${MOST_LIVES} processes ${left.join(', ')} did not end` })
      for (const [key, times] of this.#performed)
        if (times > 1) this.#violations.push({ breach: 'repeated', text: `effect ${key} was performed ${times} times` })
      const wanted = RUNS.length * ROUNDS * 2
      if (left.length === 0 && this.#performed.size !== wanted)
        this.#violations.push({ breach: 'lost', text: `${this.#performed.size} of ${wanted} effects were performed` })
      const { words } = proxy
      return {
        words,
        finding: { subject: 'silence', point: `${at} ${when}`, violations: this.#violations, records: await this.#records(address) },
      }
    } finally {
      proxy.stop()
    }
  }

  /** One process; answers with the runs that it did not bring to their end. */
  async #life(address: string, life: number, runs: readonly string[]): Promise<readonly string[]> {
    const store = openPostgres(address)
    const letter: Port = {
      leaves: true,
      repeat: 'ask',
      perform: ({ key }) => void this.#performed.set(key, (this.#performed.get(key) ?? 0) + 1),
    }
    const worker = { id: `life-${life}`, host: `machine-${life}`, pid: 1 }
    const runtime = new Runtime({ kinds: [rounds], ports: { letter }, store, worker, leaseMs: LEASE })
    try {
      const ended = await Promise.all(runs.map(async (id) => this.#carry(runtime, store, id)))
      return runs.filter((_, i) => ended[i] !== true)
    } finally {
      await runtime.close()
      await store.close()
    }
  }

  async #carry(runtime: Runtime, store: Store, id: string): Promise<boolean> {
    try {
      // The store learns how long a lease is, and with it how long a connection may be silent.
      await runtime.register()
      const [row] = await store.runs({ prefix: id })
      if (row?.status === 'completed') return true
      const program = runtime.programs.add('rounds', 'rounds', {})
      const run = row === undefined ? await runtime.start(program, { id }) : await runtime.resume(id)
      await this.#tell(run)
      return run.state.ended !== undefined
    } catch (thrown) {
      if (!isFault(thrown) || thrown.verdict === 'bug') this.#violations.push({ breach: 'untyped', text: String(thrown) })
      return false
    }
  }

  /** Sends what the run waits for; a question about an effect is answered by what happened. */
  async #tell(run: Run): Promise<void> {
    for (let told = 0; told < 50; told++) {
      await run.idle()
      if (run.state.ended !== undefined) return
      const [wait] = run.state.waits.values()
      if (wait === undefined) return
      if (wait.type === 'message') await run.message(wait.name, null, { id: `m${run.state.n}` })
      else await run.answer(wait.id, this.#performed.has(`${run.id}:${wait.effect}`) ? { outcome: 'happened', value: null } : 'repeat')
    }
  }

  async #records(address: string): Promise<readonly Rec[]> {
    if (this.#violations.length === 0) return []
    const store = openPostgres(address)
    try {
      const reader = new Runtime({ kinds: [rounds], store })
      return (await Promise.all(RUNS.map(async (run) => reader.journal(run)))).flat()
    } finally {
      await store.close()
    }
  }
}
