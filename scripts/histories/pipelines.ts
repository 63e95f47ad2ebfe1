import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scriptedModel } from '../../packages/reflex/src/models/index.ts'
import { answer } from './examples.ts'
import type { History, Stage } from './stage.ts'
import { approval } from './workflows.ts'

const HOUR = 60 * 60_000

/** Writes a pipeline into the folder of the stage. Returns its file. */
export function pipeline({ folder }: Stage, id: string, attributes: string, nodes: string, edges: string): string {
  const text = `digraph ${id} {
  graph [goal="keep a history"${attributes}]
  start [shape=Mdiamond]
  done [shape=Msquare]
  ${nodes}
  ${edges}
}
`
  writeFileSync(join(folder, `${id}.dot`), text)
  return `${id}.dot`
}

const constant = (key: string): string => `${key} [type=transform, transform=constant, expression="${key}", output_key=${key}]`

const READ = 'arbor://fs/read/{work}/in.txt'

const gate = (stage: Stage): string =>
  pipeline(
    stage,
    'gate',
    '',
    `ask [shape=hexagon, label="Release it?"]\n  ${constant('released')}\n  ${constant('dropped')}`,
    'start -> ask\n  ask -> released [label="Yes"]\n  ask -> dropped [label="No"]\n  released -> done\n  dropped -> done',
  )

const branches = (stage: Stage): string =>
  pipeline(
    stage,
    'branches',
    '',
    `fork [shape=component]\n  join [shape=tripleoctagon]\n  ${['one', 'two', 'three'].map(constant).join('\n  ')}`,
    'start -> fork\n  fork -> one -> join\n  fork -> two -> join\n  fork -> three -> join\n  join -> done',
  )

const thinking = (stage: Stage): string =>
  pipeline(stage, 'thinking', '', 'a [prompt="First"]\n  b [prompt="Second"]', 'start -> a -> b -> done')

const reading = (stage: Stage): string => {
  writeFileSync(join(stage.folder, 'in.txt'), 'what a file says')
  return pipeline(
    stage,
    'reading',
    '',
    'r [type=read, source=file, path="in.txt", output_key=text]\n  again [type=read, source=file, path="in.txt", output_key=more]',
    'start -> r -> again -> done',
  )
}

const CHANGES = [
  { op: 'modify_attrs', id: 'step', attrs: { expression: 'changed' } },
  { op: 'add_node', id: 'extra', attrs: { type: 'transform', transform: 'constant', expression: 'more', output_key: 'extra' } },
  { op: 'remove_edge', from: 'step', to: 'done' },
  { op: 'add_edge', from: 'step', to: 'extra' },
  { op: 'add_edge', from: 'extra', to: 'done' },
]

/** A model that gives the same reply to the same question, with its usage. */
const models = () => ({
  test: scriptedModel(({ messages }) => ({ text: `reply ${messages.length}`, usage: { input: 90, output: 10 } }), 'test'),
})

/** Runs of pipelines, and runs of theirs that a release left in the middle. */
export const pipelines: Readonly<Record<string, History>> = {
  'pipeline-gate': {
    about: 'a pipeline that asks a person at a gate and goes by the answer',
    async live(stage) {
      const run = await stage.live().run(gate(stage), { id: 'otter-4a1b' })
      await stage.host.advance(HOUR)
      await answer(run, 'Yes')
      return run.id
    },
  },
  'pipeline-open-gate': {
    about: 'a gate that nobody has answered yet',
    live: async (stage) => (await stage.live().run(gate(stage), { id: 'heron-5b2c' })).id,
    then: { after: HOUR, answers: [['q1', 'No']], status: 'completed' },
  },
  'pipeline-branches': {
    about: 'three parallel branches that are joined',
    live: async (stage) => (await stage.live().run(branches(stage), { id: 'finch-6c3d' })).id,
  },
  'pipeline-open-budget': {
    about: 'a model call that the budget of the operator does not allow yet',
    live: async (stage) =>
      (await stage.live({ models: models(), model: 'test' }).run(thinking(stage), { id: 'robin-7d4e', limits: { tokens: 100 } })).id,
    then: { after: HOUR, answers: [['q1', 'stop']], status: 'failed' },
  },
  'pipeline-raised-budget': {
    about: 'a budget that a person has raised, and two model calls',
    async live(stage) {
      const reflex = stage.live({ models: models(), model: 'test' })
      const run = await reflex.run(thinking(stage), { id: 'wren-8e5f', limits: { tokens: 100 } })
      await answer(run, 'raise')
      return run.id
    },
  },
  'pipeline-permission': {
    about: 'a permission that the operator wants to be asked about, granted once for each node',
    async live(stage) {
      const policy = [{ allow: [], deny: [], ask: [READ], file: 'policy.json' }]
      const run = await stage.live({ policy }).run(reading(stage), { id: 'crane-9f6g' })
      await answer(run, 'allow')
      await answer(run, 'allow')
      return run.id
    },
  },
  'pipeline-used-permission': {
    about: 'a permission that may be used once: the second use is refused',
    async live(stage) {
      const policy = [{ allow: [], deny: [], bounded: [{ capability: READ, maxUses: 1 }], file: 'policy.json' }]
      return (await stage.live({ policy, trust: 'untrusted' }).run(reading(stage), { id: 'egret-1g7h' })).id
    },
  },
  'pipeline-open-permission': {
    about: 'a question about a permission that nobody has answered yet',
    async live(stage) {
      const policy = [{ allow: [], deny: [], ask: [READ], file: 'policy.json' }]
      return (await stage.live({ policy }).run(reading(stage), { id: 'mole-1g7h' })).id
    },
    then: { after: HOUR, answers: [['q1', 'deny']], status: 'failed' },
  },
  'pipeline-adapted': {
    about: 'a pipeline that changes its own graph and continues with it',
    async live(stage) {
      const change = `change [type=adapt, mutations=${JSON.stringify(JSON.stringify(CHANGES))}]`
      const step = 'step [type=transform, transform=constant, expression="as written", output_key=step]'
      const file = pipeline(stage, 'adapted', '', `${change}\n  ${step}`, 'start -> change -> step -> done')
      return (await stage.live({ trust: 'autonomous' }).run(file, { id: 'tern-2h8j' })).id
    },
  },
  'pipeline-called': {
    about: 'a pipeline that calls a workflow, which asks a person',
    async live(stage) {
      approval(stage, { due: '30d', otherwise: 'NO' })
      const file = pipeline(stage, 'calls', '', 'call [type="graph.invoke", program="workflow:approval"]', 'start -> call -> done')
      const run = await stage.live().run(file, { id: 'swift-3j9k' })
      await stage.host.advance(HOUR)
      await answer(run, 'YES')
      return run.id
    },
  },
  'pipeline-open-fork': {
    about: 'a fork of a pipeline with another answer, which is not resumed yet',
    async live(stage) {
      const reflex = stage.live()
      const run = await reflex.run(gate(stage), { id: 'lark-4k1m' })
      await stage.host.advance(HOUR)
      return (await reflex.fork(run.id, { id: 'dove-5m2n', decide: 'No' })).id
    },
    then: { after: HOUR, answers: [], status: 'completed' },
  },
}
