// proves: dataflow 48
// proves: dataflow 49
// proves: dataflow 50
// proves: dataflow HST-6
// proves: dataflow CXT-1
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../../src/kernel/index.ts'
import { bindEvent, bindFixture, type Bound } from '../../../../src/kinds/dataflow/adapter/bind-event.ts'
import { prepareAdapter } from '../../../../src/kinds/dataflow/adapter/event-form.ts'
import type { Adapter } from '../../../../src/kinds/dataflow/model/adapter.ts'
import type { HostedEvent } from '../../../../src/kinds/dataflow/model/event.ts'
import type { Scalar } from '../../../../src/kinds/dataflow/model/value.ts'
import { schemaIssues } from '../../../../src/text/json-schema/check.ts'
import { THERMOSTAT, withEvent } from './thermostat.ts'

function event(payload: unknown, semantic_kind: string | undefined = 'reading'): HostedEvent {
  return { event_id: 'e1', kind: 'DataAvailable', at: { secs: 1, nanos: 0 }, semantic_kind, payload } as HostedEvent
}

function bind(payload: unknown, stored: Readonly<Record<string, Scalar>> = {}, adapter: Adapter = THERMOSTAT): Bound {
  return bindEvent(prepareAdapter(adapter), (key) => stored[key], event(payload))
}

/** Returns the context, or the rule and the message of the refusal. */
function outcome(bound: Bound): unknown {
  return 'context' in bound ? bound.context : `${bound.refused.code} ${bound.refused.rule}: ${bound.refused.message}`
}

const FLAT = { type: 'object', additionalProperties: false } as const
const METRIC = withEvent({ ...FLAT, properties: { cpu_pct: { type: 'number' }, host: { type: 'string' } }, required: ['cpu_pct'] }, [
  { name: 'cpu_pct', type: 'Number', required: false, writable: false },
])

describe('an event with an adapter', () => {
  it('gets the values of the store that its schema has, and its own values win', () => {
    const stored = { heater_on: true, temp: 3, other: 1 }
    expect(outcome(bind({ temp: 20 }, stored))).toEqual({ heater_on: true, temp: 20 })
    expect(outcome(bind({ temp: 20, heater_on: false }, stored))).toEqual({ heater_on: false, temp: 20 })
    expect(outcome(bind({}, stored))).toEqual({ heater_on: true, temp: 3 })
    const narrow = withEvent({ ...FLAT, properties: { temp: { type: 'number' } } }, THERMOSTAT.context_keys)
    expect(outcome(bind({ temp: 20 }, stored, narrow))).toEqual({ temp: 20 })
    const undeclared = withEvent({ ...FLAT, properties: { other: { type: 'number' } } })
    expect(outcome(bind({}, stored, undeclared))).toEqual({})
  })

  it('has the keys of its context in the order of their names, and 0 for −0', () => {
    const context = outcome(bind({ temp: -0, heater_on: true })) as Record<string, number>
    expect(Object.keys(context)).toEqual(['heater_on', 'temp'])
    expect(Object.is(context['temp'], 0)).toBe(true)
  })

  it.each<[payload: unknown, message: string, adapter?: Adapter]>([
    [{ cpu: 3 }, 'PayloadSchemaMismatch: no field "cpu"; did you mean "cpu_pct"?', METRIC],
    [{ cpu_pct: 3, load: 1 }, 'PayloadSchemaMismatch: no field "load"', METRIC],
    [{}, 'PayloadSchemaMismatch: field "cpu_pct" is missing', METRIC],
    [{ cpu_pct: '3' }, 'PayloadSchemaMismatch: field "cpu_pct" must be a number, found "3"', METRIC],
    [{ cpu_pct: null }, 'PayloadSchemaMismatch: field "cpu_pct" must be a number, found null', METRIC],
    [{ cpu_pct: 1, host: '\ud800' }, 'PayloadSchemaMismatch: field "host" must be well-formed Unicode, found "\\ud800"', METRIC],
    [undefined, 'MissingPayload: the event has no payload'],
    [[1], 'PayloadMustBeObject: the payload is not an object'],
    [null, 'PayloadMustBeObject: the payload is not an object'],
    [JSON.parse('{"temp": 1, "__proto__": 1}'), 'PayloadSchemaMismatch: no field "__proto__"'],
    [{ temp: 1, constructor: 1 }, 'PayloadSchemaMismatch: no field "constructor"'],
    [{ temp: Number.POSITIVE_INFINITY }, 'PayloadSchemaMismatch: field "temp" must be a number, found null'],
  ])('is refused: %j', (payload, message, adapter) => {
    expect(outcome(bind(payload, {}, adapter))).toBe(`R1331 ${message}`)
  })

  it('is refused for a kind that the adapter does not have', () => {
    const prepared = prepareAdapter(THERMOSTAT)
    const kind = (name?: string) => outcome(bindEvent(prepared, () => undefined, event({ temp: 1 }, name)))
    expect(kind('readings')).toBe('R1331 UnknownSemanticKind: no event kind "readings"; did you mean "reading"?')
    expect(outcome(bindEvent(prepared, () => undefined, { ...event({}), semantic_kind: undefined } as unknown as HostedEvent))).toBe(
      'R1331 MissingSemanticKind: the event has no "semantic_kind"',
    )
  })

  it('is refused with every misfit in the data of the fault', () => {
    const bound = bind({ cpu: 'x', load: 1, host: 3 }, {}, METRIC)
    expect('refused' in bound && bound.refused).toMatchObject({
      path: 'payload.cpu',
      fix: 'write "cpu_pct"',
      data: { count: 3, more: ['no field "load"', 'field "host" must be a string, found 3'] },
    })
  })

  it('is refused if the store has a value of another type, or the adapter a key of another type', () => {
    expect(outcome(bind({ temp: 1 }, { heater_on: 1 }))).toContain('the stored value of "heater_on" must be a boolean, found 1')
    const clash = withEvent({ ...FLAT, properties: { x: { type: 'string' } } }, [
      { name: 'x', type: 'Number', required: false, writable: false },
    ])
    expect(outcome(bind({ x: 'a' }, {}, clash))).toContain('ContextTypeMismatch')
    expect(outcome(bind({}, {}, clash))).toEqual({})
  })

  it('is refused if a key is missing that the adapter requires', () => {
    const optional = withEvent({ ...FLAT, properties: { temp: { type: 'number' } } }, THERMOSTAT.context_keys)
    expect(outcome(bind({}, {}, optional))).toContain('MissingContextProvision: field "temp" is missing; the adapter requires it')
    const absent = withEvent({ ...FLAT, properties: {} }, THERMOSTAT.context_keys)
    expect(outcome(bind({}, {}, absent))).toContain(
      'MissingContextProvision: the adapter requires "temp", which events of "reading" cannot',
    )
  })
})

describe('a prepared schema', () => {
  it('follows references to its own parts', () => {
    const low = withEvent({ ...FLAT, properties: { n: { type: 'number', $ref: '#/$defs/low' } }, $defs: { low: { maximum: 5 } } })
    expect(outcome(bind({ n: 5 }, {}, low))).toEqual({ n: 5 })
    expect(outcome(bind({ n: 6 }, {}, low))).toBe('R1331 PayloadSchemaMismatch: payload.n must be at most 5')
  })

  const properties: JsonObject = {
    count: { type: 'integer', minimum: 0, exclusiveMaximum: 10 },
    ratio: { type: 'number', multipleOf: 0.5 },
    mode: { type: 'string', enum: ['on', 'off'] },
    name: { type: 'string', minLength: 2, pattern: '^a' },
    list: { type: 'array', items: { type: 'number' } },
    short: { type: 'array', items: { type: 'integer', minimum: 1 }, maxItems: 2 },
    flag: { type: 'boolean', enum: [true] },
  }
  const values = fc.dictionary(
    fc.constantFrom(...Object.keys(properties), 'other'),
    fc.oneof(
      fc.integer({ min: -2, max: 12 }),
      fc.constantFrom(0.5, 'on', 'off', 'an', 'a', '', true, false, null),
      fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 3 }),
    ),
  )
  it.each<[string, JsonObject]>([
    ['of fields', {}],
    ['with rules for the whole', { minProperties: 1, dependentRequired: { flag: ['mode'] } }],
  ])('%s accepts what the checker of JSON Schema accepts', (_name, more) => {
    const schema = { ...FLAT, properties, required: ['count'], ...more }
    const prepared = prepareAdapter(withEvent(schema))
    const accepted = [0, 0]
    fc.assert(
      fc.property(values, (payload) => {
        const bound = bindEvent(prepared, () => undefined, event(payload))
        const fits = schemaIssues(schema, payload).length === 0
        accepted[fits ? 1 : 0] = (accepted[fits ? 1 : 0] ?? 0) + 1
        expect('context' in bound).toBe(fits)
        if ('context' in bound) expect(bound.context).toEqual({ ...payload })
        else expect(bound.refused.message).not.toBe('the event does not fit its schema')
      }),
      { numRuns: 2000, seed: 20 },
    )
    expect(Math.min(...accepted)).toBeGreaterThan(10)
  })
})

describe('an event of a fixture without an adapter', () => {
  it('is its own context', () => {
    expect(outcome(bindFixture({ ...event({ b: -0, a: [1, -0], c: 'x', d: true }), semantic_kind: undefined } as never))).toEqual({
      a: [1, 0],
      b: 0,
      c: 'x',
      d: true,
    })
    expect(outcome(bindFixture({ event_id: 'e', kind: 'Pump', at: { secs: 0, nanos: 0 } }))).toEqual({})
  })

  it('is refused for a kind, and for values that no context holds', () => {
    const refused = (payload: unknown, kind?: string) =>
      outcome(bindFixture({ ...event(payload), semantic_kind: kind } as unknown as HostedEvent))
    expect(refused({}, 'reading')).toContain('UnknownSemanticKind')
    for (const value of [null, {}, ['a'], [[1]], Number.NaN, '\udc00']) expect(refused({ a: value })).toContain('UnsupportedFieldType')
    expect(refused([])).toContain('PayloadMustBeObject')
    expect(refused(JSON.parse('{"__proto__": [1]}'))).toContain('UnsupportedFieldType')
  })
})
