// proves: dataflow 31, dataflow X.12
import { describe, expect, it } from 'vitest'
import { Catalog } from '../../../../src/kinds/dataflow/manifests/catalog.ts'
import type { Inputs, Parameters } from '../../../../src/kinds/dataflow/model/primitive.ts'
import { normal, SCALAR_TYPES } from '../../../../src/kinds/dataflow/model/value.ts'
import { STANDARD } from '../../../../src/kinds/dataflow/primitives/standard.ts'

const MAX = Number.MAX_VALUE
const MIN = 5e-324
const N = Number.NaN
const I = Number.POSITIVE_INFINITY

/** Calls the function of a built-in primitive; the result is its only output, or its error. */
function call(id: string, inputs: Inputs = {}, parameters: Parameters = {}, context: Readonly<Record<string, unknown>> = {}): unknown {
  const primitive = STANDARD.find(({ manifest }) => manifest.id === id)
  if (primitive === undefined) throw new Error(`no primitive ${id}`)
  if (primitive.kind === 'trigger' || primitive.kind === 'action') return primitive.run(inputs, parameters)
  const outputs =
    primitive.kind === 'source'
      ? primitive.run(parameters, { value: (key) => context[key] as number | undefined })
      : primitive.run(inputs, parameters)
  if ('error' in outputs) return Object.values(outputs).join(' ')
  expect(Object.keys(outputs)).toEqual(primitive.manifest.outputs.map(({ name }) => name))
  return normal(Object.values(outputs)[0] as number)
}

describe('the standard catalogue', () => {
  it('has 7 sources, 27 computes, 2 triggers and 6 actions, which break no rule', () => {
    const catalog = new Catalog(STANDARD)
    const kinds = STANDARD.map(({ kind }) => kind)
    expect(['source', 'compute', 'trigger', 'action'].map((kind) => kinds.filter((each) => each === kind).length)).toEqual([7, 27, 2, 6])
    expect(catalog.ids().length).toBe(42)
    for (const { manifest, op, digest } of STANDARD) {
      expect([manifest.version, op, digest]).toEqual([manifest.id === 'divide' ? '0.2.0' : '0.1.0', manifest.id, undefined])
      expect(manifest.about).toMatch(/^(Emits|True|Its|Writes).*\.$/)
    }
  })

  it('has a source of each type', () => {
    for (const type of SCALAR_TYPES)
      expect(STANDARD.some(({ kind, manifest }) => kind === 'source' && manifest.outputs.some((output) => output.type === type))).toBe(true)
  })

  it.each([
    ['abs', [-0], 0],
    ['abs', [-MIN], MIN],
    ['abs', [-MAX], MAX],
    ['negate', [0], 0],
    ['negate', [MIN], -MIN],
    ['add', [0.1, 0.2], 0.1 + 0.2],
    ['add', [MAX, MAX], I],
    ['add', [MAX, -MAX], 0],
    ['add', [MIN, -MIN], 0],
    ['subtract', [0, 0], 0],
    ['subtract', [-MAX, MAX], -I],
    ['multiply', [-1, 0], 0],
    ['multiply', [-MIN, 0.5], 0],
    ['multiply', [MAX, 2], I],
    ['multiply', [MIN, 1], MIN],
    ['divide', [6, 3], 2],
    ['divide', [1, 0], 'DivisionByZero'],
    ['divide', [1, -0], 'DivisionByZero'],
    ['divide', [0, 0], 'DivisionByZero'],
    ['divide', [MAX, 0.5], 'NonFiniteResult'],
    ['divide', [1, MIN], 'NonFiniteResult'],
    ['divide', [-MIN, 2], 0],
    ['divide', [0, -1], 0],
    ['min', [-1, 0], -1],
    ['min', [-MAX, MAX], -MAX],
    ['max', [-1, 0], 0],
    ['max', [MIN, 0], MIN],
    ['gt', [MIN, 0], true],
    ['gt', [1, 1], false],
    ['gte', [1, 1], true],
    ['gte', [0, MIN], false],
    ['lt', [0, MIN], true],
    ['lt', [1, 1], false],
    ['lte', [1, 1], true],
    ['lte', [MIN, 0], false],
    ['eq', [0.1 + 0.2, 0.3], false],
    ['eq', [0, -0], true],
    ['neq', [0, -0], false],
    ['neq', [MAX, MIN], true],
    ['and', [true, false], false],
    ['and', [true, true], true],
    ['or', [false, true], true],
    ['or', [false, false], false],
    ['not', [true], false],
    ['not', [false], true],
  ] as const)('%s of %j is %s', (id, operands, expected) => {
    const [a = 0, b] = operands
    expect(call(id, b === undefined ? { value: a } : { a, b })).toBe(expected)
  })

  it('divides with a fallback where divide has an error', () => {
    const divide = (a: number, b: number) => call('safe_divide', { a, b }, { fallback: -7 })
    expect([divide(6, 3), divide(1, 0), divide(0, 0), divide(0, -0), divide(MAX, 0.5), divide(-MIN, 2), divide(1, MIN)]).toEqual([
      2, -7, -7, -7, -7, 0, -7,
    ])
  })

  it('selects', () => {
    expect(call('select', { cond: true, when_true: 1, when_false: 2 })).toBe(1)
    expect(call('select', { cond: false, when_true: 1, when_false: 2 })).toBe(2)
    expect(call('select_bool', { cond: true, when_true: false, when_false: true })).toBe(false)
    expect(call('select_bool', { cond: false, when_true: false, when_false: true })).toBe(true)
  })

  it.each([
    ['append', { series: [], value: 1 }, {}, [1]],
    ['append', { series: [2, 3], value: 1 }, {}, [2, 3, 1]],
    ['window', { series: [1, 2, 3] }, { size: 2 }, [2, 3]],
    ['window', { series: [1, 2, 3] }, { size: 3 }, [1, 2, 3]],
    ['window', { series: [1, 2, 3] }, { size: 1e300 }, [1, 2, 3]],
    ['window', { series: [] }, { size: 1 }, []],
    ...[0, -1, 1.5, N, I, MIN].map((size) => ['window', { series: [1] }, { size }, 'InvalidParameter size'] as const),
    ['mean', { series: [] }, {}, 0],
    ['mean', { series: [1, 2] }, {}, 1.5],
    ['mean', { series: [MAX, MAX] }, {}, 'NonFiniteResult'],
    ['mean', { series: [-MIN, 0] }, {}, 0],
    ['sum', { series: [] }, {}, 0],
    ['sum', { series: [0.1, 0.2, 0.3] }, {}, 0.1 + 0.2 + 0.3],
    ['sum', { series: [1e16, 1, -1e16] }, {}, 0],
    ['sum', { series: [MAX, MAX, -MAX] }, {}, 'NonFiniteResult'],
    ['len', { series: [] }, {}, 0],
    ['len', { series: [1, 1] }, {}, 2],
  ] as const)('%s of %j with %j is %s', (id, inputs, parameters, expected) => expect(call(id, inputs, parameters)).toEqual(expected))

  it('emits parameters and keys of the context', () => {
    expect([call('number_source', {}, { value: 3 }), call('boolean_source', {}, { value: true })]).toEqual([3, true])
    expect([call('string_source', {}, { value: 'a' }), call('const_number', {}, { value: 1 })]).toEqual(['a', 1])
    expect(call('const_bool', { unit: false }, { value: true })).toBe(true)
    const values = { number: 1, bool: true, string: 'a', series: [1, 2] }
    const zeros = { number: 0, bool: false, string: '', series: [] }
    for (const [type, value] of Object.entries(values)) {
      const read = (context: Readonly<Record<string, unknown>>) => call(`context_${type}_source`, {}, { key: 'k' }, context)
      expect(read({ k: value })).toEqual(value)
      expect(read({ x: value })).toEqual(zeros[type as keyof typeof zeros])
    }
  })

  it('gates and acts', () => {
    expect([true, false].map((input) => call('emit_if_true', { input }))).toEqual(['Emitted', 'NotEmitted'])
    const both = ['Emitted', 'NotEmitted'].flatMap((event) => [true, false].map((condition) => [event, condition] as const))
    expect(both.map(([event, condition]) => call('emit_if_event_and_true', { event, condition }))).toEqual([
      'Emitted',
      'NotEmitted',
      'NotEmitted',
      'NotEmitted',
    ])
    expect([true, false].map((accept) => call('ack_action', { event: 'Attempted' }, { accept }))).toEqual(['Completed', 'Rejected'])
    expect(call('annotate_action', { event: 'Attempted' }, { note: 'a' })).toBe('Attempted')
    expect(call('context_set_series', { event: 'Attempted', value: [1] }, { key: 'k' })).toBe('Attempted')
  })
})
