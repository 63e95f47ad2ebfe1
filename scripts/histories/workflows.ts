import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DecisionContext } from '../../packages/reflex/src/kinds/workflow/index.ts'
import { answer } from './examples.ts'
import type { History, Stage } from './stage.ts'

const HOUR = 60 * 60_000

type Edge = readonly [from: string, event: string, to: string, guard?: object]

/** Writes a workflow into the stage's folder; gives its file. */
export function program(
  { folder }: Stage,
  id: string,
  nodes: Readonly<Record<string, object>>,
  edges: readonly Edge[],
  board?: object,
): string {
  const source = {
    id,
    entry: Object.keys(nodes)[0],
    ...(board === undefined ? {} : { board }),
    nodes: Object.fromEntries(
      Object.entries(nodes).map(([name, node]) => [name, { id: name, ...('invokes' in node ? { spec: {}, ...node } : { spec: node }) }]),
    ),
    edges: edges.map(([from, event, to, guard], i) => ({ id: `e${i}`, from, to, event, ...(guard === undefined ? {} : { guard }) })),
  }
  writeFileSync(join(folder, `${id}.workflow.json`), JSON.stringify(source, null, 2))
  return `${id}.workflow.json`
}

const ASK = { ask: 'May it be?', options: [{ event: 'YES' }, { event: 'NO' }] }

/** Asks once, then writes what was said. */
export function approval(stage: Stage, more: object = {}): string {
  const nodes = { ask: { ...ASK, ...more }, yes: { writes: { said: 'yes' } }, no: { writes: { said: 'no' } } }
  return program(stage, 'approval', nodes, [
    ['ask', 'YES', 'yes'],
    ['ask', 'NO', 'no'],
  ])
}

/** Three nodes in a row, each of which writes which it is. */
export function steps(stage: Stage): string {
  const nodes = { first: { writes: { said: 'first' } }, second: { writes: { said: 'second' } }, third: { writes: { said: 'third' } } }
  return program(stage, 'steps', nodes, [
    ['first', 'NEXT', 'second'],
    ['second', 'NEXT', 'third'],
  ])
}

export const workflows: Readonly<Record<string, History>> = {
  'answer-reason': {
    about: 'an answer with its reason',
    async live(stage) {
      const run = await stage.live().run(approval(stage), { id: 'swift-4k5l' })
      await answer(run, 'YES', 'the tests pass')
      return run.id
    },
  },
  'typed-board': {
    about: 'keys with schemas, an input map, a return map, a guard in CEL',
    async live(stage) {
      const odd = { type: 'cel', expr: 'sum > 50' }
      program(
        stage,
        'score',
        {
          look: { rules: [{ when: { type: 'above', key: 'sum', value: 50 }, go: 'ODD' }, { go: 'FINE' }] },
          odd: { writes: { result: 'odd' } },
          fine: { writes: { result: 'fine' } },
        },
        [
          ['look', 'ODD', 'odd', odd],
          ['look', 'FINE', 'fine'],
        ],
        { sum: { type: 'number', minimum: 0 }, who: { type: 'string' }, result: { enum: ['odd', 'fine'] } },
      )
      const invokes = {
        workflowId: 'score',
        inputMap: [
          { from: 'amount', to: 'sum' },
          { from: 'customer', to: 'who' },
        ],
        returnMap: [{ parentKey: 'verdict', childKey: 'result' }],
      }
      const file = program(
        stage,
        'typed',
        {
          read: { writes: { amount: 84, customer: 'Zoë' } },
          check: { invokes },
          tell: { template: { note: '{{customer}}: {{verdict}}' } },
        },
        [
          ['read', 'NEXT', 'check'],
          ['check', 'NEXT', 'tell'],
        ],
        { amount: { type: 'number' }, customer: { type: 'string' }, verdict: { enum: ['odd', 'fine'] }, note: { type: 'string' } },
      )
      return (await stage.live().run(file, { id: 'finch-3c4d' })).id
    },
  },
  retried: {
    about: 'a decision that failed, was asked about, and was tried again',
    async live(stage) {
      const read = { tool: 'json.read', args: { path: 'data.json' }, writes: 'data' }
      const file = program(stage, 'reads', { read, end: { writes: { read: true } } }, [['read', 'NEXT', 'end']])
      const run = await stage.live().run(file, { id: 'crane-5e6f' })
      await stage.host.advance(HOUR)
      writeFileSync(join(stage.folder, 'data.json'), '{"answer": 42}')
      await answer(run, null)
      return run.id
    },
  },
  deadline: {
    about: 'a question whose time ran out',
    async live(stage) {
      const run = await stage.live().run(approval(stage, { due: '2h', otherwise: 'NO' }), { id: 'robin-7g8h' })
      await stage.host.advance(2 * HOUR)
      await run.idle()
      return run.id
    },
  },
  cancelled: {
    about: 'a run that was cancelled two calls deep',
    async live(stage) {
      approval(stage)
      program(stage, 'middle', { call: { invokes: { workflowId: 'approval', returnMap: [] } } }, [])
      const file = program(
        stage,
        'outer',
        { begin: { writes: { begun: true } }, call: { invokes: { workflowId: 'middle', returnMap: [] } } },
        [['begin', 'NEXT', 'call']],
      )
      const run = await stage.live().run(file, { id: 'egret-9j1k' })
      await stage.host.advance(HOUR)
      await run.run.cancel('not needed any more')
      await run.idle()
      return run.id
    },
  },
  'late-answer': {
    about: 'an answer that came after another had closed its question, on record with its fault',
    async live(stage) {
      const file = program(stage, 'twice', { first: ASK, second: ASK, end: { writes: { both: true } } }, [
        ['first', 'YES', 'second'],
        ['second', 'YES', 'end'],
        ['first', 'NO', 'end'],
        ['second', 'NO', 'end'],
      ])
      const reflex = stage.live()
      const run = await reflex.run(file, { id: 'tern-2l3m' })
      const to = run.questions[0]?.wait ?? ''
      await answer(run, 'YES')
      await stage.host.advance(HOUR)
      await reflex.store.post(run.id, { id: 'late', type: 'answer', to, body: 'NO', by: 'ben', at: stage.host.now() })
      await run.run.pull()
      await run.idle()
      await answer(run, 'YES')
      return run.id
    },
  },
  'large-value': {
    about: 'a text that is too large for a record and stands beside the journal',
    async live(stage) {
      const file = program(stage, 'large', { keep: { writes: { copy: { from: 'text' } } }, end: { writes: { kept: true } } }, [
        ['keep', 'NEXT', 'end'],
      ])
      const text = 'all work and no play, '.repeat(5000)
      return (await stage.live().run(file, { id: 'swift-4n5p', input: { text } })).id
    },
  },
  recursion: {
    about: 'a workflow that calls itself forty times and brings the depth back up',
    async live(stage) {
      const count = {
        resolve: ({ blackboard, validEdges }: DecisionContext) => {
          const depth = Number(blackboard.get('depth') ?? 0)
          const wanted = depth < 40 ? 'DEEPER' : 'ENOUGH'
          const edge = validEdges.find(({ event }) => event === wanted)?.id ?? ''
          return Promise.resolve({ type: 'advance' as const, edge, writes: [{ key: 'depth', value: depth + 1 }], by: 'count' })
        },
      }
      const again = { invokes: { workflowId: 'dig', returnMap: [{ parentKey: 'reached', childKey: 'reached' }] } }
      const file = program(stage, 'dig', { look: { agent: 'count' }, again, bottom: { writes: { reached: { from: 'depth' } } } }, [
        ['look', 'DEEPER', 'again'],
        ['look', 'ENOUGH', 'bottom'],
      ])
      return (await stage.live({ workflow: { agents: { count } } }).run(file, { id: 'mole-6q7r' })).id
    },
  },
}
