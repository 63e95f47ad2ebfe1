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
  const commits: number[] = []
  const reflex = new Reflex({ store: timingCommits(store, commits), workdir: folder, onTrouble: () => undefined })
  const db = openRaw(join(folder, `${where.replaceAll(' ', '-')}.raw.db`))
  const insert = db.prepare('insert into steps values (?, ?, ?)')
  let rows = 0
  const perCall = { reads: 0, leaves: 0 }
  const processor = { bare: [] as number[], reads: [] as number[], leaves: [] as number[] }
  const alone = { raw: [] as number[], leaves: [] as number[] }
  const turn = (name: keyof typeof perCall): Contestant => {
    const agent = wrappedLoop(reflex, name, act)
    return {
      name,
      async round() {
        commits.length = 0
        const ms = await processorTime(agent, processor[name])
        perCall[name] = commits.length / CALLS
        if (name === 'leaves') alone.leaves.push(median(commits))
        return ms
      },
    }
  }
  try {
    const [bare, raw, reads, leaves] = await alternate(
      [
        { name: 'bare', round: () => processorTime(() => loop('bare', act).round(), processor.bare) },
        loop('raw', async (args) => {
          const from = performance.now()
          insert.run(String(rows++), args.i, STORED_STEP)
          alone.raw.push(performance.now() - from)
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
    // Each is a difference of long times, and a busy disk makes them swing: this one is of the two writes themselves.
    if (where === 'in SQLite')
      line(
        '  one commit by itself',
        `${(median(alone.leaves) / median(alone.raw)).toFixed(2)} raw inserts`,
        `${median(alone.leaves).toFixed(2)} ms, beside ${median(alone.raw).toFixed(2)} ms; aim 1.3`,
      )
    const used = [processor.bare, processor.reads, processor.leaves].map((taken) => median(taken).toFixed(2)).join(', ')
    line('  processor time per call', `${used} ms`, 'bare, reads, leaves; on a busy machine the shares above are those of the machine')
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

/** Makes the calls of one round, and notes the milliseconds of the processor that each has taken. */
async function processorTime(round: () => Promise<number>, taken: number[]): Promise<number> {
  const before = process.cpuUsage()
  const ms = await round()
  const { user, system } = process.cpuUsage(before)
  taken.push((user + system) / 1000 / CALLS)
  return ms
}

/** Returns a store that notes the milliseconds of each commit of records. */
function timingCommits(store: Store, taken: number[]): Store {
  return new Proxy(store, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target)
      if (typeof value !== 'function') return value
      return (...args: unknown[]): unknown => {
        const from = performance.now()
        const result = (value as (...given: unknown[]) => unknown).apply(target, args)
        if (key === 'commit') taken.push(performance.now() - from)
        return result
      }
    },
  })
}
