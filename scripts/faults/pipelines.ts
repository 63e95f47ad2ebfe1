import { digest, type Port } from '../../packages/reflex/src/kernel/index.ts'
import { charterPort } from '../../packages/reflex/src/pipeline/engine/charter.ts'
import { createEngine } from '../../packages/reflex/src/pipeline/engine/engine.ts'
import { pipelineKind } from '../../packages/reflex/src/pipeline/engine/kind.ts'
import { loadPipeline } from '../../packages/reflex/src/pipeline/load.ts'
import { calledPrograms } from '../../packages/reflex/src/pipeline/refs.ts'
import type { KindSubject } from '../../packages/reflex/src/testing/index.ts'

/** Pipelines that together do what a pipeline can: go back, rest, branch, ask, call, repeat, pay. */
const PROGRAMS: Readonly<Record<string, string>> = {
  again: `start [shape=Mdiamond, context.n=0]
    n [type=transform, transform=increment, source_key=n, output_key=n]
    pay [type=tool, tool_command="pay"]
    done [shape=Msquare]
    start -> n -> pay
    pay -> n [condition="context.n<3"]
    pay -> done`,
  branches: `start [shape=Mdiamond]
    fork [shape=component, max_parallel=2]
    a [prompt="a"]
    b [type=tool, tool_command="pay"]
    c [prompt="c"]
    ask [shape=hexagon]
    yes [type=tool, tool_command="ship"]
    join [shape=tripleoctagon]
    done [shape=Msquare]
    start -> fork
    fork -> a -> join
    fork -> b -> c -> join
    fork -> ask
    ask -> yes [label="Yes"]
    ask -> join [label="No"]
    yes -> join -> done`,
  calls: `start [shape=Mdiamond]
    child [type="graph.invoke", program="pipeline:child"]
    items [type=map, items="x,y,z", item_type=tool, handler_attrs="{\\"tool_command\\":\\"pay\\"}", max_concurrency=2]
    done [shape=Msquare]
    start -> child -> items -> done`,
  child: `start [shape=Mdiamond]
    pause [type="wait.timer", duration="3s"]
    pay [type=tool, tool_command="pay"]
    done [shape=Msquare]
    start -> pause -> pay -> done`,
}

/** A world whose answers are functions of what is asked and of the key. */
const ports = (): Record<string, Port> => ({
  charter: charterPort({
    trust: () => 'trusted',
    refuses: () => undefined,
    workdir: '/work',
    folder: (run) => `/runs/${run}`,
    limits: () => ({}),
  }),
  model: {
    leaves: false,
    repeat: 'free',
    perform: ({ args }) => ({
      text: digest(JSON.stringify(args)).slice(0, 8),
      model: 'test:model',
      finish: 'stop',
      usage: { input: 1, output: 1 },
      tries: 1,
    }),
  },
  tool: {
    leaves: true,
    repeat: 'keyed',
    perform: ({ key }) => ({ code: 0, stdout: `done under ${digest(key).slice(0, 8)}`, stderr: '' }),
  },
})

export function pipelineSubjects(): readonly KindSubject[] {
  const all = Object.keys(PROGRAMS)
  return all.map((first) => ({
    name: `pipeline ${first}`,
    kinds: [pipelineKind({ load: (stored) => loadPipeline(stored), refs: calledPrograms, engine: createEngine() })],
    programs: [first, ...all.filter((id) => id !== first)].map((id) => ({
      kind: 'pipeline',
      id,
      source: { dot: `digraph ${id} { ${PROGRAMS[id]} }` },
    })),
    times: ['began', 'since', 'at', 'duration_ms'],
    ports,
    script: { answer: () => 'Yes' },
  }))
}
