import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { DEFAULT_HOST } from '../../../../src/kinds/dataflow/adapter/host-file.ts'
import { definePrimitive } from '../../../../src/kinds/dataflow/manifests/define-primitive.ts'
import { compileGraph } from '../../../../src/kinds/dataflow/run/compile.ts'
import { testGraph } from '../../../../src/kinds/dataflow/search/test-graph.ts'
import { reflex, workFolder } from '../../../cli/worlds.ts'

const GRAPH = {
  kind: 'cluster',
  id: 'orders',
  version: '1.0.0',
  nodes: {
    signal: { impl: 'context_bool_source@^0.1', params: { key: 'signal' } },
    price: { impl: 'context_number_source@^0.1', params: { key: 'price' } },
    limit: { impl: 'number_source@^0.1', params: { value: 250 } },
    is_open: { impl: 'context_bool_source@^0.1', params: { key: 'is_open' } },
    cheap: { impl: 'lt@^0.1' },
    buy: { impl: 'and@^0.1' },
    more: { impl: 'or@^0.1' },
    go: { impl: 'emit_if_true@^0.1' },
    order: { impl: 'ack_action@^0.1' },
    mark: { impl: 'context_set_bool@^0.1', params: { key: 'is_open' } },
  },
  edges: [
    'price.value -> cheap.a',
    'limit.value -> cheap.b',
    'signal.value -> buy.a',
    'cheap.result -> buy.b',
    'buy.result -> more.a',
    'is_open.value -> more.b',
    'buy.result -> go.input',
    'go.event -> order.event',
    'go.event -> mark.event',
    'more.result -> mark.value',
  ],
  outputs: { ordered: 'order.outcome' },
}
const key = (name: string, type: string, writable = false) => ({ name, type, required: false, writable })
const ADAPTER = {
  kind: 'adapter',
  id: 'orders',
  version: '1.0.0',
  runtime_compatibility: '0.1.0',
  context_keys: [key('is_open', 'Bool', true), key('signal', 'Bool'), key('price', 'Number')],
  event_kinds: [
    {
      name: 'tick',
      payload_schema: {
        type: 'object',
        properties: { signal: { type: 'boolean' }, price: { type: 'number', minimum: 100 }, is_open: { type: 'boolean' } },
        required: ['signal', 'price'],
        additionalProperties: false,
      },
    },
  ],
  accepts: {
    effects: [
      {
        name: 'set_context',
        payload_schema: { type: 'object', properties: { is_open: { type: 'boolean' } }, additionalProperties: false },
      },
    ],
  },
  capture: { format_version: '1', fields: ['event.tick'] },
}

function folder(): string {
  const place = workFolder()
  writeFileSync(join(place, 'orders.dataflow.json'), JSON.stringify(GRAPH))
  writeFileSync(join(place, 'orders.adapter.json'), JSON.stringify(ADAPTER))
  return place
}
const ONE_ORDER = `!("order" in fired) || !last.exists(p, "order" in p.fired)`
const lines = (text: string): { payload: object }[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { payload: object })

test('reflex test finds events that break a condition and makes them as few and as plain as possible, as reflex run takes them', async () => {
  const place = folder()
  const { code, out, err } = await reflex(['test', 'orders.dataflow.json', '--holds', ONE_ORDER], { folder: place })
  expect(code).toBe(1)
  expect(lines(out).map(({ payload }) => payload)).toEqual([
    { signal: true, price: 100 },
    { signal: true, price: 100 },
  ])
  expect(err).toContain('broken after 2 events')
  writeFileSync(join(place, 'found.jsonl'), out)
  const ran = await reflex(['run', 'orders.dataflow.json', '--events', 'found.jsonl', '--store', 'memory:', '--json'], { folder: place })
  expect(ran.code).toBe(0)
  expect(ran.out).toContain('"events": 2')
})

test('a limit of the graph is reached from both sides, and the number that breaks a condition is the smallest one', async () => {
  const { code, out } = await reflex(['test', 'orders.dataflow.json', '--holds', '!("order" in fired) || context.price < 240.0'], {
    folder: folder(),
  })
  expect(code).toBe(1)
  const [event, ...more] = lines(out)
  expect(more).toEqual([])
  expect(event?.payload).toEqual({ signal: true, price: 240 })
})

test('the conditions of NAME.test.json are tested, those that hold are named, and equal seeds give equal output', async () => {
  const place = folder()
  const conditions = { 'one-order': ONE_ORDER, 'below-limit': '!("order" in fired) || context.price < 250.0' }
  writeFileSync(join(place, 'orders.test.json'), JSON.stringify({ conditions }))
  const run = () => reflex(['test', 'orders.dataflow.json', '--json', '--seed', '3', '--events', '500'], { folder: place })
  const [one, other] = [await run(), await run()]
  expect(one.out).toBe(other.out)
  const document = JSON.parse(one.out) as { broken: { name: string; events: unknown[] }[]; held: { name: string }[]; events: number }
  expect(document.broken.map(({ name, events }) => [name, events.length])).toEqual([['one-order', 2]])
  expect(document.held.map(({ name }) => name)).toEqual(['below-limit'])
  expect(document.events).toBe(500)
})

test('a condition that cannot be read, a file of another form, no condition and a program of another kind are refused', async () => {
  const place = folder()
  const test = (...words: string[]) => reflex(['test', ...words], { folder: place })
  const none = await test('orders.dataflow.json')
  expect([none.code, none.err]).toEqual([2, expect.stringContaining('R1336')])
  expect((await test('orders.dataflow.json', '--holds', 'size(fird) == 0')).err).toContain('did you mean')
  writeFileSync(join(place, 'wrong.test.json'), '{"conditions": ["size(fired) == 0"]}')
  expect((await test('orders.dataflow.json', 'wrong.test.json')).err).toContain('R1335')
  expect((await test('orders.dataflow.json', '--holds', 'true', '--seed', 'x')).err).toContain('R2031')
  writeFileSync(join(place, 'a.tree.json'), '{"id": "a", "root": {"type": "succeed", "id": "s"}}')
  expect((await test('a.tree.json', '--holds', 'true')).code).not.toBe(0)
})

test('a function of the host that is not pure is found by a test', () => {
  let calls = 0
  const counter = definePrimitive(
    {
      kind: 'compute',
      id: 'counter',
      version: '0.1.0',
      inputs: [{ name: 'value', type: 'Number' }],
      outputs: [{ name: 'result', type: 'Number' }],
      parameters: [],
      execution: { deterministic: true, cadence: 'continuous' },
      state: { allowed: false },
      side_effects: false,
    },
    ({ value }) => ({ result: value + calls++ }),
  )
  const graph = {
    kind: 'cluster',
    id: 'g',
    version: '1.0.0',
    nodes: { x: { impl: 'context_number_source@^0.1', params: { key: 'x' } }, c: { impl: 'counter@^0.1' } },
    edges: ['x.value -> c.value'],
    outputs: { c: 'c.result' },
  }
  const def = compileGraph({ format: 'reflex-dataflow-1', graph }, { primitives: [counter] })
  const { findings, held } = testGraph(def, DEFAULT_HOST, [{ name: 'ever', text: 'true' }], { seed: 1, events: 10 })
  expect(findings.map(({ code }) => code)).toContain('R1379')
  expect(held.map(({ name }) => name)).toEqual(['ever'])
})
