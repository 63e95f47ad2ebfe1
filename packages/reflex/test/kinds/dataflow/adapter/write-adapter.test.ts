import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../../src/kernel/index.ts'
import { adapterText, updateAdapterText } from '../../../../src/kinds/dataflow/adapter/adapter-text.ts'
import { checkAdapter } from '../../../../src/kinds/dataflow/adapter/check-adapter.ts'
import { compositionFindings } from '../../../../src/kinds/dataflow/adapter/compose.ts'
import { memoryFindings } from '../../../../src/kinds/dataflow/adapter/memory-lints.ts'
import { readAdapter } from '../../../../src/kinds/dataflow/adapter/read-adapter.ts'
import { writeAdapter } from '../../../../src/kinds/dataflow/adapter/write-adapter.ts'
import type { Adapter } from '../../../../src/kinds/dataflow/model/adapter.ts'
import type { ValidatedGraph } from '../../../../src/kinds/dataflow/model/graph.ts'
import { action, graphOf, SET_HEATER, THERMOSTAT_GRAPH } from '../graphs.ts'
import { THERMOSTAT, withEvent } from './thermostat.ts'

const runtime = '1.0.0'
const FLAT = { type: 'object', additionalProperties: false } as const
const NUMBER = { type: 'number' } as const

/** A counter, with a second source that reads a list. */
const COUNTER = graphOf('Count-er', {
  n: ['context_number_source', { key: 'n' }],
  list: ['context_series_source', { key: 'list' }],
  one: ['number_source', { value: 1 }],
  next: ['add', {}, { a: 'n.value', b: 'one.value' }],
  yes: ['const_bool', { value: true }],
  gate: ['emit_if_true', {}, { input: 'yes.value' }],
  save: ['context_set_number', { key: 'n' }, { event: 'gate.event', value: 'next.result' }],
})

describe('the adapter that is written for a graph', () => {
  it('breaks no rule and composes with it', () => {
    for (const graph of [THERMOSTAT_GRAPH, COUNTER]) {
      const adapter = writeAdapter(graph, { runtime })
      expect(checkAdapter(adapter, { runtime })).toEqual([])
      expect(compositionFindings(graph, adapter)).toEqual([])
      expect(memoryFindings(graph, adapter).filter(({ code }) => code === 'R1365')).toEqual([])
      expect(readAdapter(adapterText(adapter)).adapter).toEqual(adapter)
    }
  })

  it('has the keys, the fields and the effects', () => {
    expect(writeAdapter(COUNTER, { runtime })).toMatchObject({
      id: 'count_er',
      runtime_compatibility: runtime,
      context_keys: [
        { name: 'list', type: 'Series', required: false, writable: false },
        { name: 'n', type: 'Number', required: false, writable: true },
      ],
      event_kinds: [{ name: 'event', payload_schema: { ...FLAT, properties: { list: { type: 'array', items: NUMBER }, n: NUMBER } } }],
      accepts: { effects: [{ name: 'set_context' }] },
      capture: { fields: ['event.event', 'meta.adapter_id', 'meta.adapter_version', 'meta.timestamp'] },
    })
    expect(writeAdapter(THERMOSTAT_GRAPH, { runtime }).accepts?.effects[1]).toEqual(THERMOSTAT.accepts?.effects[1])
    expect(writeAdapter(graphOf('9', { n: ['number_source'] }), { runtime })).toMatchObject({ id: 'adapter_9', context_keys: [] })
  })

  it('adds to an existing one what is missing, and nothing else', () => {
    expect(writeAdapter(THERMOSTAT_GRAPH, { existing: THERMOSTAT, runtime })).toEqual(THERMOSTAT)
    const existing: Adapter = {
      ...withEvent({ ...FLAT, properties: { temp: NUMBER }, required: ['temp'] }, [
        { name: 'temp', type: 'Number', required: true, writable: false, description: 'In degrees' },
        { name: 'heater_on', type: 'Bool', required: true, writable: false },
      ]),
      accepts: { effects: [{ name: 'heater_command', payload_schema: { ...FLAT, properties: { on: { type: 'boolean' } } } }] },
    }
    const { event_kinds } = existing
    const two: Adapter = { ...existing, event_kinds: [...event_kinds, { name: 'tick', payload_schema: { ...FLAT, properties: {} } }] }
    const written = writeAdapter(THERMOSTAT_GRAPH, { existing: two, runtime })
    expect(compositionFindings(THERMOSTAT_GRAPH, written)).toEqual([])
    expect(written.context_keys).toEqual([
      { name: 'temp', type: 'Number', required: true, writable: false, description: 'In degrees' },
      { name: 'heater_on', type: 'Bool', required: false, writable: true },
    ])
    expect(written.event_kinds.map(({ payload_schema }) => Object.keys(payload_schema['properties'] as object))).toEqual([
      ['temp', 'heater_on'],
      ['heater_on'],
    ])
    expect(written.accepts?.effects.map(({ name }) => name)).toEqual(['heater_command', 'set_context'])
    expect(Object.keys(written.accepts?.effects[0]?.payload_schema['properties'] as object)).toEqual(['on', 'zone'])
  })

  it('keeps the comments and the layout of a text', () => {
    const before: Adapter = { ...THERMOSTAT, context_keys: THERMOSTAT.context_keys.slice(0, 1), accepts: { effects: [] } }
    const text = adapterText(before)
      .replace('"context_keys"', '// what it knows\n  "context_keys"')
      .replace('"name": "temp",', '"name": "temp", // °C')
    const after = writeAdapter(THERMOSTAT_GRAPH, { existing: before, runtime })
    const changed = updateAdapterText(text, before, after)
    expect(changed).toContain('// what it knows')
    expect(changed).toContain('"name": "temp", // °C')
    expect(readAdapter(changed)).toMatchObject({ adapter: after, findings: [] })
    expect(updateAdapterText(changed, after, after)).toBe(changed)
  })
})

describe('the memory of a graph', () => {
  const found = (graph: ValidatedGraph, adapter?: Adapter) =>
    memoryFindings(graph, adapter).map(({ code, severity, message }) => `${code} ${severity}: ${message}`)
  const key = (name: string, writable = true): Adapter['context_keys'][number] => ({ name, type: 'Number', required: false, writable })
  const events = (properties: JsonObject, ...keys: Adapter['context_keys'][number][]) =>
    withEvent({ ...FLAT, properties, required: [] }, keys)

  it('is judged with the remark that effects do not depend on the outcome', () => {
    expect(found(THERMOSTAT_GRAPH, THERMOSTAT)).toEqual([
      'R1366 info: the effects of act are performed whatever outcome "set_heater" returns, also "Rejected"',
    ])
    expect(found(COUNTER)).toEqual([])
  })

  it('has two writers of one key', () => {
    const twice = graphOf('twice', {
      a: ['context_set_number', { key: 'n' }],
      b: ['context_set_number', { key: 'n' }],
      n: ['context_number_source', { key: 'n' }],
    })
    expect(found(twice)).toEqual(['R1365 warning: "a", "b" write the key "n"; if several run in a pass, the last one wins'])
  })

  it('has a key that nobody reads, or that events hide', () => {
    const write = graphOf('write', { a: ['context_set_number', { key: 'n' }] })
    expect(found(write)).toEqual(['R1365 warning: a writes the key "n", which no source of the graph reads'])
    const list = { list: { type: 'array', items: NUMBER } }
    expect(found(COUNTER, events(list, key('n')))).toEqual([
      'R1365 warning: save writes the key "n", which no event has: their passes read it as absent',
    ])
    const some = events({ ...list, n: NUMBER }, key('n'))
    const more: Adapter = { ...some, event_kinds: [...some.event_kinds, { name: 'tick', payload_schema: { ...FLAT, properties: list } }] }
    expect(found(COUNTER, more)).toEqual([
      'R1365 warning: save writes the key "n", which events of "tick" do not have: their passes read it as absent',
    ])
  })

  it('has a key that no event provides, or provides as another type', () => {
    const read = graphOf('read', { a: ['context_number_source', { key: 'tmp' }] })
    expect(found(read, THERMOSTAT)).toEqual([
      'R1365 warning: a reads the key "tmp", which no event has and no action writes: it is always 0',
    ])
    expect(found(read, events({ tmp: { type: 'string' } }))).toEqual([
      'R1365 warning: a reads the key "tmp" as a Number; in events of "reading" it is a String, and their passes fail',
    ])
  })

  it('has events that the adapter always refuses', () => {
    const pure = graphOf('pure', { n: ['number_source'] })
    expect(found(pure, withEvent({ ...FLAT, properties: {} }, THERMOSTAT.context_keys))).toEqual([
      'R1365 warning: the adapter requires "temp", which events of "reading" cannot have: they are all refused',
    ])
    expect(found(pure, events({ x: { type: 'string' } }, key('x', false)))).toEqual([
      'R1365 warning: "x" is a Number, and a String in events of "reading": events that have it are refused',
    ])
  })

  it('has a number that an event may leave out, and a division by state that nothing has written', () => {
    const divide = graphOf('divide', {
      a: ['context_number_source', { key: 'a' }],
      n: ['context_number_source', { key: 'n' }],
      ratio: ['divide', {}, { a: 'a.value', b: 'n.value' }],
      save: ['context_set_number', { key: 'n' }],
    })
    expect(found(divide, events({ a: NUMBER, n: NUMBER }, key('n')))).toEqual([
      'R1366 info: a reads "a" as 0 for events of "reading" that leave it out',
      'R1366 info: ratio divides by the key "n", which is 0 until an action has written it: the first pass fails',
    ])
  })

  it('is judged only where something can be wrong', () => {
    const own = graphOf('own', { act: [action('act', {}, [], {})], heat: [SET_HEATER, { zone: 'x' }] })
    expect(found(own).filter((text) => text.includes('outcome'))).toHaveLength(1)
  })
})
