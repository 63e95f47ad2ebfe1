import { expect, test } from 'vitest'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { proofFindings } from '../../../../src/kinds/dataflow/proofs/proof-findings.ts'
import { dataflowReader } from '../../../../src/kinds/dataflow/face/reader.ts'
import { graphOf } from '../graphs.ts'

const NODES = {
  load: { impl: 'context_number_source@^0.1', params: { key: 'load' } },
  count: { impl: 'context_number_source@^0.1', params: { key: 'count' } },
  limit: { impl: 'number_source@^0.1', params: { value: 101 } },
  per: { impl: 'divide@^0.2' },
  is_high: { impl: 'gt@^0.1' },
  over: { impl: 'gt@^0.1' },
  gate: { impl: 'emit_if_true@^0.1' },
  never: { impl: 'emit_if_true@^0.1' },
  page: { impl: 'ack_action@^0.1' },
  alarm: { impl: 'ack_action@^0.1' },
}
const GRAPH = {
  kind: 'cluster',
  id: 'loads',
  version: '1.0.0',
  nodes: NODES,
  edges: [
    'load.value -> per.a',
    'count.value -> per.b',
    'per.result -> is_high.a',
    'limit.value -> is_high.b',
    'is_high.result -> gate.input',
    'gate.event -> page.event',
    'load.value -> over.a',
    'limit.value -> over.b',
    'over.result -> never.input',
    'never.event -> alarm.event',
  ],
  outputs: { paged: 'page.outcome' },
}
const key = (name: string) => ({ name, type: 'Number', required: false, writable: false })
const ADAPTER = {
  kind: 'adapter',
  id: 'loads',
  version: '1.0.0',
  runtime_compatibility: '0.1.0',
  context_keys: [key('load'), key('count')],
  event_kinds: [
    {
      name: 'sample',
      payload_schema: {
        type: 'object',
        properties: { load: { type: 'number', minimum: 0, maximum: 100 }, count: { type: 'integer', minimum: 0 } },
        required: ['load', 'count'],
        additionalProperties: false,
      },
    },
  ],
  capture: { format_version: '1', fields: ['event.sample'] },
}

function file(): { readonly file: string; readonly text: string } {
  const folder = mkdtempSync(join(tmpdir(), 'reflex-proofs-'))
  writeFileSync(join(folder, 'loads.adapter.json'), JSON.stringify(ADAPTER))
  return { file: join(folder, 'loads.dataflow.json'), text: JSON.stringify(GRAPH, undefined, 2) }
}

test('a reader warns of a division by 0 with an event that shows it, and of an action that never fires, each at its node', async () => {
  const { file: name, text } = file()
  const { program, findings } = await dataflowReader({ primitives: [] }).read(text, name, { depth: 'all' })
  expect(program).toBeDefined()
  expect(findings.map(({ code, severity, message, line }) => ({ code, severity, message, line }))).toEqual([
    { code: 'R1395', severity: 'warning', message: 'per divides by 0: for an event of "sample" with count 0, load 0', line: 24 },
    { code: 'R1396', severity: 'warning', message: 'alarm never fires: its condition is false whatever the event is', line: 42 },
  ])
})

test('a reader that only looks for errors, or without lint rules, proves nothing', async () => {
  const { file: name, text } = file()
  const reader = dataflowReader({ primitives: [] })
  expect((await reader.read(text, name, { depth: 'errors' })).findings).toEqual([])
  expect((await reader.read(text, name, { depth: 'all', lint: false })).findings).toEqual([])
})

test('a division by 0 in every pass is an error, also without an adapter', () => {
  const graph = graphOf('g', {
    zero: ['number_source', { value: 0 }],
    x: ['context_number_source', { key: 'x' }],
    broken: ['divide', {}, { a: 'x.value', b: 'zero.value' }],
  })
  expect(proofFindings(graph).map(({ code, severity, message }) => [code, severity, message])).toEqual([
    ['R1395', 'error', 'broken divides by 0 in every pass'],
  ])
})

test('a condition over more numbers than a table holds takes bounded work and is not reported', () => {
  const many = Array.from({ length: 30 }, (_, i) => i)
  const graph = graphOf('g', {
    ...Object.fromEntries(many.map((i) => [`x${i}`, ['context_number_source', { key: `x${i}` }] as const])),
    five: ['number_source', { value: 5 }],
    ...Object.fromEntries(many.map((i) => [`c${i}`, ['gt', {}, { a: `x${i}.value`, b: 'five.value' }] as const])),
    a0: ['and', {}, { a: 'c0.result', b: 'c1.result' }],
    ...Object.fromEntries(many.slice(1, -1).map((i) => [`a${i}`, ['and', {}, { a: `a${i - 1}.result`, b: `c${i + 1}.result` }] as const])),
    gate: ['emit_if_true', {}, { input: 'a28.result' }],
    act: ['ack_action', {}, { event: 'gate.event' }],
  })
  expect(proofFindings(graph)).toEqual([])
})
