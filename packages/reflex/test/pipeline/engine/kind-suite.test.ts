import { describe, test } from 'vitest'
import { digest, type Port } from '../../../src/kernel/index.ts'
import { charterPort } from '../../../src/pipeline/engine/charter.ts'
import { createEngine } from '../../../src/pipeline/engine/engine.ts'
import { pipelineKind } from '../../../src/pipeline/engine/kind.ts'
import { loadPipeline } from '../../../src/pipeline/load.ts'
import { calledPrograms } from '../../../src/pipeline/refs.ts'
import { kindSuite } from '../../../src/testing/index.ts'

const order = `digraph order {
  goal = "pay what is owed"
  start [shape=Mdiamond, context.rounds=0]
  round [type=transform, transform=increment, source_key="rounds", output_key="rounds"]
  think [prompt="round $rounds of $customer", max_retries=1]
  fork [shape=component, max_parallel=2]
  left [prompt="left"]
  right [type="wait.human", question="right?"]
  yes [type=branch]
  no [type=branch]
  join [shape=tripleoctagon]
  check [type="graph.invoke", program="pipeline:check", pass_context="customer", result_mapping="verdict:verdict"]
  items [type=map, items="a,b,c", item_type=codergen, max_concurrency=2]
  pay [type=tool, tool_command="pay"]
  done [shape=Msquare]
  start -> round -> think
  think -> round [condition="context.rounds<2"]
  think -> fork
  fork -> left -> join
  fork -> right
  right -> yes [label="Yes"]
  right -> no [label="No"]
  yes -> join
  no -> join
  join -> check -> items -> pay -> done
}`

const check = `digraph check {
  start [shape=Mdiamond]
  look [prompt="look at $customer"]
  pause [type="wait.timer", duration="5s"]
  say [type=transform, transform=constant, expression="fine", output_key="verdict"]
  done [shape=Msquare]
  start -> look -> pause -> say -> done
}`

/** A world whose answers are functions of what it is asked and of the key. */
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
      usage: { input: 3, output: 4 },
      tries: 1,
    }),
  },
  tool: {
    leaves: true,
    repeat: 'keyed',
    perform: ({ key }) => ({ code: 0, stdout: `paid under ${digest(key).slice(0, 8)}`, stderr: '' }),
  },
})

const suite = kindSuite({
  name: 'pipeline',
  kinds: [pipelineKind({ load: (source) => loadPipeline(source), refs: calledPrograms, engine: createEngine() })],
  programs: [
    { kind: 'pipeline', id: 'order', source: { dot: order } },
    { kind: 'pipeline', id: 'check', source: { dot: check } },
  ],
  args: { customer: 'ana' },
  ports,
  script: { answer: () => 'Yes' },
  calling: (callee) => ({
    dot: `digraph calling { start [shape=Mdiamond] call [type="graph.invoke", program="${callee}", result_mapping="value:said"] done [shape=Msquare] start -> call -> done }`,
  }),
})

describe('the kind suite on pipelines', () => {
  for (const { name, run } of suite) test(name, run)
})
