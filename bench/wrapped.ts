import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { memoryStore, openSqlite, type Store } from '../packages/reflex/src/store/index.ts'
import { Reflex } from '../packages/reflex/src/wrap/index.ts'
import { STORED_STEP } from './counting.ts'
import { openRaw } from './durable.ts'
import { alternate, type Contestant, type Line, median, type Rounds, timed } from './measure.ts'

const CALLS = 40
const ROUNDS = 10
const CALL_MS = 10

/** A thread that takes 10 ms for each message, to the microsecond: the tool of an agent runs elsewhere, and what is logged is written meanwhile. */
const ELSEWHERE = `
const { parentPort } = require('node:worker_threads')
const lock = new Int32Array(new SharedArrayBuffer(4))
parentPort.on('message', () => {
  Atomics.wait(lock, 0, 0, ${CALL_MS})
  parentPort.postMessage('done')
})`

type Act = (args: { readonly i: number }) => Promise<string>

/**
 * The log of a wrapped agent, per call of a tool of 10 ms: one that reads and one that leaves, beside the same calls bare, and beside one raw
 * insert with its own fsync before each (reference skill, checklist 145).
 */
export async function wrapped(line: Line): Promise<void> {
  const thread = new Worker(ELSEWHERE, { eval: true })
  const folder = mkdtempSync(join(tmpdir(), 'reflex-bench-wrapped-'))
  const act: Act = async () => {
    const answer = once(thread, 'message')
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, and no window
    thread.postMessage('call')
    return String((await answer)[0])
  }
  try {
    await overhead(line, 'in memory', act, folder, memoryStore())
    await overhead(line, 'in SQLite', act, folder, openSqlite(join(folder, 'reflex.db')))
  } finally {
    await thread.terminate()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function overhead(line: Line, where: string, act: Act, folder: string, store: Store): Promise<void> {
  const counts = { commits: 0 }
  const reflex = new Reflex({ store: counting(store, counts), workdir: folder, onTrouble: () => undefined })
  const db = openRaw(join(folder, `${where.replaceAll(' ', '-')}.raw.db`))
  const insert = db.prepare('insert into steps values (?, ?, ?)')
  let rows = 0
  const perCall = { reads: 0, leaves: 0 }
  const processor = { reads: [] as number[], leaves: [] as number[] }
  const turn = (name: keyof typeof perCall): Contestant => {
    const agent = wrappedLoop(reflex, name, act)
    return {
      name,
      async round() {
        counts.commits = 0
        const before = process.cpuUsage()
        const ms = await agent()
        const { user, system } = process.cpuUsage(before)
        processor[name].push((user + system) / 1000 / CALLS)
        perCall[name] = counts.commits / CALLS
        return ms
      },
    }
  }
  try {
    const [bare, raw, reads, leaves] = await alternate(
      [
        loop('bare', act),
        loop('raw', async (args) => {
          insert.run(String(rows++), args.i, STORED_STEP)
          return act(args)
        }),
        turn('reads'),
        turn('leaves'),
      ],
      CALLS,
      ROUNDS,
    )
    if (bare === undefined || raw === undefined || reads === undefined || leaves === undefined) return
    const adds = (one: Rounds): number => median(one.rounds.map((ns, i) => ns - (bare.rounds[i] ?? Number.NaN)))
    const share = (ns: number): string => `${((ns / bare.ns) * 100).toFixed(1)} %, ${(ns / 1e6).toFixed(2)} ms`
    line(`wrapped tools of ${CALL_MS} ms, ${where}`, `${(bare.ns / 1e6).toFixed(2)} ms`, 'bare')
    line(
      '  the log adds to one that reads',
      share(adds(reads)),
      `aim 5 %; ${perCall.reads.toFixed(2)} commits a call, and none that it waits for`,
    )
    const inserts = where === 'in SQLite' ? `; aim 1.3 raw inserts: it is ${(adds(leaves) / adds(raw)).toFixed(2)}` : ''
    line('  to one that leaves', share(adds(leaves)), `${perCall.leaves.toFixed(2)} commits a call, aim 1${inserts}`)
    line('  one raw insert with its fsync adds', share(adds(raw)), '')
    const used = `${median(processor.reads).toFixed(2)}, ${median(processor.leaves).toFixed(2)} ms`
    line('  processor time of a turn, per call', used, 'reads, leaves; on a busy machine the shares above are those of the machine')
  } finally {
    db.close()
    await reflex.close()
  }
}

/** Makes the calls of one round through a wrapped agent that asks its model once. Returns how long the calls took, without the turn around them. */
function wrappedLoop(reflex: Reflex, name: 'reads' | 'leaves', act: Act): () => Promise<number> {
  const sideEffects = name === 'reads' ? 'none' : 'external'
  const tools = { call: { sideEffects, idempotent: true, execute: act } }
  const llm = async (): Promise<object> => ({ choices: [{ message: { role: 'assistant', content: 'go on' } }] })
  const agent = reflex.wrap({
    name,
    tools,
    llm,
    async agent(input: string, context: { readonly tools: unknown; readonly llm: unknown }) {
      const ask = context.llm as (request: object) => Promise<object>
      const { call } = context.tools as { readonly call: { readonly execute: Act } }
      await ask({ messages: [{ role: 'user', content: input }] })
      return timed(async () => {
        for (let i = 0; i < CALLS; i++) await call.execute({ i })
      })
    },
  })
  return () => agent.run('go')
}

function loop(name: string, act: Act): Contestant {
  return {
    name,
    round: () =>
      timed(async () => {
        for (let i = 0; i < CALLS; i++) await act({ i })
      }),
  }
}

/** Returns a store that counts the commits of records. */
function counting(store: Store, counts: { commits: number }): Store {
  return new Proxy(store, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target)
      if (typeof value !== 'function') return value
      return (...args: unknown[]): unknown => {
        if (key === 'commit') counts.commits++
        return (value as (...given: unknown[]) => unknown).apply(target, args)
      }
    },
  })
}
