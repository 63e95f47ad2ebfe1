import type { KindSubject } from '../../packages/reflex/src/testing/index.ts'
import { suiteKind, suitePorts } from '../../packages/reflex/test/kinds/pipeline/engine/suite-world.ts'

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

export function pipelineSubjects(): readonly KindSubject[] {
  const all = Object.keys(PROGRAMS)
  return all.map((first) => ({
    name: `pipeline ${first}`,
    kinds: [suiteKind()],
    programs: [first, ...all.filter((id) => id !== first)].map((id) => ({
      kind: 'pipeline',
      id,
      source: { dot: `digraph ${id} { ${PROGRAMS[id]} }` },
    })),
    times: ['began', 'since', 'at', 'duration_ms'],
    ports: suitePorts,
    script: { answer: () => 'Yes' },
  }))
}
