import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { encodeRecord, isList, type Rec, type Run, Runtime, type Store } from '../packages/reflex/src/kernel/index.ts'
import { compileTree } from '../packages/reflex/src/kinds/tree/compile/compile.ts'
import { Layout } from '../packages/reflex/src/kinds/tree/compile/layout.ts'
import {
  compileCondition,
  type Environment,
  parseExpression,
  runCondition,
} from '../packages/reflex/src/kinds/tree/lua/expression/index.ts'
import type { TreeSource } from '../packages/reflex/src/kinds/tree/model/source.ts'
import { treeKind } from '../packages/reflex/src/kinds/tree/tick/kind.ts'
import { HEADER } from '../packages/reflex/src/kinds/tree/tick/tree-state.ts'
import { memoryStore, openSqlite } from '../packages/reflex/src/store/index.ts'
import { type VirtualHost, virtualHost } from '../packages/reflex/src/testing/index.ts'
import { readJson } from '../packages/reflex/src/text/index.ts'
import { allocatedBytes } from './allocation.ts'
import { alternate, type Contestant, type Line, median, type Rounds, timed, timesAsFast } from './measure.ts'
import { ArrayLoop } from './trees/floor.ts'
import { addTree, hundred, large, OPTIONS, type TreeShape, VISITED } from './trees/hundred.ts'
import { savedToReloaded } from './trees/saved.ts'
import { scripts } from './trees/scripts.ts'

const TICKS = 1_000
const EVERY_MS = 50
/** Ticks of the long run. */
const LONG = 1_000_000

const KIND = treeKind(OPTIONS)

/** Ticks of a tree of 100 nodes against the trees of others and a bare loop; what they record; what a tree costs to load. */
export async function tree(line: Line): Promise<void> {
  await speed(line)
  await oneNode(line)
  await recorded(line)
  await traced(line)
  loading(line)
  await reloading(line)
  expressions(line)
  await scripts(line)
}

/** A run of so many ticks, one right after another: each is a record in memory. */
function ticking(shape: TreeShape['leaves'], ticks = TICKS): Contestant {
  const runtime = new Runtime({ kinds: [KIND] })
  const program = addTree(runtime, hundred({ leaves: shape, ticks }))
  return { name: shape, round: () => timed(async () => end(await runtime.start(program))) }
}

async function end(run: Run): Promise<void> {
  await run.idle()
  if (run.state.ended?.status !== 'done') throw new Error(`the tree has ${run.status}`)
  run.close()
}

function loop(name: string, tick: () => unknown): Contestant {
  return {
    name,
    round: () =>
      timed(async () => {
        for (let i = 0; i < TICKS; i++) tick()
      }),
  }
}

async function speed(line: Line): Promise<void> {
  const { treePeers } = (await import(new URL('./peers/trees.ts', import.meta.url).href)) as {
    treePeers: () => readonly { readonly name: string; tick(): void }[]
  }
  const floor = new ArrayLoop()
  const turns = ticking('turns')
  const contestants = [
    turns,
    ticking('fails'),
    ticking('rests'),
    loop('array loop', () => floor.tick()),
    ...treePeers().map((peer) => loop(peer.name, () => peer.tick())),
  ]
  const [own, fails, rests, bare, ...peers] = await alternate(contestants, TICKS * VISITED, 40)
  if (own === undefined || fails === undefined || rests === undefined || bare === undefined) return
  const facts = (rounds: Rounds): string => `${rounds.ns.toFixed(0)} ns a node, ${((rounds.ns * VISITED) / 1000).toFixed(1)} us a tick`
  line('100 nodes, 8 change in each tick', nodeRate(own.ns), facts(own))
  line('  4 of them fail in turn', nodeRate(fails.ns), `${facts(fails)}; each failure is kept with its reason`)
  line('  none changes, yet each tick is a record', nodeRate(rests.ns), facts(rests))
  line('  array loop that keeps statuses', nodeRate(bare.ns), facts(bare))
  for (const peer of peers) line(`  ${peer.name}`, nodeRate(peer.ns), facts(peer))
  const best = peers.reduce((one, other) => (one.ns < other.ns ? one : other))
  line('  times as fast as the better peer', timesAsFast(own, best).toFixed(2), `aim 5; ${best.name}, which records nothing`)
  line('  speed of the array loop', timesAsFast(own, bare).toFixed(3), 'aim 0.5')
  const bytes = await allocatedBytes(() => turns.round(), 20)
  line('  bytes allocated a tick', (bytes / TICKS).toFixed(0), `${(bytes / TICKS / VISITED).toFixed(1)} B a node`)
}

/** A tick of a tree of one node: what is spent on a tick apart from its nodes. */
async function oneNode(line: Line): Promise<void> {
  const runtime = new Runtime({ kinds: [KIND] })
  const root = { type: 'ticks', id: 'only', params: { count: TICKS } }
  const program = addTree(runtime, { format: 1, id: 'one', root, tick_budget: 1e9 })
  const [own] = await alternate([{ name: 'one', round: () => timed(async () => end(await runtime.start(program))) }], TICKS, 40)
  line('bare tick, a tree of one node', `${((own?.ns ?? Number.NaN) / 1000).toFixed(2)} us`, '')
}

/** Bytes of the journal for a tick of the clock. */
async function recorded(line: Line): Promise<void> {
  for (const leaves of ['turns', 'fails', 'rests'] as const) {
    const { runtime, host } = worldOver(memoryStore())
    const run = await runtime.start(addTree(runtime, hundred({ leaves, everyMs: EVERY_MS })))
    await run.idle()
    const begun = run.state.n
    for (let i = 0; i < TICKS; i++) await host.advance(EVERY_MS)
    const { records } = await runtime.history(run.id)
    const made = records.slice(-(run.state.n - begun || Number.POSITIVE_INFINITY)).map((record) => encodeRecord(record).text)
    const count = run.state.n - begun
    const bytes = count === 0 ? 0 : made.reduce((sum, text) => sum + text.length + 2, 0) / TICKS
    const changes = count === 0 ? 0 : changedItems(records.at(-1))
    const aim = leaves === 'rests' ? 'aim 0' : `aim 40 and the changes, which are ${changes} B of it`
    line(`journal a tick, ${leaves}`, `${bytes.toFixed(0)} B`, `${aim}; ${count} records for ${TICKS} ticks`)
    await runtime.close()
  }
}

/** The bytes of the items of nodes in a record: the place and the state of each node that has changed. */
function changedItems(record: Rec | undefined): number {
  const patch = record?.more?.patch
  if (!isList(patch)) return 0
  let bytes = 0
  for (let i = 0; i < patch.length; i += 2)
    if (Number(patch[i]) >= HEADER) bytes += JSON.stringify(patch[i]).length + JSON.stringify(patch[i + 1]).length + 2
  return bytes
}

let workers = 0

interface World {
  readonly runtime: Runtime
  readonly host: VirtualHost
}

function worldOver(store: Store): World {
  const host = virtualHost({ at: Date.now() })
  const worker = { id: `tree-${++workers}`, host: 'bench', pid: process.pid }
  return { runtime: new Runtime({ kinds: [KIND], store, host, worker }), host }
}

/** Milliseconds of processor time of this process: machines are shared. */
function processorTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** A tick of the clock that is stored, with one who reads every record and the statuses in it. */
async function traced(line: Line): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'reflex-bench-tree-'))
  const store = openSqlite(join(folder, 'tree.db'))
  try {
    const { runtime, host } = worldOver(store)
    const run = await runtime.start(addTree(runtime, hundred({ leaves: 'turns', everyMs: EVERY_MS })))
    let seen = 0
    run.observe((change) => (seen += JSON.stringify(change.record).length))
    for (let i = 0; i < TICKS; i++) await host.advance(EVERY_MS)
    const taken: number[] = []
    for (let round = 0; round < 20; round++) {
      const from = processorTime()
      for (let i = 0; i < TICKS / 10; i++) await host.advance(EVERY_MS)
      taken.push((processorTime() - from) / (TICKS / 10))
    }
    line('tick in SQLite, each record read', `${median(taken).toFixed(3)} ms`, `aim under 1 ms; ${seen} B were read`)
    await runtime.close()
  } finally {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Measures the load of a tree of 1,000 nodes from JSON, and a second load in a process that runs it. */
function loading(line: Line): void {
  const source = large(1_000)
  const text = JSON.stringify(source)
  const count = new Layout(compileTree(source, OPTIONS), () => undefined).nodes.length
  const load = (given: string): void => {
    const { value } = readJson(given, 'large.tree.json')
    void new Layout(compileTree(value as unknown as TreeSource, OPTIONS), () => undefined)
  }
  const first = clocked(() => load(text))
  const taken = Array.from({ length: 30 }, () => clocked(() => load(text)))
  const parse = median(Array.from({ length: 30 }, () => clocked(() => JSON.parse(text) as unknown)))
  line(`load ${count} nodes from JSON`, `${first.toFixed(1)} ms`, `the first time in a process; ${(text.length / 1000).toFixed(0)} kB`)
  line('  load them again', `${median(taken).toFixed(1)} ms`, `aim: a reload under a second; JSON.parse alone takes ${parse.toFixed(1)} ms`)
}

/** Measures the time from a save to the version at work, in a run that rests: half a second of it waits for further changes of the file. */
async function reloading(line: Line): Promise<void> {
  const taken = await savedToReloaded(Array.from({ length: 6 }, (_, i) => ({ ...large(1_000 + 9 * i), id: 'large' })))
  line(
    'saved to reloaded, 1,000 nodes',
    `${median(taken).toFixed(0)} ms`,
    `aim under 1,000 ms; slowest ${Math.max(...taken).toFixed(0)} ms`,
  )
}

function clocked(work: () => unknown): number {
  const from = performance.now()
  work()
  return performance.now() - from
}

/** A condition as data, against the same condition in JavaScript. */
function expressions(line: Line): void {
  const text = 'bb.battery > 20 and bb.mode == "auto" and not bb.stopped'
  const parsed = parseExpression(text, {})
  if (!('expression' in parsed)) throw new Error(`${text} is no expression`)
  const test = compileCondition(parsed.expression)
  const board: Readonly<Record<string, number | string | boolean>> = { battery: 70, mode: 'auto', stopped: false }
  const environment: Environment = { bb: (key) => board[key], has: (key) => key in board, ctx: () => undefined }
  const plain = (): boolean =>
    Number(environment.bb('battery')) > 20 && environment.bb('mode') === 'auto' && environment.bb('stopped') !== true
  const perCall = (work: () => unknown): number => {
    for (let i = 0; i < 20_000; i++) work()
    return median(Array.from({ length: 20 }, () => clocked(() => repeat(work, 20_000)))) / 20_000 / 1e-6
  }
  const [own, floor] = [perCall(() => runCondition(test, environment)), perCall(plain)]
  line('condition over three keys', `${own.toFixed(0)} ns`, `the same in JavaScript takes ${floor.toFixed(0)} ns`)
}

function repeat(work: () => unknown, times: number): void {
  for (let i = 0; i < times; i++) work()
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Bytes of the heap that stay after a collection. */
function keptBytes(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

/** A million ticks of the clock in SQLite: the heap that stays. */
export async function treeLong(line: Line): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'reflex-bench-tree-'))
  const store = openSqlite(join(folder, 'tree.db'))
  try {
    const { runtime, host } = worldOver(store)
    const run = await runtime.start(addTree(runtime, hundred({ leaves: 'turns', everyMs: EVERY_MS })))
    const kept: number[] = []
    const from = processorTime()
    for (let part = 0; part < 10; part++) {
      for (let i = 0; i < LONG / 10; i++) await host.advance(EVERY_MS)
      kept.push(keptBytes())
    }
    const cost = ((processorTime() - from) / LONG) * 1000
    const [first = 0, last = 0] = [kept[0], kept.at(-1)]
    const segments = (await store.segments(run.id)).length
    line(
      `tick of 100 nodes in ${segments} segments, SQLite`,
      `${cost.toFixed(0)} us`,
      `${LONG.toLocaleString('en-US')} ticks, 8 nodes change`,
    )
    const most = ((Math.max(...kept) - first) / 1024).toFixed(0)
    line('  heap kept after all of them', `${((last - first) / 1024).toFixed(0)} kB more`, `aim 0: than after a tenth; the most ${most} kB`)
    await runtime.close()
  } finally {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function nodeRate(ns: number): string {
  return `${(1e3 / ns).toFixed(2)} M nodes/s`
}
