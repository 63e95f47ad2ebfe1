import { describe, test } from 'vitest'
import { digest, type Json, type Port } from '../../src/kernel/index.ts'
import { loadWorkflow } from '../../src/kinds/workflow/file/load.ts'
import { decisionPort, workflowKind } from '../../src/kinds/workflow/index.ts'
import { type KindSubject, kindSuite } from '../../src/testing/index.ts'
import { beat } from '../kernel/probes/beat.ts'
import { net } from '../kernel/probes/net.ts'
import { driveSessions, talk } from '../kernel/probes/talk.ts'
import { runsSettings } from '../policy/settings.ts'
import { suiteKind, suitePorts } from './pipeline/engine/suite-world.ts'

const program = (name: string, source: Json) => {
  const [kind = '', id = ''] = name.split(':')
  return { kind, id, source }
}

/** A workflow that asks a person, then calls a program. */
const workflow = (name: string, callee: string) =>
  program(`workflow:${name}`, {
    id: name,
    entry: 'ask',
    nodes: {
      ask: { id: 'ask', spec: {} },
      call: { id: 'call', spec: {}, invokes: { workflowId: callee, returnMap: [{ parentKey: 'called', childKey: 'called' }] } },
    },
    edges: [{ id: 'ask-call', from: 'ask', to: 'call', event: 'CALL' }],
  })

/** A pipeline that pays, then calls a program. */
const pipeline = (name: string, callee: string) =>
  program(`pipeline:${name}`, {
    dot: `digraph ${name} { start [shape=Mdiamond] pay [type=tool, tool_command="pay"] call [type="graph.invoke", program="${callee}", result_mapping="value:called"] done [shape=Msquare] start -> pay -> call -> done }`,
  })

const tree = (calls?: string): Json => ({
  leaves: 5,
  changing: 2,
  everyMs: 50,
  ticks: 3,
  restEvery: 2,
  ...(calls === undefined ? {} : { calls }),
})
const events: readonly { readonly topic: string; readonly body: Json }[] = [
  { amount: 3 },
  { amount: 4, dispatch: true },
  { amount: 5 },
  { stop: true },
].map((body) => ({ topic: 'event', body }))

function ports(): Record<string, Port> {
  return {
    ...suitePorts(),
    tool: {
      leaves: true,
      repeat: 'keyed',
      perform: ({ args }) => ({ code: 0, stdout: digest(JSON.stringify(args)).slice(0, 8), stderr: '' }),
    },
    decide: decisionPort({
      resolve: async ({ node, validEdges, input }) => {
        if (node.id === 'ask' && input === undefined) return { type: 'suspend', reason: 'asks', ask: { text: 'on?' } }
        const [edge] = validEdges
        return edge === undefined ? { type: 'complete' } : { type: 'advance', edge: edge.id }
      },
      traits: () => ({ leaves: false, repeat: 'free' }),
    }),
  }
}

const world = {
  kinds: [beat, net, talk, workflowKind({ load: (source) => loadWorkflow(source as object) }), suiteKind()],
  settings: runsSettings(),
  ports,
  script: { answer: () => 'yes', messages: events, drive: driveSessions },
}

/** The three kinds of endless runs on one stack with a workflow and a pipeline, each as the caller of another. */
const SUBJECTS: readonly KindSubject[] = [
  {
    ...world,
    name: 'a tree over a workflow over a pipeline over a dataflow over a session',
    programs: [
      program('beat:tree', tree('workflow:order')),
      workflow('order', 'pipeline:release'),
      pipeline('release', 'net:sums'),
      program('net:sums', { topic: 'event', nodes: 10, calls: 'talk:session' }),
      program('talk:session', { programs: [] }),
    ],
  },
  {
    ...world,
    name: 'a session that runs a dataflow over a pipeline over a tree, and a workflow over a tree',
    programs: [
      program('talk:session', { programs: ['net:sums', 'workflow:order'] }),
      program('net:sums', { topic: 'event', nodes: 10, calls: 'pipeline:release' }),
      pipeline('release', 'beat:tree'),
      workflow('order', 'beat:tree'),
      program('beat:tree', tree()),
    ],
  },
]

for (const subject of SUBJECTS) {
  describe(`the kind suite: ${subject.name}`, () => {
    for (const { name, run } of kindSuite(subject)) test(name, run)
  })
}
