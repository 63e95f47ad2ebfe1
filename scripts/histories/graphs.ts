import { createServer } from 'node:http'
import type { Reflex } from '../../packages/reflex/src/index.ts'
import { graph, orders } from './graph-files.ts'
import { answer } from './examples.ts'
import { pipeline } from './pipelines.ts'
import type { History } from './stage.ts'
import { approval } from './workflows.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
/** Where the channel of the graph posts to. */
const PORT = 47_831

/** Accepts every request while something happens. */
async function withServer(act: () => Promise<void>): Promise<void> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(201).end())
  })
  await new Promise<void>((resolve) => server.listen(PORT, '127.0.0.1', resolve))
  try {
    await act()
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

/** Starts a graph that stays for events, and sends it orders of these amounts; null says that none follows. Returns the run. */
async function listening(reflex: Reflex, file: string, id: string, amounts: readonly (number | null)[]): Promise<string> {
  const run = await reflex.start(file, { id, dataflow: { stays: true } })
  await run.idle()
  for (const [i, amount] of amounts.entries())
    await reflex.signal(id, 'event', amount === null ? null : { event_id: `o${i + 1}`, semantic_kind: 'order', payload: { amount } })
  await run.idle()
  return id
}

/** Runs of graphs, and runs of theirs that a release left in the middle. */
export const graphs: Readonly<Record<string, History>> = {
  'graph-channels': {
    about: 'a graph over a file of events, with an intent to a process, a server, a program and a ledger for each of two events',
    async live(stage) {
      approval(stage, { due: '30d', otherwise: 'NO' })
      const file = graph(stage, { sorts: ['page', 'post', 'start', 'log'] })
      const source = orders(stage, [1, 7, 2, 9, 3])
      const policy = [{ allow: ['arbor://net/127.0.0.1'], deny: [], file: 'policy.json' }]
      await withServer(async () => {
        const run = await stage.live({ trust: 'trusted', policy }).run(file, { id: 'otter-1a2b', dataflow: { source } })
        await stage.host.advance(HOUR)
        await answer(run, 'YES')
        await answer(run, 'NO')
      })
      return 'otter-1a2b'
    },
  },
  'graph-refused': {
    about: 'lines of a file that are refused, and passes that fail',
    async live(stage) {
      const source = orders(
        stage,
        [1, 0, 4],
        ['not json', '{"event_id":"o1"}', '{"event_id":"x","semantic_kind":"order","payload":{"amount":1e999}}'],
      )
      return (await stage.live().run(graph(stage), { id: 'heron-2b3c', dataflow: { source } })).id
    },
  },
  'graph-limit': {
    about: 'a graph whose supervisor defers events, and runs them when they are due',
    async live(stage) {
      const file = graph(stage, { host: { constraints: { max_per_window: 2, rate_window: '3s', max_retries: 1 } } })
      return (await stage.live().run(file, { id: 'finch-3c4d', dataflow: { source: orders(stage, [1, 2, 3, 4, 0, 6, 1, 1, 1, 1]) } })).id
    },
  },
  'graph-open-timer': {
    about: 'a graph that gets an event from a timer each minute, and goes on',
    async live(stage) {
      const file = graph(stage, { host: { ingress: { type: 'timer', every: '1m', semantic_kind: 'tick', field: 'amount' } } })
      const run = await stage.live().start(file, { id: 'robin-4d5e' })
      await run.idle()
      for (let i = 0; i < 4; i++) await stage.host.advance(MINUTE)
      await run.idle()
      return run.id
    },
    then: { after: 2 * MINUTE, advance: 3 * MINUTE, answers: [], status: 'suspended' },
  },
  'graph-called': {
    about: 'a pipeline that calls a graph and gets its outputs',
    async live(stage) {
      graph(stage, { kinds: ['order'] })
      const file = pipeline(
        stage,
        'calls',
        '',
        'amount [type=transform, transform=increment, source_key=amount, output_key=amount]\n  call [type="graph.invoke", program="dataflow:sums", pass_context="amount"]',
        'start -> amount -> call -> done',
      )
      return (await stage.live().run(file, { id: 'wren-5e6f' })).id
    },
  },
  'graph-fork': {
    about: 'a fork of a graph before its intents: it sends its own, under ids of its own',
    async live(stage) {
      const reflex = stage.live()
      const run = await reflex.run(graph(stage, { sorts: ['log'] }), { id: 'lark-6f7g', dataflow: { source: orders(stage, [1, 7, 2, 9]) } })
      const fork = await reflex.fork(`${run.id}@2`, { id: 'dove-7g8h' })
      const resumed = await reflex.resume(fork.id)
      await resumed.idle()
      return fork.id
    },
  },
  'graph-open-fork': {
    about: 'a fork of a graph that is not resumed yet',
    async live(stage) {
      const reflex = stage.live()
      const run = await listening(reflex, graph(stage, { sorts: ['log'] }), 'crane-8h9j', [1, 7, 2, 9, null])
      return (await reflex.fork(`${run}@3`, { id: 'egret-9j1k' })).id
    },
    then: { after: HOUR, answers: [], status: 'suspended' },
  },
  'graph-open-egress': {
    about: 'a channel that died with an intent, and a question that nobody has answered yet',
    async live(stage) {
      const page = { type: 'process', command: ['node', 'channel.mjs', 'dies'] }
      return listening(stage.live({ trust: 'trusted' }), graph(stage, { sorts: ['page'], channels: { page } }), 'swift-1k2m', [1, 7])
    },
    then: { after: HOUR, answers: [['q1', 'leave out']], status: 'suspended' },
  },
  'graph-open-program': {
    about: 'a program that an intent has started, and that asks a person: its end will be an event',
    async live(stage) {
      approval(stage, { due: '30d', otherwise: 'NO' })
      return listening(stage.live(), graph(stage, { sorts: ['start'] }), 'tern-2m3n', [1, 7, 2, null])
    },
    then: {
      after: HOUR,
      answers: [['q1', 'YES']],
      status: 'completed',
      value: { events: 4, refused: 0, failed: 1, sent: { start: 1 } },
    },
  },
}
