import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Pool } from 'pg'
import type { Lease, Store } from '../packages/reflex/src/kernel/index.ts'
import { openPostgres } from '../packages/reflex/src/store/index.ts'
import { batchOf, rowOf, TTL, workerOf } from '../packages/reflex/src/testing/store-suite/world.ts'
import { postgresPrograms, PostgresServer } from '../packages/reflex/test/store/postgres-server.ts'
import type { How } from './following/follower.ts'
import { alternate, type Contestant, type Line, median, timed } from './measure.ts'

const FOLLOWER = resolve(import.meta.dirname, 'following/follower.ts')
const RUNS = 64
const COMMITS = 10
const LOOKS = 120
const WORKER = workerOf('writer')

/** Runs of this process, and commits to them. */
class Writer {
  readonly store: Store
  readonly #held = new Map<string, { readonly lease: Lease; last: number }>()

  constructor(store: Store) {
    this.store = store
  }

  async create(run: string): Promise<void> {
    const lease = await this.store.create(rowOf(run), WORKER)
    if (lease === 'taken') throw new Error(`${run} is there already`)
    this.#held.set(run, { lease, last: 0 })
  }

  get runs(): readonly string[] {
    return [...this.#held.keys()]
  }

  last(run: string): number {
    return this.#held.get(run)?.last ?? 0
  }

  async commit(run: string): Promise<void> {
    const held = this.#held.get(run)
    if (held === undefined) throw new Error(`there is no run ${run}`)
    await this.store.commit([batchOf(held.lease, ++held.last)])
  }

  /** Commits to all runs at once, each several times in a row. */
  async commitAll(): Promise<void> {
    const one = async (run: string): Promise<void> => {
      for (let i = 0; i < COMMITS; i++) await this.commit(run)
    }
    await Promise.all(this.runs.map(one))
  }
}

/** Lets the other process follow the runs in another way. */
async function follow(child: ChildProcess, how: How): Promise<void> {
  const changed = new Promise<void>((resolve) => {
    const listen = (message: unknown): void => {
      if (message !== 'follows') return
      child.off('message', listen)
      resolve()
    }
    child.on('message', listen)
  })
  child.send(how)
  await changed
  // Both processes have learnt of each other.
  await wait(300)
}

/** Milliseconds from a commit until another process has seen it. */
async function delays(writer: Writer, run: string, child: ChildProcess): Promise<readonly number[]> {
  const found: number[] = []
  for (let i = 0; i < LOOKS; i++) {
    await wait(20 + ((i * 37) % 101))
    const seen = new Promise<number>((resolve) => {
      const next = writer.last(run) + 1
      const listen = (message: { readonly run: string; readonly last: number; readonly at: number }): void => {
        if (message.run !== run || message.last !== next) return
        child.off('message', listen)
        resolve(message.at)
      }
      child.on('message', listen)
    })
    await writer.commit(run)
    const committed = Date.now()
    // It can be seen before this process knows that it is durable.
    found.push(Math.max(0, (await seen) - committed))
  }
  return found
}

function shown(found: readonly number[]): string {
  const sorted = [...found].sort((a, b) => a - b)
  return `half ${median(sorted)} ms, 99 of 100 ${sorted[Math.floor(sorted.length * 0.99)] ?? 0} ms`
}

/** Rows that one transaction each inserts, with and without an announcement in it. */
async function inserts(pool: Pool): Promise<readonly Contestant[]> {
  await pool.query('create table notes (body text)')
  const inserting = (name: string, text: string): Contestant => {
    const one = async (): Promise<void> => {
      for (let i = 0; i < COMMITS; i++) await pool.query({ name, text, values: ['x'.repeat(100)] })
    }
    return { name, round: () => timed(() => Promise.all(Array.from({ length: RUNS }, one))) }
  }
  return [
    inserting('without', 'insert into notes values ($1)'),
    inserting('with', `with added as (insert into notes values ($1) returning 1) select pg_notify('notes', '') from added`),
  ]
}

/** Measures the commits per second of a process whose runs another one follows, and the delay until that one sees a commit. */
export async function following(line: Line): Promise<void> {
  const programs = postgresPrograms()
  if ('missing' in programs) return line('following over Postgres', 'skipped', programs.missing)
  const server = await PostgresServer.start(true)
  const address = server.address()
  const [store, pool] = [openPostgres(address), new Pool({ connectionString: address, max: 10 })]
  const rate = (ns: number): string => `${(1e9 / ns).toFixed(0)} commits/s`
  try {
    const [without, withNotify] = await alternate(await inserts(pool), RUNS * COMMITS, 8)
    line('raw pg, 10 connections', rate(without?.ns ?? 0), `NOTIFY in each: ${rate(withNotify?.ns ?? 0)}`)
    await store.hello(WORKER, Date.now(), TTL)
    store.watch(() => undefined)
    const writer = new Writer(store)
    for (let i = 0; i < RUNS; i++) await writer.create(`run-${i}`)
    const [run = ''] = writer.runs
    const child = fork(FOLLOWER, [address, ...writer.runs])
    const ways: readonly How[] = ['not', 'asked', 'announced']
    const contestants = ways.map((name) => ({
      name,
      async round() {
        await follow(child, name)
        return timed(() => writer.commitAll())
      },
    }))
    const taken = await alternate(contestants, RUNS * COMMITS, 10)
    line(`commits of ${RUNS} runs at once, followed`, taken.map(({ name, ns }) => `${name}: ${rate(ns)}`).join(', '), '')
    for (const how of ['asked', 'announced'] as const) {
      await follow(child, how)
      line(`delay from commit to seen, ${how}`, shown(await delays(writer, run, child)), '')
    }
    child.disconnect()
    await once(child, 'exit')
  } finally {
    await store.close()
    await pool.end()
    await server.stop()
  }
}
