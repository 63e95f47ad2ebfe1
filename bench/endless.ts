import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type Batch, type Run, Runtime, type Store } from '../packages/reflex/src/kernel/index.ts'
import { memoryStore, openSqlite } from '../packages/reflex/src/store/index.ts'
import { type VirtualHost, virtualHost } from '../packages/reflex/src/testing/index.ts'
import { beat } from '../packages/reflex/test/kernel/probes/beat.ts'
import { net } from '../packages/reflex/test/kernel/probes/net.ts'
import type { Line } from './measure.ts'

const TICK_MS = 50
const SLICE = 1_000

/** Ticks of the long run, and the records of its segments. */
const LONG = 200_000
const SEGMENT = 10_000
const sealed = { ...beat, name: 'sealed', endless: SEGMENT }

interface World {
  readonly runtime: Runtime
  readonly host: VirtualHost
  readonly store: Store
}

let workers = 0

function worldOver(store: Store, at = Date.now()): World {
  const host = virtualHost({ at })
  const worker = { id: `endless-${++workers}`, host: 'bench', pid: process.pid }
  return { runtime: new Runtime({ kinds: [beat, net, sealed], store, host, worker }), host, store }
}

/** Processor time of this process in microseconds: machines are shared. */
function processorTime(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Bytes of the heap that stay after a collection. */
function keptBytes(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

/** Kinds that never end: what a tick and an event cost, when many are queued and when the run is old. */
export async function endless(line: Line): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'reflex-endless-'))
  let files = 0
  const sqlite = (): Store => openSqlite(join(folder, `${++files}.db`))
  try {
    await ticks(line, 'memory', memoryStore(), 20_000)
    await ticks(line, 'SQLite', sqlite(), 20_000)
    await idleTicks(line, 20_000)
    await sealing(line, sqlite())
    await queued(line, 'memory', memoryStore(), 4_000)
    await queued(line, 'memory', memoryStore(), 100_000)
    await queued(line, 'SQLite', sqlite(), 500)
    await queued(line, 'SQLite', sqlite(), 10_000)
    await unwanted(line, 4_000)
    await commits(line, sqlite(), 2_000)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A tree of 200 leaves, ten of which change in each tick. */
async function ticks(line: Line, name: string, store: Store, count: number): Promise<void> {
  const { runtime, host } = worldOver(store)
  const program = runtime.programs.add('beat', 'tree', { leaves: 200, changing: 10, everyMs: TICK_MS })
  const run = await runtime.start(program)
  for (let i = 0; i < SLICE; i++) await host.advance(TICK_MS)
  const [before, from] = [keptBytes(), processorTime()]
  for (let i = 0; i < count; i++) await host.advance(TICK_MS)
  const cost = (processorTime() - from) / count
  const kept = (keptBytes() - before) / count
  if (run.state.n < count) throw new Error(`the tree has made ${run.state.n} records`)
  line(
    `tick of 200 leaves, ${count.toLocaleString('en-US')} ticks, ${name}`,
    `${cost.toFixed(0)} us`,
    `aim 100; ${kept.toFixed(0)} B of heap kept a tick`,
  )
  await runtime.close()
  await store.close()
}

/** A tree of 200 leaves none of which changes: its ticks are skipped. */
async function idleTicks(line: Line, count: number): Promise<void> {
  const { runtime, host } = worldOver(memoryStore())
  const run = await runtime.start(runtime.programs.add('beat', 'tree', { leaves: 200, changing: 0, everyMs: TICK_MS }))
  for (let i = 0; i < SLICE; i++) await host.advance(TICK_MS)
  const [before, from, records] = [keptBytes(), processorTime(), run.state.n]
  for (let i = 0; i < count; i++) await host.advance(TICK_MS)
  const cost = (processorTime() - from) / count
  const kept = Math.max(0, keptBytes() - before) / count
  const facts = `${run.state.n - records} records; ${kept.toFixed(1)} B of heap kept a tick`
  line(`idle tick of 200 leaves, ${count.toLocaleString('en-US')} ticks`, `${cost.toFixed(1)} us`, `aim 0 records, 0 B; ${facts}`)
  await runtime.close()
}

/** The same tree for 200,000 ticks in segments: the heap that stays, and what it takes to open the run again. */
async function sealing(line: Line, store: Store): Promise<void> {
  const { runtime, host } = worldOver(store)
  const run = await runtime.start(runtime.programs.add('sealed', 'tree', { leaves: 200, changing: 10, everyMs: TICK_MS }))
  const kept: number[] = []
  const from = processorTime()
  for (let part = 0; part < 10; part++) {
    for (let i = 0; i < LONG / 10; i++) await host.advance(TICK_MS)
    kept.push(keptBytes())
  }
  const cost = (processorTime() - from) / LONG
  const segments = (await store.segments(run.id)).length
  const name = `${LONG.toLocaleString('en-US')} ticks of 200 leaves, segments of ${SEGMENT.toLocaleString('en-US')}, SQLite`
  line(`tick in ${segments} segments, SQLite`, `${cost.toFixed(0)} us`, name)
  const [first = 0, last = 0] = [kept[0], kept.at(-1)]
  const most = (Math.max(...kept) - first) / 1024
  line(
    '  heap kept after 200,000 ticks',
    `${((last - first) / 1024).toFixed(0)} kB more`,
    `aim 0: than after 20,000; the most in between ${most.toFixed(0)} kB`,
  )
  // Not right after a seal, where there is nothing to fold.
  for (let i = 0; i < SEGMENT / 2; i++) await host.advance(TICK_MS)
  await runtime.close()
  const opening = await opened(store, run.id, host.now())
  line('  to open it again', `${opening.toFixed(1)} ms`, `${run.state.n - run.state.sealed} records after the last seal`)
  await store.close()
}

/** Milliseconds of processor time in which another process opens a run: the median of several. */
async function opened(store: Store, id: string, at: number): Promise<number> {
  const taken: number[] = []
  for (let i = 0; i < 5; i++) {
    const { runtime } = worldOver(store, at)
    const from = processorTime()
    await runtime.resume(id)
    taken.push((processorTime() - from) / 1000)
    await runtime.close()
  }
  return taken.sort((a, b) => a - b)[2] ?? 0
}

/** Events of another process that lie in the inbox before the run takes the first. */
async function queued(line: Line, name: string, store: Store, count: number): Promise<void> {
  const { runtime, host } = worldOver(store)
  const run = await runtime.start(runtime.programs.add('net', 'sums', { topic: 'event', nodes: 100 }))
  await run.idle()
  for (let i = 0; i < count; i++)
    await store.post(run.id, { id: `m${i}`, type: 'message', to: 'event', body: { amount: i }, at: host.now() })
  const from = processorTime()
  while (eventsOf(run) < count) await host.advance(TICK_MS)
  const cost = (processorTime() - from) / count
  const aim = name === 'memory' ? 'aim 30' : 'aim 150'
  line(`event, ${count.toLocaleString('en-US')} queued ahead, ${name}`, `${cost.toFixed(1)} us`, aim)
  await runtime.close()
  await store.close()
}

function eventsOf(run: Run): number {
  return Number(run.state.root.reader().get('events') ?? 0)
}

/** Events that come while messages lie in the inbox that no wait takes. */
async function unwanted(line: Line, count: number): Promise<void> {
  await besideUnwanted(0)
  const [without, beside] = [await besideUnwanted(0), await besideUnwanted(count)]
  const name = `event beside ${count.toLocaleString('en-US')} messages that no wait takes`
  line(name, `${beside.toFixed(1)} us`, `aim 1 of the time without them: ${(beside / without).toFixed(2)}`)
}

/** Microseconds of an event. */
async function besideUnwanted(count: number): Promise<number> {
  const store = memoryStore()
  const { runtime, host } = worldOver(store)
  const run = await runtime.start(runtime.programs.add('net', 'sums', { topic: 'event', nodes: 100 }))
  await run.idle()
  for (let i = 0; i < count; i++) await store.post(run.id, { id: `u${i}`, type: 'message', to: 'nobody waits', body: i, at: host.now() })
  await host.advance(TICK_MS)
  const from = processorTime()
  for (let i = 0; i < SLICE; i++) await run.message('event', { amount: i })
  const cost = (processorTime() - from) / SLICE
  await runtime.close()
  return cost
}

/** Commits of a run that takes one event a millisecond. */
async function commits(line: Line, store: Store, count: number): Promise<void> {
  let commits = 0
  const counting = new Proxy(store, {
    get(target, name: keyof Store) {
      if (name === 'commit') return (batches: readonly Batch[]) => (commits++, target.commit(batches))
      const member = target[name]
      return typeof member === 'function' ? (member.bind(target) as unknown) : member
    },
  })
  const { runtime, host } = worldOver(counting)
  const run = await runtime.start(runtime.programs.add('net', 'sums', { topic: 'event', nodes: 100 }))
  await run.idle()
  const begun = commits
  for (let i = 0; i < count; i++) {
    await store.post(run.id, { id: `m${i}`, type: 'message', to: 'event', body: { amount: i }, at: host.now() })
    await host.advance(1)
  }
  await run.idle()
  line(`commits for ${count.toLocaleString('en-US')} events, SQLite`, String(commits - begun), 'aim 100; one event a millisecond')
  await runtime.close()
  await store.close()
}
