import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Program, Runtime, type Store } from '../packages/reflex/src/kernel/index.ts'
import { openSqlite } from '../packages/reflex/src/store/index.ts'
import { decisionPort, type RunnableAgent, type Workflow, workflowKind } from '../packages/reflex/src/kinds/workflow/index.ts'
import { compileWorkflow, workflowSource } from '../packages/reflex/src/kinds/workflow/model/compile.ts'
import { alternate, type Line, median, perSecond, timed, timesAsFast } from './measure.ts'
import { linear } from './workflows.ts'

interface Peer {
  line(size: number, durability: 'sync' | 'async'): () => Promise<void>
  growing(steps: number, entry: string): () => Promise<void>
  close(): void
}

const NODES = 100
const ENTRY = 'some text as an agent writes it'

/** Goes on by the first edge, so many times, and writes one value each time. What it does leaves, so every step waits for the store. */
function agentOf(steps: number, key: string, value: (step: number) => string | number, leaves: boolean): RunnableAgent {
  let step = 0
  return {
    traits: () => ({ leaves, repeat: leaves ? 'ask' : 'free' }),
    async resolve({ validEdges: [edge] }) {
      step = (step % steps) + 1
      const writes = [{ key, value: value(step) }]
      return edge === undefined || step === steps ? { type: 'complete', writes } : { type: 'advance', edge: edge.id, writes }
    },
  }
}

let workers = 0

/** One process that runs a workflow again and again. */
class Running {
  readonly #runtime: Runtime
  readonly #program: Program

  constructor(store: Store, workflow: Workflow, agent: RunnableAgent) {
    const worker = { id: `bench-row-${++workers}`, host: 'bench', pid: process.pid }
    const [kinds, ports] = [[workflowKind({ load: () => workflow })], { decide: decisionPort(agent) }]
    this.#runtime = new Runtime({ kinds, ports, store, worker })
    this.#program = this.#runtime.programs.add('workflow', workflow.id, workflowSource(workflow).source, { def: compileWorkflow(workflow) })
  }

  /** One run, until it is at rest and durable. */
  async once(): Promise<void> {
    await (await this.#runtime.start(this.#program)).idle()
  }

  /** The store stays open. */
  close(): Promise<void> {
    return this.#runtime.close()
  }
}

/** One run of the same nodes in a row, with the same small value, in SQLite files with the same settings. */
async function inARow(line: Line, folder: string, open: (file: string) => Peer): Promise<void> {
  const [store, peer] = [openSqlite(join(folder, 'row.db')), open(join(folder, 'row-peer.db'))]
  try {
    const workflow = linear('row', NODES)
    const own = (leaves: boolean) => {
      const running = new Running(
        store,
        workflow,
        agentOf(NODES, 'value', (step) => step, leaves),
      )
      return { name: 'reflex', round: () => timed(() => running.once()), close: () => running.close() }
    }
    const theirs = (durability: 'sync' | 'async') => {
      const invoke = peer.line(NODES, durability)
      return { name: durability, round: () => timed(invoke) }
    }
    const ours = [own(true), own(false)]
    const [leaving, pure, sync, async] = await alternate([...ours, theirs('sync'), theirs('async')], NODES, 15)
    for (const { close } of ours) await close()
    if (leaving === undefined || pure === undefined || sync === undefined || async === undefined) return
    line(`${NODES} nodes in a row, an effect each node`, perSecond(leaving.ns), `LangGraph.js: ${perSecond(sync.ns)}`)
    line('  times as fast as LangGraph.js, sync', timesAsFast(leaving, sync).toFixed(1), 'aim 8')
    line('  and as its default, async', timesAsFast(leaving, async).toFixed(1), `LangGraph.js: ${perSecond(async.ns)}`)
    line('  where nothing leaves, as async', timesAsFast(pure, async).toFixed(1), perSecond(pure.ns))
  } finally {
    await store.close()
    peer.close()
  }
}

/** What one run took, and the file that it left. */
interface Grown {
  readonly ms: number
  readonly bytes: number
}

/** One run in a file of its own. */
async function grow(file: string, open: () => { readonly work: () => Promise<void>; readonly close: () => unknown }): Promise<Grown> {
  const { work, close } = open()
  const ms = await timed(work)
  // The log goes into the file.
  await close()
  const { size: bytes } = statSync(file)
  rmSync(file)
  return { ms, bytes }
}

/** A value that grows by one entry a step: here each entry is a write, there the whole value is in every checkpoint. */
async function growing(line: Line, folder: string, open: (file: string) => Peer): Promise<void> {
  const round: Workflow = {
    id: 'round',
    entry: 'add',
    nodes: { add: { id: 'add', spec: {} } },
    edges: [{ id: 'again', from: 'add', to: 'add', event: 'NEXT' }],
  }
  const [file, theirs] = [join(folder, 'grow.db'), join(folder, 'grow-peer.db')]
  const ours = (steps: number) =>
    grow(file, () => {
      const store = openSqlite(file)
      const running = new Running(
        store,
        round,
        agentOf(steps, 'entries', () => ENTRY, true),
      )
      return { work: () => running.once(), close: () => running.close().then(() => store.close()) }
    })
  const peers = (steps: number) =>
    grow(theirs, () => {
      const peer = open(theirs)
      return { work: peer.growing(steps, ENTRY), close: () => peer.close() }
    })
  const rounds: { readonly own: readonly Grown[]; readonly peer: readonly Grown[] }[] = []
  for (let i = 0; i < 3; i++) rounds.push({ own: [await ours(1000), await ours(2000)], peer: [await peers(1000), await peers(2000)] })
  for (const [who, name] of [
    ['own', 'Reflex'],
    ['peer', 'LangGraph.js'],
  ] as const) {
    const figure = (at: number, what: keyof Grown) => median(rounds.map((taken) => taken[who][at]?.[what] ?? Number.NaN))
    const times = (what: keyof Grown) =>
      median(rounds.map((taken) => (taken[who][1]?.[what] ?? Number.NaN) / (taken[who][0]?.[what] ?? Number.NaN))).toFixed(2)
    const [once, twice] = [figure(0, 'bytes'), figure(1, 'bytes')].map((bytes) => `${(bytes / 1e6).toFixed(2)} MB`)
    const aim = who === 'own' ? 'aim about 2: linear' : '4 is quadratic'
    line(`a list that grows, 2,000 steps, ${name}`, twice ?? '', `1,000 steps: ${once ?? ''}`)
    line('  bytes for 2n steps over bytes for n', times('bytes'), aim)
    line('  time for 2n steps over time for n', times('ms'), `${(figure(1, 'ms') / 1000).toFixed(2)} s for 2,000`)
  }
}

/** Beside LangGraph.js with its SQLite saver. */
export async function langgraph(line: Line): Promise<void> {
  let open: (file: string) => Peer
  try {
    const { LangGraph } = (await import(new URL('./peers/langgraph.ts', import.meta.url).href)) as { LangGraph: new (file: string) => Peer }
    open = (file) => new LangGraph(file)
  } catch (thrown) {
    return line('LangGraph.js', 'skipped', String(thrown).split('\n', 1)[0] ?? '')
  }
  const folder = mkdtempSync(join(tmpdir(), 'reflex-bench-langgraph-'))
  try {
    await inARow(line, folder, open)
    await growing(line, folder, open)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
