import { describe, test } from 'vitest'
import { digest, isObject, type Port } from '../../../../src/kernel/index.ts'
import { createEngine } from '../../../../src/kinds/pipeline/operations/make-engine.ts'
import { pipelineKind } from '../../../../src/kinds/pipeline/face/kind.ts'
import { loadPipeline } from '../../../../src/kinds/pipeline/face/read-pipeline.ts'
import { outsidePort } from '../../../../src/kinds/pipeline/engine/outside-label.ts'
import { TRUSTED } from '../../../../src/policy/label.ts'
import { calledPrograms } from '../../../../src/kinds/pipeline/face/called-programs.ts'
import { kindSuite } from '../../../../src/testing/index.ts'
import { runsSettings } from '../../../policy/settings.ts'

/** Two nodes of one conversation, the first with tools, hooks and several calls in a turn; then a branch of it. */
const talk = `digraph talk {
  goal = "find out"
  default_fidelity = full
  thread_id = t
  start [shape=Mdiamond]
  look [prompt="look at $customer", use_tools=true, tools="find,count", "tool_hooks.pre"="check", "tool_hooks.post"="log"]
  fork [shape=component]
  left [prompt="left"]
  right [prompt="right", fidelity=compact]
  join [shape=tripleoctagon]
  tell [prompt="tell"]
  done [shape=Msquare]
  start -> look -> fork
  fork -> left -> join
  fork -> right -> join
  join -> tell -> done
}`

/** A model that calls tools twice and then answers, by what it was sent alone. */
const ports = (): Record<string, Port> => ({
  outside: outsidePort(() => Promise.resolve(TRUSTED)),
  offers: {
    leaves: false,
    repeat: 'free',
    perform: () => ({
      offers: ['find', 'count'].map((name) => ({ tool: name, name, description: name, schema: {} })),
      unknown: [],
      withheld: [],
    }),
  },
  model: {
    leaves: false,
    repeat: 'free',
    perform({ args }) {
      const { messages = [], tools } = isObject(args) ? args : {}
      const results = Array.isArray(messages) ? messages.filter((message) => isObject(message) && message['role'] === 'tool').length : 0
      const calls = [0, 1].map((i) => ({ id: `c${results + i}`, name: i === 0 ? 'find' : 'count', args: { n: results + i } }))
      const more =
        tools !== undefined && results < 4
          ? { calls, finish: 'tools', text: '' }
          : { finish: 'stop', text: digest(JSON.stringify(args)).slice(0, 8) }
      return { model: 'test:model', usage: { input: 3, output: 4 }, tries: 1, ...more }
    },
  },
  tool: {
    leaves: true,
    repeat: 'keyed',
    perform: ({ key, args }) =>
      isObject(args) && args['tool'] === 'shell' ? { code: 0, stdout: '', stderr: '' } : { found: digest(key).slice(0, 8) },
  },
})

const suite = kindSuite({
  name: 'a conversation with tools',
  kinds: [pipelineKind({ load: (source) => loadPipeline(source), calls: calledPrograms, engine: createEngine() })],
  settings: runsSettings(),
  programs: [{ kind: 'pipeline', id: 'talk', source: { dot: talk } }],
  args: { customer: 'ana' },
  ports,
})

describe('the kind suite on conversations', () => {
  for (const { name, run } of suite) test(name, run)
})
