import { fixedSettings, type Program, Runtime } from '../packages/reflex/src/kernel/index.ts'
import { createEngine } from '../packages/reflex/src/kinds/pipeline/operations/make-engine.ts'
import { pipelineKind } from '../packages/reflex/src/kinds/pipeline/face/kind.ts'
import { loadPipeline } from '../packages/reflex/src/kinds/pipeline/face/read-pipeline.ts'
import { compileWorkflow, workflowSource } from '../packages/reflex/src/kinds/workflow/model/compile.ts'
import { decisionPort, workflowKind } from '../packages/reflex/src/kinds/workflow/index.ts'
import { alternate, type Contestant, type Line, rate, timed, timesAsFast } from './measure.ts'
import { agent, linear } from './workflows.ts'

const NODES = 200
const BRANCHES = 100

/** Nodes in a row that each write one constant. */
function row(size: number): string {
  const names = Array.from({ length: size }, (_, i) => `n${i}`)
  const nodes = names.map((name) => `${name} [type=transform, transform=constant, expression="${name}", output_key="value"]`)
  return `digraph row { start [shape=Mdiamond]\n${nodes.join('\n')}\ndone [shape=Msquare]\nstart -> ${names.join(' -> ')} -> done }`
}

/** Branches side by side, all at once, and where they join. */
function block(size: number): string {
  const branches = Array.from(
    { length: size },
    (_, i) => `b${i} [type=transform, transform=constant, expression="${i}"]\nfork -> b${i} -> join`,
  )
  return `digraph block { start [shape=Mdiamond]\nfork [shape=component, max_parallel=${size}]\njoin [shape=tripleoctagon]
    ${branches.join('\n')}\ndone [shape=Msquare]\nstart -> fork\njoin -> done }`
}

const SETTINGS = { actor: 'the bench', simulated: false, trust: 'trusted', workdir: '/work', folder: '/runs/bench' } as const

function pipelines(dot: string, name: string): Contestant {
  const runtime = new Runtime({
    kinds: [pipelineKind({ load: (source) => loadPipeline(source), engine: createEngine() })],
    settings: fixedSettings(() => SETTINGS),
  })
  return contestant(name, runtime, runtime.programs.add('pipeline', name, { dot }, {}))
}

function workflows(size: number): Contestant {
  const workflow = linear('line', size)
  const runtime = new Runtime({ kinds: [workflowKind({ load: () => workflow })], ports: { decide: decisionPort(agent) } })
  const { source } = workflowSource(workflow)
  return contestant('workflow', runtime, runtime.programs.add('workflow', 'line', source, { def: compileWorkflow(workflow) }))
}

function contestant(name: string, runtime: Runtime, program: Program): Contestant {
  return {
    name,
    round: () =>
      timed(async () => {
        const run = await runtime.start(program)
        await run.idle()
        if (run.state.ended?.status !== 'done') throw new Error(`${name} has ${run.status}`)
        run.close()
      }),
  }
}

/** What a node of a pipeline costs where nothing is done, with its chain of middleware, and a block of branches. */
export async function pipeline(line: Line): Promise<void> {
  const { langgraphLine, langgraphBranches } = (await import(new URL('./peers/langgraph-memory.ts', import.meta.url).href)) as {
    langgraphLine: (size: number) => () => Promise<void>
    langgraphBranches: (size: number) => () => Promise<void>
  }
  const peer = (name: string, work: () => Promise<void>): Contestant => ({ name, round: () => timed(work) })
  const [own, kind, other] = await alternate(
    [pipelines(row(NODES), 'row'), workflows(NODES), peer('langgraph', langgraphLine(NODES))],
    NODES,
    60,
  )
  if (own !== undefined && kind !== undefined && other !== undefined) {
    line(`pipeline, ${NODES} instant nodes in a row`, rate(own.ns), `${(own.ns / 1000).toFixed(1)} us a node, seven middleware around it`)
    line('  workflow kind', rate(kind.ns), `${(kind.ns / 1000).toFixed(1)} us a node`)
    line('  LangGraph.js in memory', rate(other.ns), `${(other.ns / 1000).toFixed(1)} us a node`)
    line('  times as fast as LangGraph.js', timesAsFast(own, other).toFixed(1), '')
  }
  const [branches, peers] = await alternate(
    [pipelines(block(BRANCHES), 'block'), peer('langgraph', langgraphBranches(BRANCHES))],
    BRANCHES,
    40,
  )
  if (branches === undefined || peers === undefined) return
  line(`pipeline, ${BRANCHES} parallel branches`, rate(branches.ns), `${(branches.ns / 1000).toFixed(1)} us a branch`)
  line('  LangGraph.js', rate(peers.ns), `${(peers.ns / 1000).toFixed(1)} us a branch`)
  line('  times as fast as LangGraph.js', timesAsFast(branches, peers).toFixed(1), '')
}
