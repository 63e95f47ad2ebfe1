/**
 * `npm run bench`: steps per second, in memory and durable, journal bytes, and what types and logging cost, against a floor
 * and a peer in the same run. `npm run bench -- sqlite langgraph` picks. It prints and asserts nothing; the aims are those of
 * the issues.
 */
import { loadavg } from 'node:os'
import { encodeRecord, Runtime } from '../packages/reflex/src/kernel/index.ts'
import { compileWorkflow, workflowSource } from '../packages/reflex/src/kinds/workflow/model/compile.ts'
import { createEngine, createRegistry, decisionPort, workflowKind, type Workflow } from '../packages/reflex/src/kinds/workflow/index.ts'
import { allocatedBytes } from './allocation.ts'
import { cluster } from './cluster.ts'
import { clusterFairness } from './cluster-fairness.ts'
import { clusterHour } from './cluster-hour.ts'
import { clusterCapacity, clusterSimulation } from './cluster-simulation.ts'
import { clusterCosts } from './cluster/measure-costs.ts'
import { dataflow } from './dataflow.ts'
import { dot } from './dot.ts'
import { durable } from './durable.ts'
import { endless } from './endless.ts'
import { following } from './following.ts'
import { langgraph } from './langgraph.ts'
import { large } from './large.ts'
import { long } from './long.ts'
import { logging } from './logging.ts'
import { alternate, type Contestant, rate, timed, timesAsFast } from './measure.ts'
import { mining } from './mining.ts'
import { pipeline } from './pipeline.ts'
import { postgres } from './postgres.ts'
import { serving, servingMcp, servingStreams } from './serve.ts'
import { skill } from './skill.ts'
import { starting } from './start.ts'
import { tree, treeLong } from './tree.ts'
import { typing } from './types.ts'
import { vacuum } from './vacuum.ts'
import { agent, BareLoop, linear, nested } from './workflows.ts'

function engine(workflows: readonly Workflow[]): Contestant {
  const registry = createRegistry({ warn: () => undefined })
  for (const workflow of [...workflows].reverse()) registry.register(workflow)
  return {
    name: 'reflex',
    async round() {
      const own = createEngine(registry, agent)
      await own.init(workflows[0]?.id ?? '')
      return timed(() => own.run())
    },
  }
}

function bare(workflows: readonly Workflow[]): Contestant {
  const loop = new BareLoop(workflows)
  return { name: 'bare loop', round: () => timed(() => loop.run(workflows[0]?.id ?? '')) }
}

async function journalBytes(size: number): Promise<number> {
  const workflow = linear('line', size)
  const runtime = new Runtime({ kinds: [workflowKind({ load: () => workflow })], ports: { decide: decisionPort(agent) } })
  const run = await runtime.start(
    runtime.programs.add('workflow', 'line', workflowSource(workflow).source, { def: compileWorkflow(workflow) }),
  )
  await run.idle()
  return run.records.reduce((sum, record) => sum + encodeRecord(record).text.length + 2, 0)
}

function line(name: string, value: string, aim: string): void {
  process.stdout.write(`${name.padEnd(44)}${value.padStart(18)}   ${aim}\n`)
}

async function compare(name: string, workflows: readonly Workflow[], steps: number, rounds: number, aim: string): Promise<number> {
  const contestants = [engine(workflows), bare(workflows)] as const
  const [own, floor] = await alternate(contestants, steps, rounds)
  if (own === undefined || floor === undefined) return Number.NaN
  line(name, rate(own.ns), `${own.ns.toFixed(0)} ns a step; the bare loop takes ${floor.ns.toFixed(0)} ns`)
  line('  speed of the bare loop', timesAsFast(own, floor).toFixed(2), aim)
  const calls = Math.ceil(ALLOCATING_STEPS / steps)
  const [ownBytes, floorBytes] = [
    await allocatedBytes(() => contestants[0].round(), calls),
    await allocatedBytes(() => contestants[1].round(), calls),
  ]
  line('  bytes allocated a step', (ownBytes / steps).toFixed(0), `aim 700; the bare loop allocates ${(floorBytes / steps).toFixed(0)}`)
  return own.ns
}

/** The number of steps over which allocations are counted. */
const ALLOCATING_STEPS = 40_000

async function againstXstate(size: number): Promise<void> {
  const { xstateLine } = (await import(new URL('./peers/xstate.ts', import.meta.url).href)) as {
    xstateLine: (size: number) => () => Promise<void>
  }
  const peer = xstateLine(size)
  const [own, other] = await alternate([engine([linear('line', size)]), { name: 'xstate', round: () => timed(peer) }], size, 40)
  if (own === undefined || other === undefined) return
  line(`xstate 5, ${size} states in a row`, rate(other.ns), `${other.ns.toFixed(0)} ns a step`)
  line('  times as fast as xstate 5', timesAsFast(own, other).toFixed(1), 'aim 20')
}

async function memory(): Promise<void> {
  const hundred = await compare('100 nodes in a row', [linear('line', 100)], 100, 1000, '')
  await compare('1,000 nodes in a row', [linear('line', 1000)], 1000, 200, 'aim 0.75')
  const fourThousand = await compare('4,000 nodes in a row', [linear('line', 4000)], 4000, 100, '')
  line('rate at 4,000 nodes over the rate at 100', (hundred / fourThousand).toFixed(2), 'aim 0.8')
  await compare('3 deep, 10 x 10 x 10', nested(), 1110, 200, 'aim 0.5')
  await againstXstate(1000)
  const [once, twice] = [await journalBytes(1000), await journalBytes(2000)]
  line('journal bytes a step', (once / 1000).toFixed(0), 'aim 100')
  line('bytes for 2n steps over bytes for n', (twice / once).toFixed(2), 'aim at most 2.1')
}

const PARTS = {
  memory,
  types: typing,
  sqlite: durable,
  langgraph,
  logging,
  postgres,
  following,
  vacuum,
  dataflow,
  dot,
  pipeline,
  tree,
  'tree-long': treeLong,
  skill,
  long,
  endless,
  large,
  mining,
  start: starting,
  serve: serving,
  'serve-streams': servingStreams,
  'serve-mcp': servingMcp,
  cluster,
  'cluster-fairness': clusterFairness,
  'cluster-costs': clusterCosts,
  'cluster-hour': clusterHour,
  'cluster-capacity': clusterCapacity,
  'cluster-simulation': clusterSimulation,
}

const wanted = process.argv.slice(2)
for (const [name, part] of Object.entries(PARTS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  // Where others work on the same machine, figures beside each other can be compared, and figures of two parts cannot.
  line(`-- ${name}`, '', `load of the machine ${loadavg()[0]?.toFixed(1) ?? ''}`)
  await part(line)
}
