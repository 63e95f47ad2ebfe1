import { compilePass, type PassMode } from '../packages/reflex/src/kinds/dataflow/pass/compile-pass.ts'
import { type Compute, interpreterOf, straightLineOf } from './dataflow/floors.ts'
import { compiled, KEYS, layered, type LayeredNode, parted, payloads } from './dataflow/layered.ts'
import { eventFile } from './dataflow/event-file.ts'
import { liveEvents } from './dataflow/live-events.ts'
import { alternate, type Contestant, type Line, type Rounds, timesAsFast } from './measure.ts'

/** The events of a round, and the rounds. */
const EVENTS = 200
const ROUNDS = 60
/** The nodes of a graph of which an event changes little, and of each of its parts. */
const PARTED = 50_000
const PART = 1_000
const SIZES = [100, 1_000, 10_000, 100_000]

/**
 * Events through graphs: passes against signals, observables, an interpreter and straight-line code; growth with the number of nodes; a file of
 * a million events from end to end, or of `--events N`; live events; replay.
 */
export async function dataflow(line: Line): Promise<void> {
  await passes(line)
  await oneChange(line)
  await growth(line)
  await fewChanges(line)
  await liveEvents(line)
  await eventFile(line, eventsWanted())
}

function eventsWanted(): number {
  const at = process.argv.indexOf('--events')
  return at < 0 ? 1_000_000 : Number(process.argv[at + 1])
}

type Payload = Readonly<Record<string, number>>

/** Returns the pass of a graph, as an event of a run calls it. */
function passOf(nodes: readonly LayeredNode[], mode?: PassMode): Compute {
  const pass = compilePass(compiled(nodes).graph, mode === undefined ? {} : { mode })
  return (payload) => {
    const result = pass.run({ value: (key) => payload[key] })
    if ('error' in result) throw result.error.fault
    return Number(result.outputs['last'])
  }
}

/** Milliseconds of processor time of this process: machines are shared. */
function processorTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Runs the same events in each round. `expected`: the sum of what they give, so that all contestants are known to compute the same. */
function contestant(name: string, compute: Compute, events: readonly Payload[], expected: number): Contestant {
  return {
    name,
    async round() {
      const from = processorTime()
      let sum = 0
      for (let i = 0; i < events.length; i++) sum += compute(events[i] as Payload)
      const taken = processorTime() - from
      if (sum !== expected) throw new Error(`${name} computes ${sum} in place of ${expected}`)
      return taken
    },
  }
}

type Makers = Readonly<Record<string, (nodes: readonly LayeredNode[]) => Compute>>

async function compete(nodes: readonly LayeredNode[], makers: Makers, events: readonly Payload[], rounds = ROUNDS): Promise<Rounds[]> {
  const reference = interpreterOf(nodes)
  const expected = events.reduce((sum, payload) => sum + reference(payload), 0)
  const contestants = Object.entries(makers).map(([name, make]) => contestant(name, make(nodes), events, expected))
  return alternate(contestants, events.length, rounds)
}

async function peers(): Promise<Makers> {
  const { observablesOf, signalsOf } = (await import(new URL('./peers/dataflow.ts', import.meta.url).href)) as {
    observablesOf: (nodes: readonly LayeredNode[]) => Compute
    signalsOf: (nodes: readonly LayeredNode[]) => Compute
  }
  return { '@preact/signals-core': signalsOf, rxjs: observablesOf }
}

const AIMS: Readonly<Record<string, string>> = {
  '@preact/signals-core': 'aim 10 times',
  rxjs: 'aim 10 times',
  interpreter: 'aim 0.9 times',
  'straight-line function': 'aim 0.5 times',
}

async function passes(line: Line): Promise<void> {
  const others = { ...(await peers()), interpreter: interpreterOf, 'straight-line function': straightLineOf }
  const [own, ...rest] = await compete(layered(1_000), { reflex: passOf, ...others }, payloads(EVENTS))
  if (own === undefined) return
  line('1,000 nodes, each event changes all keys', eventRate(own.ns), `${(own.ns / 1000).toFixed(2)} us an event`)
  for (const other of rest) {
    const aim = `${AIMS[other.name] ?? ''}; it takes ${(other.ns / 1000).toFixed(2)} us`
    line(`  as fast as ${other.name}`, `${timesAsFast(own, other).toFixed(2)} times`, aim)
  }
}

/** The case that suits signals best: one key of ten changes. */
async function oneChange(line: Line): Promise<void> {
  const [first = {}] = payloads(1)
  const events = payloads(EVENTS).map((payload, i) => ({ ...first, [`k${i % KEYS}`]: payload[`k${i % KEYS}`] ?? 0 }))
  const { '@preact/signals-core': signals } = await peers()
  const [own, other] = await compete(layered(1_000), { reflex: passOf, signals: signals ?? passOf }, events)
  if (own === undefined || other === undefined) return
  line('  as fast as signals, two keys of ten change', `${timesAsFast(own, other).toFixed(2)} times`, `${(own.ns / 1000).toFixed(2)} us`)
}

async function growth(line: Line): Promise<void> {
  const perNode: number[] = []
  for (const size of SIZES) {
    const nodes = layered(size)
    const from = processorTime()
    compiled(nodes)
    const load = processorTime() - from
    const events = payloads(Math.max(8, 200_000 / size))
    const [own, grouped, interpreter] = await compete(
      nodes,
      { reflex: passOf, grouped: (of) => passOf(of, 'grouped'), interpreter: interpreterOf },
      events,
    )
    if (own === undefined || grouped === undefined || interpreter === undefined) return
    perNode.push(own.ns / size)
    line(
      `pass of ${size.toLocaleString('en-US')} nodes`,
      `${(own.ns / size).toFixed(1)} ns a node`,
      `grouped ${(grouped.ns / size).toFixed(1)}, interpreter ${(interpreter.ns / size).toFixed(1)}; compiled in ${load.toFixed(0)} ms`,
    )
  }
  line('  time a node at 100,000 over that at 100', ((perNode.at(-1) ?? 0) / (perNode[0] ?? 1)).toFixed(2), '')
}

/** A large graph of which each event changes little: what has not changed is not computed again. Each event changes a key, and takes back what the one before has changed. */
async function fewChanges(line: Line): Promise<void> {
  const nodes = parted(PARTED, PART)
  const keys = nodes.flatMap(({ op }, i) => (op === 'key' ? [`k${i}`] : []))
  const first = Object.fromEntries(keys.map((key, i) => [key, i % 7]))
  const events = Array.from({ length: 20 }, (_, i): Payload => ({ ...first, [keys[(i * 97) % keys.length] ?? '']: i }))
  const makers: Makers = { skipping: passOf, grouped: (of) => passOf(of, 'grouped') }
  const reference = passOf(nodes, 'checked')
  const expected = events.reduce((sum, payload) => sum + reference(payload), 0)
  const contestants = Object.entries(makers).map(([name, make]) => contestant(name, make(nodes), events, expected))
  const [own, grouped] = await alternate(contestants, events.length, 30)
  if (own === undefined || grouped === undefined) return
  const name = `${PARTED.toLocaleString('en-US')} nodes in parts, an event changes two`
  line(name, `${(own.ns / 1000).toFixed(0)} us`, `${(grouped.ns / 1000).toFixed(0)} us where every node is computed`)
}

function eventRate(ns: number): string {
  const perSecond = 1e9 / ns
  return perSecond >= 1e6 ? `${(perSecond / 1e6).toFixed(2)} M events/s` : `${(perSecond / 1e3).toFixed(0)} k events/s`
}
