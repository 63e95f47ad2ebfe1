import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { rulesAgent } from '../packages/reflex/src/agents/index.ts'
import { Reflex } from '../packages/reflex/src/index.ts'
import { createEngine, createRegistry, type DecisionAgent, loadWorkflow } from '../packages/reflex/src/kinds/workflow/index.ts'
import { alternate, type Contestant, type Line, median } from './measure.ts'
import { installed } from './start.ts'

const NODES = 10_000
const FILE = 'large.workflow.json'

/** Each node writes a number by its spec; 100 keys take turns. */
function largeFile(): string {
  const names = Array.from({ length: NODES }, (_, i) => `n${i}`)
  const nodes = Object.fromEntries(names.map((id, i) => [id, { id, spec: { writes: { [`k${i % 100}`]: i } } }]))
  const edges = names.slice(1).map((to, i) => ({ id: `e${i}`, from: `n${i}`, to, event: 'NEXT' }))
  return JSON.stringify({ id: 'large', entry: 'n0', nodes, edges })
}

/** Measures time that passed, and processor time beside it: machines are shared. */
interface Measured extends Contestant {
  /** Milliseconds, round by round. */
  readonly processor: number[]
}

/** One large workflow file: durable against in memory, in one process and as whole commands; and what it takes to validate it. */
export async function large(line: Line): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'reflex-large-'))
  try {
    writeFileSync(join(folder, FILE), largeFile())
    await compare(line, 'in one process', durable(folder), inMemory(folder), 10)
    const command = await installed(folder)
    writeFileSync(join(folder, 'engine.mjs'), engineScript(dirname(dirname(command))))
    const run = ['run', FILE, '--store']
    let round = 0
    const whole = commandOf('reflex run', folder, () => [command, ...run, `whole-${round++}.db`])
    const engine = commandOf('engine', folder, () => ['engine.mjs'])
    await compare(line, 'as a command', whole, engine, 10)
    const validate = commandOf('reflex validate', folder, () => [command, 'validate', FILE])
    const [validated] = await alternate([validate], 1, 10)
    const beside = `aim 2000 of processor time; ${((validated?.ns ?? Number.NaN) / 1e6).toFixed(0)} ms passed`
    line('reflex validate, 10,000 nodes', `${counted(validate).toFixed(0)} ms`, beside)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function compare(line: Line, how: string, own: Measured, other: Measured, rounds: number): Promise<void> {
  const [ours, theirs] = await alternate([own, other], 1, rounds)
  if (ours === undefined || theirs === undefined) return
  const passed = (ns: number): string => `${(ns / 1e6).toFixed(0)} ms`
  line(`10,000 nodes ${how}, durable`, passed(ours.ns), `in memory ${passed(theirs.ns)}`)
  line('  time over that in memory', median(ours.rounds.map((ns, i) => ns / (theirs.rounds[i] ?? Number.NaN))).toFixed(2), 'aim at most 2')
  const beside = `aim at most 2; ${counted(own).toFixed(0)} and ${counted(other).toFixed(0)} ms`
  line('  processor time over that in memory', (counted(own) / counted(other)).toFixed(2), beside)
}

/** Milliseconds of processor time: the median of the rounds that count. */
function counted({ processor }: Measured): number {
  return median(processor.slice(Math.ceil(processor.length / 5)))
}

/** An operator's run: the file is read and checked, and its run stored. */
function durable(folder: string): Measured {
  let round = 0
  return inProcess('durable', async () => {
    const reflex = new Reflex({ workdir: folder, store: join(folder, `durable-${round++}.db`) })
    try {
      const { status } = await reflex.run(join(folder, FILE))
      if (status !== 'completed') throw new Error(`the run is ${status}`)
    } finally {
      await reflex.close()
    }
  })
}

const rules: DecisionAgent = { resolve: (context) => rulesAgent.resolve(context) }

/** The engine of the workflows, on the same file and with the agent that decides its nodes. */
function inMemory(folder: string): Measured {
  return inProcess('in memory', async () => {
    const registry = createRegistry({ warn: () => undefined })
    registry.register(loadWorkflow(readFileSync(join(folder, FILE), 'utf8')))
    const engine = createEngine(registry, rules)
    await engine.init('large')
    await engine.run()
    if (engine.status() !== 'completed') throw new Error(`the engine is ${engine.status()}`)
  })
}

function inProcess(name: string, work: () => Promise<void>): Measured {
  const processor: number[] = []
  return {
    name,
    processor,
    async round() {
      const [from, used] = [performance.now(), process.cpuUsage()]
      await work()
      const { user, system } = process.cpuUsage(used)
      processor.push((user + system) / 1000)
      return performance.now() - from
    },
  }
}

function engineScript(at: string): string {
  return `import { readFileSync } from 'node:fs'
import { createEngine, createRegistry, loadWorkflow } from '${at}/dist/kinds/workflow/index.js'
import { rulesAgent } from '${at}/dist/agents/index.js'
const registry = createRegistry()
registry.register(loadWorkflow(readFileSync('${FILE}', 'utf8')))
const engine = createEngine(registry, rulesAgent)
await engine.init('large')
await engine.run()
if (engine.status() !== 'completed') process.exitCode = 1
`
}

/** Notes the processor time of the whole process as the last line of its errors. */
const NOTE = `data:text/javascript,process.on('exit',()=>{const{user,system}=process.cpuUsage();process.stderr.write('\\n'+(user+system)/1000)})`

/** A whole process, with its start. Both sides keep their compiled code. */
function commandOf(name: string, cwd: string, args: () => readonly string[]): Measured {
  const processor: number[] = []
  const env = { ...process.env, NODE_COMPILE_CACHE: join(cwd, 'compiled') }
  return {
    name,
    processor,
    round() {
      const words = args()
      const from = performance.now()
      const { status, stderr } = spawnSync(process.execPath, ['--import', NOTE, ...words], {
        cwd,
        env,
        encoding: 'utf8',
        maxBuffer: 2 ** 26,
      })
      const passed = performance.now() - from
      if (status !== 0) throw new Error(`${words.join(' ')}: exit ${status}\n${stderr.slice(-2000)}`)
      processor.push(Number(stderr.slice(stderr.lastIndexOf('\n') + 1)))
      return Promise.resolve(passed)
    },
  }
}
