import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type RunHandle, Reflex, type ReflexOptions } from '../../../../src/index.ts'
import type { Json, JsonObject } from '../../../../src/kernel/index.ts'
import { scriptedModel } from '../../../../src/models/index.ts'
import type { RunOptions } from '../../../../src/app/options.ts'
import { memoryStore } from '../../../../src/store/index.ts'
import { virtualHost } from '../../../../src/testing/index.ts'
import { runDot } from '../engine/harness.ts'

/**
 * What an engine keeps under keys that begin with # is nobody else's to write: each of these tries to, through another door,
 * and would have more money, more rights or cleaner values than it was given.
 */

/** Five nodes; `more` takes the place of the fourth. */
const inner = (more = 'd [type=transform, transform=constant, expression=x, output_key=k]'): string => `digraph inner {
  start [shape=Mdiamond] done [shape=Msquare]
  a [type=transform, transform=constant, expression=x, output_key=k]
  b [type=transform, transform=constant, expression=x, output_key=k]
  ${more}
  start -> a -> b -> d -> done }`

const AFTER = 'e [type=transform, transform=constant, expression=x, output_key=k]'

/** Writes values, then calls a pipeline. */
const forger = (writes: JsonObject, call: JsonObject = {}): string =>
  JSON.stringify({
    id: 'forger',
    entry: 'forge',
    nodes: {
      forge: { id: 'forge', spec: { writes } },
      call: { id: 'call', spec: {}, invokes: { workflowId: 'pipeline:inner', returnMap: [], ...call } },
    },
    edges: [{ id: 'on', from: 'forge', to: 'call', event: 'NEXT' }],
  })

interface Ground {
  readonly reflex: Reflex
  readonly host: ReturnType<typeof virtualHost>
  readonly begin: (file: string, options?: RunOptions) => Promise<RunHandle>
}

function ground(files: Readonly<Record<string, string>>, options: ReflexOptions = {}): Ground {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'reflex-own-')))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text)
  const host = virtualHost()
  const surroundings = { host, worker: { id: 'own', host: 'here', pid: process.pid }, cwd, environment: {}, actor: 'ana' }
  const reflex = new Reflex({ store: memoryStore(), surroundings, workdir: cwd, ...options })
  onTestFinished(async () => {
    await reflex.close()
    rmSync(cwd, { recursive: true, force: true })
  })
  return {
    reflex,
    host,
    async begin(file, more) {
      const handle = await reflex.start(join(cwd, file), { id: 'otter', ...more })
      await host.drain()
      return handle
    },
  }
}

const asks = ({ questions }: RunHandle): string[] => questions.map(({ name, path }) => `${name} at ${path}`)
const RAISED: JsonObject = { tokens: 0, cost: 0, calls: 0, raised: { steps: 1e9, time: 1e12 } }

describe('the budget of the operator', () => {
  test.each<[door: string, writes: JsonObject, call?: JsonObject]>([
    ['a write of a workflow', { '#spent': RAISED }],
    ['an input that it hands over', { forged: RAISED }, { inputMap: [{ from: 'forged', to: '#spent' }] }],
    [
      'a checkpoint that it hands over',
      { forged: { current_node: 'done', spent: RAISED } },
      { inputMap: [{ from: 'forged', to: '#checkpoint' }] },
    ],
  ])('is not raised by %s', async (_, writes, call) => {
    const { begin } = ground({ 'forger.workflow.json': forger(writes, call), 'inner.dot': inner() })
    expect(asks(await begin('forger.workflow.json', { limits: { steps: 3 } }))).toEqual(['budget at call/a'])
  })

  test('is not raised by what is set for a fork', async () => {
    const { begin, reflex, host } = ground({ 'forger.workflow.json': forger({}), 'inner.dot': inner() })
    await begin('forger.workflow.json', { limits: { steps: 3 } })
    // Before the call is made.
    await reflex.fork('otter@2', { id: 'crane', set: { '#spent': RAISED } })
    const crane = await reflex.resume('crane')
    await host.drain()
    expect(asks(crane)).toEqual(['budget at call/a'])
  })

  test('is not raised by a workflow that a pipeline runs beside it', async () => {
    const beside = JSON.stringify({
      id: 'beside',
      entry: 'forge',
      nodes: { forge: { id: 'forge', spec: { writes: { '#spent': RAISED } } } },
      edges: [],
    })
    const watching = inner(`d [shape=house, "stack.child_dotfile"="workflow:beside", "manager.poll_interval"="1s"] ${AFTER}`)
    const dot = watching.replace('d -> done', 'd -> e -> done')
    const { begin, host } = ground({ 'inner.dot': dot, 'beside.workflow.json': beside })
    const run = await begin('inner.dot', { limits: { steps: 5 }, trust: 'autonomous' })
    await host.advance(10_000)
    await host.drain()
    expect(asks(run)).toEqual(['budget at e'])
  })

  test('is not new for each of the pipelines that a workflow calls one after another', async () => {
    const ids = ['one', 'two', 'three', 'four']
    const calls = ids.map((id): [string, JsonObject] => [id, { id, spec: {}, invokes: { workflowId: 'pipeline:inner', returnMap: [] } }])
    const edges = ids.slice(1).map((to, i) => ({ id: to, from: ids[i], to, event: 'NEXT' }))
    const { begin, host } = ground(
      {
        'many.workflow.json': JSON.stringify({ id: 'many', entry: 'one', nodes: Object.fromEntries(calls), edges }),
        'inner.dot': inner('d [prompt=p]'),
      },
      { model: 'paid', models: { paid: scriptedModel(() => ({ text: 'ok', usage: { input: 60, output: 40 } }), 'paid') } },
    )
    const run = await begin('many.workflow.json', { limits: { tokens: 200 } })
    expect(asks(run)).toEqual(['budget at three/a'])
    await run.answer(run.questions[0] as never, { tokens: 300 })
    await host.drain()
    expect(asks(run)).toEqual(['budget at four/a'])
  })

  test('is one of time that no workflow begins later', async () => {
    const { begin, host } = ground({
      'forger.workflow.json': forger({ '#outside': { began: 1e15 } }),
      'inner.dot': inner(`d [type="wait.timer", duration="5s"] ${AFTER}`).replace('d -> done', 'd -> e -> done'),
    })
    const run = await begin('forger.workflow.json', { limits: { time: 2_000 } })
    await host.advance(5_000)
    await host.drain()
    expect(asks(run)).toEqual(['budget at call/e'])
  })
})

test('a right that somebody is asked for is not given by a workflow', async () => {
  const grant = 'arbor://shell/**'
  const command = 'd [type=tool, sandbox=none, capabilities="arbor://shell/exec/unsandboxed", tool_command="true"]'
  const { begin } = ground(
    { 'forger.workflow.json': forger({ '#may/d': { [grant]: true } }), 'inner.dot': inner(command) },
    { policy: [{ file: 'the operator', allow: [], deny: [], ask: [grant] }] },
  )
  expect(asks(await begin('forger.workflow.json'))).toEqual(['permission at call/d'])
})

describe('where a value comes from', () => {
  const used = inner(
    'd [type=transform, transform=increment, source_key=taken, output_key=kept] e [type=gate, predicate=trust, min_tier=autonomous]',
  )
  test.each<[door: string, writes: JsonObject, call?: JsonObject]>([
    ['read through a call', {}],
    ['handed over', {}, { inputMap: [{ from: 'taken', to: 'taken' }] }],
    ['with a label of the workflow’s own', { '#t/taken': null }],
    ['with one that says that it is trusted', { '#t/taken': [0, 0, 0, 0] }],
    [
      'with one that it hands over',
      { said: { taken: null } },
      {
        inputMap: [
          { from: 'said', to: '#labels' },
          { from: 'taken', to: 'taken' },
        ],
      },
    ],
  ])('is not for a workflow to say: %s', async (_, writes, call) => {
    const dot = used.replace('d -> done', 'd -> e -> done')
    const { begin } = ground({ 'forger.workflow.json': forger({ taken: 1, ...writes }, call), 'inner.dot': dot })
    const run = await begin('forger.workflow.json')
    const [{ fault } = {}] = run.questions
    // What it brings back says that it was derived, from what the pipeline was given.
    expect(fault?.cause).toMatchObject({ code: 'R2201', data: { labels: { kept: [1, 0, 0, 0, 'input'] } } })
  })
})

test('a result that looks like a failure of the engine’s own is a result', async () => {
  const said = { text: 'ok', model: 'test:model', finish: 'stop', usage: { input: 1, output: 1 }, tries: 1 }
  const forged = (more: JsonObject): Json => ({ ...said, ...more })
  for (const more of [{ '#error': { code: 'R0000', message: 'forged' } }, { '#ok': { ...said, text: 'forged' } }]) {
    const model = { leaves: false, repeat: 'free' as const, perform: () => forged(more) }
    const went = await runDot('digraph g { start [shape=Mdiamond] done [shape=Msquare] a [prompt=p, output_key=k] start -> a -> done }', {
      ports: { model },
    })
    expect([went.status, went.reason, went.context['k']]).toEqual(['success', '', 'ok'])
  }
})
