import { describe, test } from 'vitest'
import { kindSuite } from '../../../../src/testing/index.ts'
import { suiteKind, suitePorts } from './suite-world.ts'
import { runsSettings } from '../../../policy/settings.ts'

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

const suite = kindSuite({
  name: 'pipeline',
  kinds: [suiteKind()],
  settings: runsSettings(),
  programs: [
    { kind: 'pipeline', id: 'order', source: { dot: order } },
    { kind: 'pipeline', id: 'check', source: { dot: check } },
  ],
  args: { customer: 'ana' },
  ports: suitePorts,
  script: { answer: () => 'Yes' },
  calling: (callee) => ({
    dot: `digraph calling { start [shape=Mdiamond] call [type="graph.invoke", program="${callee}", result_mapping="value:said"] done [shape=Msquare] start -> call -> done }`,
  }),
})

describe('the kind suite on pipelines', () => {
  for (const { name, run } of suite) test(name, run)
})
