import { describe, test } from 'vitest'
import { createEngine } from '../../../../src/kinds/pipeline/operations/make-engine.ts'
import { pipelineKind } from '../../../../src/kinds/pipeline/face/kind.ts'
import { quoted } from '../../../../src/kinds/pipeline/dot/literal.ts'
import { loadPipeline } from '../../../../src/kinds/pipeline/face/read-pipeline.ts'
import { outsidePort } from '../../../../src/kinds/pipeline/engine/outside-label.ts'
import { TRUSTED } from '../../../../src/policy/label.ts'
import { calledPrograms } from '../../../../src/kinds/pipeline/face/called-programs.ts'
import { kindSuite } from '../../../../src/testing/index.ts'
import { rightsPolicy } from '../../../policy/rights.ts'
import { runsSettings } from '../../../policy/settings.ts'

const ops = [
  { op: 'add_node', id: 'pause', attrs: { type: 'wait.timer', duration: '5s' } },
  {
    op: 'add_node',
    id: 'boss',
    attrs: { type: 'stack.manager_loop', 'manager.actions': 'observe,steer,wait', 'manager.poll_interval': '4s', prompt: 'hurry' },
  },
  { op: 'remove_edge', from: 'change', to: 'step' },
  { op: 'add_edge', from: 'change', to: 'pause' },
  { op: 'add_edge', from: 'pause', to: 'boss' },
  { op: 'add_edge', from: 'boss', to: 'step' },
]

/** Changes itself, then watches over another pipeline that does so too. */
const grows = `digraph grows {
  "stack.child_dotfile"="child"
  start [shape=Mdiamond]
  change [type=adapt, mutations=${quoted(JSON.stringify(ops))}]
  step [type=transform, transform=constant, expression="x", output_key=step]
  done [shape=Msquare]
  start -> change -> step -> done
}`

const child = `digraph child {
  start [shape=Mdiamond]
  look [type="wait.timer", duration="6s"]
  change [type=adapt, mutations=${quoted(JSON.stringify([{ op: 'modify_attrs', id: 'say', attrs: { expression: 'better' } }]))}]
  say [type=transform, transform=constant, expression="good", output_key="verdict"]
  done [shape=Msquare]
  start -> look -> change -> say -> done
}`

const suite = kindSuite({
  name: 'a pipeline that changes itself',
  kinds: [pipelineKind({ load: (source) => loadPipeline(source), calls: calledPrograms, engine: createEngine() })],
  settings: runsSettings(),
  programs: [
    { kind: 'pipeline', id: 'grows', source: { dot: grows } },
    { kind: 'pipeline', id: 'child', source: { dot: child } },
  ],
  policy: () => rightsPolicy({ trust: 'autonomous' }),
  ports: () => ({
    outside: outsidePort(() => Promise.resolve(TRUSTED)),
    tool: { leaves: true, repeat: 'keyed', perform: () => ({ path: 'steer.md', bytes: 6, lines: 1 }) },
  }),
})

describe('the kind suite on changed pipelines', () => {
  for (const { name, run } of suite) test(name, run)
})
