// proves: dataflow 1
// proves: dataflow 51
// proves: dataflow ADP-1
// proves: dataflow ADP-2
// proves: dataflow ADP-3
// proves: dataflow ADP-4
// proves: dataflow ADP-5
// proves: dataflow ADP-6
// proves: dataflow ADP-7
// proves: dataflow ADP-8
// proves: dataflow ADP-9
// proves: dataflow ADP-10
// proves: dataflow ADP-11
// proves: dataflow ADP-12
// proves: dataflow ADP-13
// proves: dataflow ADP-14
// proves: dataflow ADP-17
// proves: dataflow ADP-18
// proves: dataflow ADP-19
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../../src/kernel/index.ts'
import { adapterSchema } from '../../../../src/kinds/dataflow/adapter/adapter-schema.ts'
import { checkAdapter } from '../../../../src/kinds/dataflow/adapter/check-adapter.ts'
import { readAdapter } from '../../../../src/kinds/dataflow/adapter/read-adapter.ts'
import { schemaIssues } from '../../../../src/text/json-schema/check.ts'
import { THERMOSTAT } from './thermostat.ts'

type Change = (adapter: Mutable) => void
interface Mutable {
  id: string
  version: string
  runtime_compatibility: string
  context_keys: Record<string, unknown>[]
  event_kinds: { name: string; payload_schema: JsonObject & Record<string, unknown> }[]
  accepts: { effects: { name: string; payload_schema: JsonObject }[] }
  capture: { format_version: string; fields: string[] }
}

function changed(change: Change): unknown {
  const copy = structuredClone(THERMOSTAT) as unknown as Mutable
  change(copy)
  return copy
}

const FLAT = { type: 'object', additionalProperties: false } as const
const extra = (properties: JsonObject, more: JsonObject = {}): Change => {
  return ({ event_kinds: [kind] }) => {
    if (kind === undefined) return
    const known = kind.payload_schema.properties as JsonObject
    kind.payload_schema = { ...kind.payload_schema, properties: { ...known, ...properties }, ...more }
  }
}
const effect = (payload_schema: JsonObject): Change => {
  return ({ accepts }) => void accepts.effects.push({ name: 'order', payload_schema })
}

describe('the rules of adapters', () => {
  const cases: readonly (readonly [rule: string, what: string, change: Change])[] = [
    ['ADP-1', 'an id with a capital', (a) => (a.id = 'Heat')],
    ['ADP-2', 'a version with two parts', (a) => (a.version = '1.0')],
    ['ADP-3', 'a newer runtime', (a) => (a.runtime_compatibility = '9.0.0')],
    ['ADP-3', 'no version', (a) => (a.runtime_compatibility = 'latest')],
    ['ADP-5', 'a key twice', (a) => a.context_keys.push({ name: 'temp', type: 'Number', required: false, writable: false })],
    ['ADP-6', 'a key of an unknown type', (a) => a.context_keys.push({ name: 'x', type: 'Int', required: false, writable: false })],
    ['ADP-6', 'a key that holds events', (a) => a.context_keys.push({ name: 'x', type: 'Event', required: false, writable: false })],
    ['ADP-7', 'an event kind twice', (a) => a.event_kinds.push({ name: 'reading', payload_schema: FLAT })],
    ['ADP-8', 'a choice', extra({ x: { type: 'number', anyOf: [{ minimum: 1 }] } })],
    ['ADP-8', 'a choice of one', extra({ x: { oneOf: [{ type: 'number' }] } })],
    ['ADP-8', 'a reference outside', extra({ x: { type: 'number', $ref: 'https://example.org/x.json' } })],
    ['ADP-8', 'an open object', extra({}, { additionalProperties: true })],
    ['ADP-8', 'a keyword with a wrong value', extra({ x: { type: 'number', minimum: 'low' } })],
    ['ADP-8', 'a pattern that takes exponential time', extra({ x: { type: 'string', pattern: '(?=a)b' } })],
    ['ADP-9', 'an empty format', (a) => (a.capture.format_version = '')],
    ['ADP-10', 'an unknown field', (a) => a.capture.fields.push('event.readings')],
    ['ADP-11', 'a key that does not state writable', (a) => a.context_keys.push({ name: 'x', type: 'Number', required: false })],
    ['ADP-12', 'an effect twice', (a) => a.accepts.effects.push({ name: 'heater_command', payload_schema: FLAT })],
    ['ADP-13', 'an open object of an effect', effect({ type: 'object' })],
    ['ADP-13', 'an open object inside', effect({ ...FLAT, properties: { to: { type: 'object', properties: {} } } })],
    ['ADP-13', 'a choice of an effect', effect({ ...FLAT, properties: { to: { oneOf: [{ type: 'string' }] } } })],
    ['ADP-14', 'no set_context', (a) => void a.accepts.effects.shift()],
    ['ADP-17', 'writable and required', (a) => a.context_keys.push({ name: 'x', type: 'Number', required: true, writable: true })],
    ['ADP-18', 'a required field that is not a key', extra({ x: { type: 'number' } }, { required: ['x'] })],
    ['ADP-18', 'a required field of another type', extra({ temp: { type: 'string' } })],
    ['ADP-19', 'a field that is an object', extra({ x: { ...FLAT } })],
    ['ADP-19', 'a field of two types', extra({ x: { type: ['number', 'null'] } })],
    ['ADP-19', 'a field without a type', extra({ x: { enum: [1, 2] } })],
    ['ADP-19', 'a list of texts', extra({ x: { type: 'array', items: { type: 'string' } } })],
    ['ADP-19', 'a list of anything', extra({ x: { type: 'array' } })],
    ['ADP-19', 'an event that is a number', (a) => a.event_kinds.push({ name: 'n', payload_schema: { type: 'number' } })],
    ['ADP-19', 'a required field that is not a property', extra({}, { properties: { heater_on: { type: 'boolean' } } })],
  ]
  it.each(cases)('%s: %s', (rule, _what, change) => {
    const findings = checkAdapter(changed(change), { runtime: '1.0.0' })
    expect(findings.map((finding) => finding.rule)).toEqual([rule])
    expect(findings[0]?.fix).not.toBe('')
  })

  it('ADP-4: neither keys nor kinds', () => {
    const bare = { ...THERMOSTAT, context_keys: [], event_kinds: [], capture: { format_version: '1', fields: [] } }
    expect(checkAdapter(bare).map(({ rule }) => rule)).toEqual(['ADP-4'])
  })

  it('finds nothing in an adapter that breaks none, with every type of field', () => {
    const schema = extra({ n: { type: 'integer', minimum: 0 }, s: { type: 'array', items: { type: 'integer' } }, t: { type: 'string' } })
    expect(checkAdapter(changed(schema), { runtime: '0.1.0' })).toEqual([])
  })

  it('collects every violation in the order of the rules, whatever the order of the keys', () => {
    const broken = changed((adapter) => {
      for (const [, , change] of cases) if (adapter.event_kinds.length < 3) change(adapter)
    })
    const rules = checkAdapter(broken, { runtime: '1.0.0' }).map(({ rule }) => Number(rule?.slice(4)))
    expect(rules.length).toBeGreaterThan(10)
    expect(rules).toEqual(rules.toSorted((a, b) => a - b))
    const reversed = Object.fromEntries(Object.entries(broken as object).reverse())
    expect(checkAdapter(reversed, { runtime: '1.0.0' })).toEqual(checkAdapter(broken, { runtime: '1.0.0' }))
  })
})

describe('reading an adapter file', () => {
  it('states the place, and what was meant', () => {
    const text = JSON.stringify(THERMOSTAT, null, 2)
      .replace('"event.reading"', '"event.readin"')
      .replace('"adapter"', '"adapter", // JSONC')
    const [finding] = readAdapter(text, 'heat.adapter.json', '1.0.0').findings
    expect(finding).toMatchObject({ code: 'R1355', rule: 'ADP-10', file: 'heat.adapter.json', line: 78, path: 'capture.fields[0]' })
    expect(finding?.frame).toContain('did you mean "event.reading"?')
  })

  it('states faults of the shape with their usual codes, and reads on after none', () => {
    const codes = (value: unknown) => readAdapter(JSON.stringify(value)).findings.map(({ code }) => code)
    expect(codes({ ...THERMOSTAT, acepts: {} })).toEqual(['R1011'])
    expect(codes({ ...THERMOSTAT, id: undefined })).toEqual(['R1012'])
    expect(codes({ ...THERMOSTAT, context_keys: {} })).toEqual(['R1013'])
    expect(codes({ ...THERMOSTAT, kind: 'cluster' })).toEqual(['R1014'])
    for (const name of ['', '~rate/1'])
      expect(codes({ ...THERMOSTAT, context_keys: [{ name, type: 'Number', required: false, writable: false }] })).toEqual(['R1015'])
    for (const text of ['', '{', '[]', 'null', '"x"', '3', '{"context_keys": [null]}', '\u0000', '{"__proto__": 1}'])
      expect(readAdapter(text).findings.length).toBeGreaterThan(0)
    expect(readAdapter(JSON.stringify(THERMOSTAT))).toMatchObject({ adapter: THERMOSTAT, findings: [] })
  })

  it('is described by the published schema', () => {
    const fits = (value: unknown) => schemaIssues(adapterSchema(), JSON.parse(JSON.stringify(value)) as JsonObject).length === 0
    expect(fits(THERMOSTAT)).toBe(true)
    expect(fits(changed((a) => (a.context_keys[0] = { name: 'x', type: 'Number', required: false })))).toBe(false)
    expect(fits(changed((a) => (a.context_keys[0] = { name: 'x', type: 'Int', required: false, writable: false })))).toBe(false)
  })
})
