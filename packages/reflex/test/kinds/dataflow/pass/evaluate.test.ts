// proves: dataflow S1, dataflow S8, dataflow R.3, dataflow 23, dataflow 25, dataflow 26, dataflow 28, dataflow 30, dataflow 32, dataflow 33, dataflow 35, dataflow 40
// proves: dataflow R.1, dataflow R.2, dataflow R.4, dataflow R.7, dataflow NUM-FINITE-1, dataflow B.2, dataflow CMP-11
// proves: dataflow CMP-12, dataflow SRC-10, dataflow SRC-11, dataflow GW-EFX-META-1, dataflow X.11, dataflow I.4, dataflow S5
// proves: dataflow S6, dataflow S7
import { describe, expect, it, onTestFinished } from 'vitest'
import { definePrimitive } from '../../../../src/kinds/dataflow/manifests/define-primitive.ts'
import type { Primitive } from '../../../../src/kinds/dataflow/model/primitive.ts'
import { decidingInputs } from '../../../../src/kinds/dataflow/pass/deciding.ts'
import { evaluate, type NodeTrace, type PassResult } from '../../../../src/kinds/dataflow/pass/evaluate.ts'
import { contextOf, effectTexts, graphOf, hostAction, hostCompute, type NodeText } from './graph.ts'
import { THERMOSTAT } from './worked-examples.ts'

const MAX = Number.MAX_VALUE

/** Returns the error of a pass as texts: name, node, port, detail, code and rule. */
function errorOf(result: PassResult): readonly (string | undefined)[] {
  if (!('error' in result)) return ['none']
  const { name, node, port, detail, fault } = result.error
  return [name, node, port, detail, fault.code, fault.rule]
}

/** A host source with one output. */
function hostSource(run: (value: unknown) => unknown, type: 'Number' | 'Series' | 'String' = 'Number'): Primitive {
  const manifest = {
    kind: 'source',
    id: 'host_source',
    version: '1.0.0',
    inputs: [],
    outputs: [{ name: 'value', type }],
    parameters: [],
    execution: { deterministic: true },
    state: { allowed: false },
    side_effects: false,
    requires: { context: [{ name: 'k', type: 'Number', required: true }] },
  } as const
  return definePrimitive(manifest, (_, context) => run(context.value('k')) as { value: never })
}

describe('a pass', () => {
  it.each([
    ['divide', 1, 0, ['ComputeFailed', 'n2', undefined, 'DivisionByZero', 'R1370', 'CMP-12']],
    ['divide', 0, 0, ['ComputeFailed', 'n2', undefined, 'DivisionByZero', 'R1370', 'CMP-12']],
    ['divide', MAX, 0.1, ['ComputeFailed', 'n2', undefined, 'NonFiniteResult', 'R1370', 'CMP-12']],
    ['add', MAX, MAX, ['NonFiniteOutput', 'n2', 'result', undefined, 'R1371', 'NUM-FINITE-1']],
    ['multiply', -MAX, 2, ['NonFiniteOutput', 'n2', 'result', undefined, 'R1371', 'NUM-FINITE-1']],
  ] as const)('ends at %s of %d and %d', (id, a, b, expected) => {
    const nodes = {
      a: ['number_source', { value: a }],
      b: ['number_source', { value: b }],
      c: [id, {}, { a: 'a.value', b: 'b.value' }],
    } as const
    expect(errorOf(evaluate(graphOf(nodes), contextOf()))).toEqual(expected)
  })

  it('ends at a window without a size', () => {
    for (const size of [0, -1, 1.5]) {
      const graph = graphOf({ s: ['context_series_source', { key: 's' }], w: ['window', { size }, { series: 's.value' }] })
      expect(errorOf(evaluate(graph, contextOf()))).toEqual([
        'ComputeFailed',
        'n1',
        undefined,
        'InvalidParameter("size")',
        'R1370',
        'CMP-12',
      ])
    }
    const graph = graphOf({ s: ['context_series_source'], w: ['window', { size: Number.NaN }, { series: 's.value' }] })
    expect(errorOf(evaluate(graph, contextOf()))[0]).toBe('ParameterTypeConversionFailed')
  })

  it('ends at a parameter that a graph of a program states wrongly', () => {
    const of = (params: Record<string, number>) => errorOf(evaluate(graphOf({ a: ['const_number', params] }), contextOf()))
    expect(of({})).toEqual(['ParameterTypeConversionFailed', 'n0', undefined, 'value', 'R1375', 'I.4'])
    expect(of({ value: Number.POSITIVE_INFINITY })[5]).toBe('I.4')
    const withInt = { ...hostCompute((a) => ({ result: a })) }
    const manifest = { ...withInt.manifest, parameters: [{ name: 'n', type: 'Int' as const }] }
    const graph = (n: number) => graphOf({ a: ['number_source'], b: [{ ...withInt, manifest }, { n }, { a: 'a.value' }] })
    expect(errorOf(evaluate(graph(2 ** 53 + 2), contextOf()))).toEqual(['ParameterOutOfRange', 'n1', undefined, 'n', 'R1375', 'X.11'])
    expect(errorOf(evaluate(graph(2 ** 53), contextOf()))).toEqual(['none'])
  })

  it('takes the zero of the type for an absent key, and refuses a key of another type', () => {
    const sources = { b: 'bool', n: 'number', s: 'string', v: 'series' }
    const nodes = Object.fromEntries(
      Object.entries(sources).map(([name, type]) => [name, [`context_${type}_source`, { key: name }]] as const),
    )
    const graph = graphOf(nodes, { b: 'b.value', n: 'n.value', s: 's.value', v: 'v.value' })
    expect(evaluate(graph, contextOf())).toEqual({ outputs: { b: false, n: 0, s: '', v: [] }, effects: [] })
    for (const wrong of [
      { b: 1 },
      { b: '' },
      { n: true },
      { n: '1' },
      { n: [1] },
      { s: 1 },
      { s: '\ud800' },
      { v: 1 },
      { v: [1, '2'] },
      { v: Array(1) },
      { v: {} },
    ]) {
      const [key = ''] = Object.keys(wrong)
      const node = `n${Object.keys(sources).indexOf(key)}`
      expect(errorOf(evaluate(graph, contextOf(wrong)))).toEqual(['ContextKeyTypeMismatch', node, key, undefined, 'R1372', 'SRC-11'])
    }
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(errorOf(evaluate(graph, contextOf({ n: value })))).toEqual([
        'NonFiniteOutput',
        'n1',
        'value',
        undefined,
        'R1371',
        'NUM-FINITE-1',
      ])
      expect(errorOf(evaluate(graph, contextOf({ v: [0, value] })))[0]).toBe('NonFiniteOutput')
    }
  })

  it('needs a required key', () => {
    const graph = graphOf({ a: [hostSource((k) => ({ value: k }))] }, { a: 'a.value' })
    expect(errorOf(evaluate(graph, contextOf()))).toEqual(['MissingRequiredContextKey', 'n0', 'k', undefined, 'R1372', 'SRC-10'])
    expect(evaluate(graph, contextOf({ k: 2 }))).toEqual({ outputs: { a: 2 }, effects: [] })
  })

  it('writes no −0, wherever it comes from', () => {
    const graph = graphOf(
      {
        a: ['context_number_source', { key: 'a' }],
        v: ['context_series_source', { key: 'v' }],
        half: ['number_source', { value: 0.5 }],
        neg: ['negate', {}, { value: 'a.value' }],
        mul: ['multiply', {}, { a: 'tiny.value', b: 'half.value' }],
        div: ['divide', {}, { a: 'tiny.value', b: 'two.value' }],
        two: ['number_source', { value: 2 }],
        tiny: ['number_source', { value: -5e-324 }],
        mean: ['mean', {}, { series: 'v.value' }],
        host: [hostCompute(() => ({ result: -0 })), {}, { a: 'a.value' }],
      },
      { a: 'a.value', v: 'v.value', neg: 'neg.result', mul: 'mul.result', div: 'div.result', mean: 'mean.result', host: 'host.result' },
    )
    const result = evaluate(graph, contextOf({ a: -0, v: [-5e-324, -0] }))
    // toEqual distinguishes 0 and −0.
    expect(result).toEqual({ outputs: { a: 0, v: [-5e-324, 0], neg: 0, mul: 0, div: 0, mean: 0, host: 0 }, effects: [] })
  })

  it.each([
    ['undefined', undefined, 'TypeConversionFailed', 'V.4'],
    ['a number', 3, 'TypeConversionFailed', 'V.4'],
    ['a list', [1], 'TypeConversionFailed', 'V.4'],
    ['nothing', {}, 'MissingOutput', 'CMP-11'],
    ['an inherited output', Object.create({ result: 1 }), 'MissingOutput', 'CMP-11'],
    ['another output', { result: 1, other: 2 }, 'UndeclaredOutput', undefined],
    ['another type', { result: '1' }, 'TypeConversionFailed', 'V.4'],
    ['NaN', { result: Number.NaN }, 'NonFiniteOutput', 'NUM-FINITE-1'],
    ['an error', { error: 'Bad' }, 'ComputeFailed', 'CMP-12'],
    ['an error that is no text', { error: 3 }, 'TypeConversionFailed', 'V.4'],
    ['a promise', async () => ({ result: 1 }), 'TypeConversionFailed', 'V.4'],
    ['a promise that fails', () => Promise.reject(new Error('late')), 'TypeConversionFailed', 'V.4'],
    [
      'a proxy that throws',
      new Proxy(
        {},
        {
          ownKeys: () => {
            throw new Error('trap')
          },
        },
      ),
      'FunctionThrew',
      undefined,
    ],
  ] as const)('ends at a function of the host that returns %s', async (_, returned, name, rule) => {
    const unhandled: unknown[] = []
    const note = (reason: unknown) => unhandled.push(reason)
    process.on('unhandledRejection', note)
    onTestFinished(() => void process.off('unhandledRejection', note))
    const later = { calls: 0 }
    const graph = graphOf({
      a: ['number_source'],
      b: [hostCompute(() => (typeof returned === 'function' ? (returned as () => unknown)() : returned)), {}, { a: 'a.value' }],
      c: [hostCompute((a) => ({ result: a + later.calls++ })), {}, { a: 'b.result' }],
    })
    const [error, node, , , , found] = errorOf(evaluate(graph, contextOf()))
    expect([error, node, found]).toEqual([name, 'n1', rule])
    expect(later.calls).toBe(0)
    await new Promise((resolve) => setImmediate(resolve))
    expect(unhandled).toEqual([])
  })

  it('ends at a function of the host that throws, whatever it throws', () => {
    for (const thrown of [
      new Error('boom'),
      'boom',
      undefined,
      {
        toString: () => {
          throw new Error('no text')
        },
      },
    ]) {
      const graph = graphOf({
        a: ['number_source'],
        b: [
          hostCompute(() => {
            // oxlint-disable-next-line typescript/only-throw-error -- functions of a host throw anything
            throw thrown
          }),
          {},
          { a: 'a.value' },
        ],
      })
      expect(errorOf(evaluate(graph, contextOf()))).toEqual(['FunctionThrew', 'n1', undefined, undefined, 'R1374', undefined])
    }
  })

  it('refuses the outcome "Skipped" and other texts from a function', () => {
    const of = (outcome: unknown) => {
      const graph = graphOf({
        on: ['const_bool', { value: true }],
        gate: ['emit_if_true', {}, { input: 'on.value' }],
        act: [hostAction(() => outcome), { zone: 'z' }, { event: 'gate.event', on: 'on.value' }],
      })
      return errorOf(evaluate(graph, contextOf(), { graphId: 'g', eventId: 'e' }))
    }
    expect([of('Skipped')[5], of('Done')[5], of(undefined)[0], of('Failed')]).toEqual(['R.7', 'V.4', 'TypeConversionFailed', ['none']])
  })

  it('gives functions of the host copies: nothing that they change reaches another node or the caller', () => {
    const manifest = {
      kind: 'compute',
      id: 'greedy',
      version: '1.0.0',
      inputs: [{ name: 'series', type: 'Series' }],
      outputs: [{ name: 'result', type: 'Series' }],
      parameters: [],
      execution: { deterministic: true },
      state: { allowed: false },
      side_effects: false,
    } as const
    const kept: number[][] = []
    const greedy = definePrimitive(manifest, (inputs) => {
      const series = inputs.series as number[]
      series.push(9)
      expect(() => Object.assign(inputs, { series: [] })).toThrow(TypeError)
      kept.push(series)
      return { result: series }
    })
    const graph = graphOf(
      {
        v: ['context_series_source', { key: 'v' }],
        w: [greedy, {}, { series: 'v.value' }],
        x: [greedy, {}, { series: 'v.value' }],
        z: ['len', {}, { series: 'w.result' }],
      },
      { v: 'v.value', w: 'w.result', x: 'x.result', z: 'z.result' },
    )
    const snapshot = { v: [1] }
    const result = evaluate(graph, contextOf(snapshot))
    kept[0]?.push(10)
    expect(result).toEqual({ outputs: { v: [1], w: [1, 9], x: [1, 9], z: 2 }, effects: [] })
    expect(snapshot).toEqual({ v: [1] })
    if (!('error' in result)) (result.outputs['v'] as number[]).push(5)
    expect(snapshot).toEqual({ v: [1] })
  })

  it('skips an action if one of its gates holds, and calls its function once if all emit', () => {
    const two = hostAction()
    const manifest = { ...two.manifest, inputs: [...two.manifest.inputs, { name: 'also', type: 'Event' as const, required: false }] }
    const calls: unknown[] = []
    const run = (inputs: unknown) => (calls.push(inputs), 'Rejected' as const)
    const action = { ...two, manifest, run } as Primitive
    const nodes = (more: Record<string, string>): Record<string, NodeText> => ({
      a: ['context_bool_source', { key: 'a' }],
      b: ['context_bool_source', { key: 'b' }],
      and_a: ['and', {}, { a: 'a.value', b: 'a.value' }],
      and_b: ['and', {}, { a: 'b.value', b: 'b.value' }],
      gate_a: ['emit_if_true', {}, { input: 'and_a.result' }],
      gate_b: ['emit_if_true', {}, { input: 'and_b.result' }],
      act: [action, { zone: 'z' }, { event: 'gate_a.event', on: 'a.value', ...more }],
    })
    const both = graphOf(nodes({ also: 'gate_b.event' }), { outcome: 'act.outcome' })
    const ids = { graphId: 'g', eventId: 'e' }
    for (const context of [{ a: true }, { b: true }, {}]) {
      expect(evaluate(both, contextOf(context), ids)).toEqual({ outputs: { outcome: 'Skipped' }, effects: [] })
    }
    expect(calls).toEqual([])
    const result = evaluate(both, contextOf({ a: true, b: true }), ids)
    expect(calls).toEqual([{ event: 'Attempted', also: 'Attempted', on: true }])
    // A rejected action has its effects all the same.
    expect(['outputs' in result && result.outputs, effectTexts(result)]).toEqual([
      { outcome: 'Rejected' },
      ['heater_on=true', 'heater_command{on:true,zone:z}'],
    ])
    const one = graphOf(nodes({}), { outcome: 'act.outcome' })
    expect(effectTexts(evaluate(one, contextOf({ a: true }), ids)).length).toBe(2)
  })

  it('goes on after an action that fails', () => {
    const gated = { on: ['const_bool', { value: true }], gate: ['emit_if_true', {}, { input: 'on.value' }] } as const
    for (const outcome of ['Failed', 'Cancelled', 'Rejected', 'Completed']) {
      const first: NodeText = [hostAction(() => outcome), { zone: 'z' }, { event: 'gate.event', on: 'on.value' }]
      const second: NodeText = ['context_set_bool', { key: 'k' }, { event: 'gate.event', value: 'on.value' }]
      const graph = graphOf({ ...gated, a: first, z: second }, { a: 'a.outcome', z: 'z.outcome' })
      const result = evaluate(graph, contextOf(), { graphId: 'g', eventId: 'e' })
      expect('outputs' in result && result.outputs).toEqual({ a: outcome, z: 'Attempted' })
      expect(effectTexts(result)).toEqual(['heater_on=true', 'heater_command{on:true,zone:z}', 'k=true'])
    }
  })

  it('has no effects and no outputs after an error, also of actions before it', () => {
    const graph = graphOf(
      {
        on: ['const_bool', { value: true }],
        gate: ['emit_if_true', {}, { input: 'on.value' }],
        act: ['context_set_bool', { key: 'k' }, { event: 'gate.event', value: 'on.value' }],
        z0: ['context_number_source', { key: 'x' }],
        z1: ['divide', {}, { a: 'z0.value', b: 'z0.value' }],
      },
      { outcome: 'act.outcome' },
    )
    expect(Object.keys(evaluate(graph, contextOf()))).toEqual(['error'])
    expect(effectTexts(evaluate(graph, contextOf({ x: 1 })))).toEqual(['k=true'])
  })

  it('refuses a graph with intents without ids, before a function runs', () => {
    const calls: unknown[] = []
    const graph = graphOf({
      a: ['number_source'],
      b: [hostCompute((a) => (calls.push(a), { result: a })), {}, { a: 'a.value' }],
      on: ['const_bool', { value: true }],
      gate: ['emit_if_true', {}, { input: 'on.value' }],
      act: [hostAction(), { zone: 'z' }, { event: 'gate.event', on: 'on.value' }],
    })
    expect(errorOf(evaluate(graph, contextOf()))).toEqual([
      'IntentMetadataRequired',
      undefined,
      undefined,
      undefined,
      'R1376',
      'GW-EFX-META-1',
    ])
    expect(calls).toEqual([])
    expect(effectTexts(evaluate(graph, contextOf(), { graphId: 'g', eventId: 'e' })).length).toBe(2)
  })

  it('calls each function once, in the order of the ids as text, and gives equal bits a thousand times', () => {
    const calls: string[] = []
    const compute = (name: string) => hostCompute((a) => (calls.push(name), { result: a + 0.1 }), 'c')
    const names = Array.from({ length: 12 }, (_, i) => `m${String(i).padStart(2, '0')}`)
    const nodes: Record<string, NodeText> = { a: ['context_number_source', { key: 'a' }] }
    for (const name of names) nodes[name] = [compute(name), {}, { a: 'a.value' }]
    const outputs = Object.fromEntries(names.map((name) => [name, `${name}.result`]))
    const graph = graphOf(nodes, outputs)
    const shuffled = graphOf(Object.fromEntries(Object.entries(nodes).reverse()), outputs)
    const first = evaluate(graph, contextOf({ a: 0.2 }))
    // n0 is the source; n1, n10, n11, n12, n2, …
    expect(calls.map((name) => Number(name.slice(1)) + 1)).toEqual([1, 10, 11, 12, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(evaluate(shuffled, contextOf({ a: 0.2 }))).toEqual(first)
    for (let i = 0; i < 1000; i++) {
      evaluate(graph, contextOf({ a: i }))
      expect(evaluate(graph, contextOf({ a: 0.2 }))).toEqual(first)
    }
  })

  it('traces each node: its values, and the gates that held', () => {
    const trace: NodeTrace[] = []
    evaluate(THERMOSTAT, contextOf({ temp: 20 }), { graphId: 'g', eventId: 'e' }, { trace: (node) => trace.push(node) })
    expect(trace.map(({ node }) => node)).toEqual(THERMOSTAT.order)
    const act = trace.find(({ node }) => node === 0)
    expect(act).toEqual({
      node: 0,
      inputs: { event: 'NotEmitted', on: false },
      outputs: { outcome: 'Skipped' },
      held: ['event'],
      decided: ['event'],
    })
    const failing: NodeTrace[] = []
    evaluate(graphOf({ a: ['number_source'], b: ['divide', {}, { a: 'a.value', b: 'a.value' }] }), contextOf(), undefined, {
      trace: (node) => failing.push(node),
    })
    expect(failing.at(-1)).toEqual({ node: 1, inputs: { a: 0, b: 0 }, outputs: {}, held: [], decided: ['a', 'b'] })
  })

  it.each([
    ['and', { a: true, b: false }, ['b']],
    ['and', { a: false, b: false }, ['a', 'b']],
    ['and', { a: true, b: true }, ['a', 'b']],
    ['or', { a: true, b: false }, ['a']],
    ['or', { a: false, b: false }, ['a', 'b']],
    ['select', { cond: true, when_true: 1, when_false: 2 }, ['cond', 'when_true']],
    ['select_bool', { cond: false, when_true: true, when_false: true }, ['cond', 'when_false']],
    ['min', { a: 1, b: 2 }, ['a']],
    ['max', { a: 1, b: 2 }, ['b']],
    ['max', { a: 2, b: 2 }, ['a', 'b']],
    ['multiply', { a: 0, b: 2 }, ['a']],
    ['multiply', { a: 3, b: 2 }, ['a', 'b']],
    ['safe_divide', { a: 3, b: 0 }, ['b']],
    ['gt', { a: 3, b: 0 }, ['a', 'b']],
    ['const_number', { unit: 3 }, []],
    ['emit_if_event_and_true', { event: 'Emitted', condition: false }, ['condition']],
    [undefined, { x: 1 }, ['x']],
    ['constructor', { x: 1 }, ['x']],
  ] as const)('says what decided %s of %j: %j', (op, inputs, expected) => expect(decidingInputs(op, inputs)).toEqual(expected))
})
