// proves: dataflow 23, dataflow 26
import * as fc from 'fast-check'
import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Primitive } from '../../../../src/kinds/dataflow/model/primitive.ts'
import { compilePass, type PassMode } from '../../../../src/kinds/dataflow/pass/compile-pass.ts'
import { evaluate, type PassResult } from '../../../../src/kinds/dataflow/pass/evaluate.ts'
import { OPERATIONS, CONSTANTS, CONTEXT_SOURCES, FIXED_ACTIONS } from '../../../../src/kinds/dataflow/pass/operations.ts'
import { STANDARD } from '../../../../src/kinds/dataflow/primitives/standard.ts'
import { contextOf, graphOf, hostCompute, type NodeText } from './graph.ts'
import { bits, type Calls, contexts, EDGE_NUMBERS, type GraphSeed, graphSeeds, mildContexts, randomGraph } from './random-graph.ts'

const IDS = { graphId: 'g', eventId: 'e' }
const COMPILED = ['grouped', 'generated', 'chunked'] as const

/** A result as text: equal texts are equal bits. */
function textOf(result: PassResult): string {
  return bits(result)
}

interface Seen {
  errors: number
  effects: number
  calls: number
  successes: number
}

/** Runs events through the interpreter and a compiled pass, and compares values, effects, errors and the calls of functions. */
function compare(seed: GraphSeed, mode: PassMode | undefined, events: readonly Readonly<Record<string, unknown>>[], seen?: Seen): void {
  const ours: Calls = []
  const theirs: Calls = []
  const graph = randomGraph(seed, theirs)
  const pass = compilePass(randomGraph(seed, ours), mode === undefined ? {} : { mode })
  for (const values of events) {
    const expected = evaluate(graph, contextOf(values), IDS)
    expect(textOf(pass.run(contextOf(values), IDS))).toBe(textOf(expected))
    if (seen !== undefined) seen['error' in expected ? 'errors' : 'successes']++
    if (seen !== undefined && 'effects' in expected) seen.effects += expected.effects.length
  }
  // Each function of the host is called as often and in the same order, also before an error.
  expect(ours).toEqual(theirs)
  if (seen !== undefined) seen.calls += theirs.length
}

describe('a compiled pass', () => {
  it('knows every built-in primitive', () => {
    const known = [...OPERATIONS.keys(), ...CONSTANTS, ...CONTEXT_SOURCES, ...FIXED_ACTIONS]
    expect(known.toSorted()).toEqual(STANDARD.map(({ op }) => String(op)).toSorted())
  })

  it.each(COMPILED)('gives the bits, effects and errors of the interpreter: %s', (mode) => {
    const seen: Seen = { errors: 0, effects: 0, calls: 0, successes: 0 }
    const events = fc.array(fc.oneof(contexts, mildContexts), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(graphSeeds, events, (seed, list) => compare(seed, mode, list, seen)),
      { numRuns: 250 },
    )
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(10)
  })

  it.each(COMPILED)('gives the same for graphs of several functions: %s', (mode) => {
    const seen: Seen = { errors: 0, effects: 0, calls: 0, successes: 0 }
    const seeds = fc.record({
      size: fc.integer({ min: 240, max: 1200 }),
      choices: fc.array(fc.nat(), { minLength: 400, maxLength: 400 }),
      host: fc.constantFrom(0, 1),
      mild: fc.constant(true),
    })
    fc.assert(
      fc.property(seeds, fc.array(mildContexts, { minLength: 2, maxLength: 2 }), (seed, list) => compare(seed, mode, list, seen)),
      { numRuns: 6 },
    )
    expect(seen.successes).toBeGreaterThan(0)
  })

  it('skips no node whose inputs have changed, whatever changes from event to event, and after errors', () => {
    const seen: Seen = { errors: 0, effects: 0, calls: 0, successes: 0 }
    const seeds = fc.record({
      size: fc.integer({ min: 60, max: 400 }),
      choices: fc.array(fc.nat(), { minLength: 300, maxLength: 300 }),
      host: fc.constantFrom(0, 1, 5),
      mild: fc.boolean(),
    })
    // Each event has most of the values of the one before.
    const changes = fc.array(fc.tuple(fc.oneof(contexts, mildContexts), fc.integer({ min: 0, max: 7 })), { minLength: 4, maxLength: 12 })
    fc.assert(
      fc.property(seeds, mildContexts, changes, (seed, first, list) => {
        let values: Readonly<Record<string, unknown>> = first
        const events = list.map(([other, which]) => {
          const key = Object.keys(other)[which]
          values = key === undefined ? values : { ...values, [key]: other[key] }
          return values
        })
        compare(seed, 'chunked', events, seen)
      }),
      { numRuns: 80 },
    )
    expect(seen.errors).toBeGreaterThan(10)
    expect(seen.successes).toBeGreaterThan(10)
  })

  it('stays the same over many events, of which some change much of a large graph and some little', () => {
    const seed = { size: 2_100, choices: Array.from({ length: 97 }, (_, i) => i * i), host: 0, mild: true }
    const events = fc.sample(mildContexts, { numRuns: 140, seed: 11 })
    const quiet = events.slice(0, 10).map(({ s1 }) => ({ ...events[0], s1 }))
    compare(seed, undefined, [...quiet, ...events, ...quiet])
  })

  it('stays the same when it becomes hot', () => {
    const seed = { size: 50, choices: Array.from({ length: 97 }, (_, i) => i * i), host: 10, mild: true }
    const [values = {}] = fc.sample(mildContexts, { numRuns: 1, seed: 7 })
    compare(
      seed,
      undefined,
      Array.from({ length: 250 }, (_, i) => ({ ...values, n1: i, b1: i % 3 === 0 })),
    )
  })

  it.each(COMPILED)('keeps the edges of every operation on two numbers: %s', (mode) => {
    const binary = STANDARD.filter(({ manifest, kind }) => kind === 'compute' && manifest.inputs.map(({ name }) => name).join() === 'a,b')
    const numbers = binary.filter(({ manifest }) => manifest.inputs[0]?.type === 'Number')
    expect(numbers.length).toBe(13)
    for (const { manifest } of numbers) {
      const params = Object.fromEntries(manifest.parameters.map(({ name }) => [name, 7]))
      const graph = graphOf(
        {
          a: ['context_number_source', { key: 'a' }],
          b: ['context_number_source', { key: 'b' }],
          c: [manifest.id, params, { a: 'a.value', b: 'b.value' }],
        },
        { c: 'c.result' },
      )
      const pass = compilePass(graph, { mode })
      const differing = EDGE_NUMBERS.flatMap((a) =>
        EDGE_NUMBERS.filter((b) => textOf(pass.run(contextOf({ a, b }))) !== textOf(evaluate(graph, contextOf({ a, b })))).map((b) => [
          a,
          b,
        ]),
      )
      expect([manifest.id, differing]).toEqual([manifest.id, []])
    }
  })

  it.each([...COMPILED, 'checked'] as const)('calls no function after an error, and each once: %s', (mode) => {
    const calls: string[] = []
    const note = (name: string): Primitive => hostCompute((a) => (calls.push(name), { result: a }), 'note')
    const nodes: Record<string, NodeText> = {
      a: ['context_number_source', { key: 'a' }],
      b: [note('b'), {}, { a: 'a.value' }],
      c: ['divide', {}, { a: 'b.result', b: 'a.value' }],
      d: [note('d'), {}, { a: 'a.value' }],
      e: [note('e'), {}, { a: 'c.result' }],
    }
    const pass = compilePass(graphOf(nodes, { e: 'e.result' }), { mode })
    expect(pass.run(contextOf({ a: 0 }))).toMatchObject({ error: { name: 'ComputeFailed', node: 'n2' } })
    expect(calls).toEqual(['b'])
    expect(pass.run(contextOf({ a: 2 }))).toEqual({ outputs: { e: 1 }, effects: [] })
    expect(calls).toEqual(['b', 'b', 'd', 'e'])
  })

  it('calls no function of a built-in primitive', () => {
    const silent = STANDARD.map((primitive) => ({ ...primitive, run: () => 'called' }) as unknown as Primitive)
    const of = (id: string) => silent.find(({ op }) => op === id) as Primitive
    const nodes: Record<string, NodeText> = {
      a: [of('context_number_source'), { key: 'a' }],
      b: [of('multiply'), {}, { a: 'a.value', b: 'a.value' }],
      c: [hostCompute((a) => ({ result: a + 1 })), {}, { a: 'b.result' }],
      d: [of('gt'), {}, { a: 'c.result', b: 'a.value' }],
      e: [of('emit_if_true'), {}, { input: 'd.result' }],
      f: ['context_set_number', { key: 'k' }, { event: 'e.event', value: 'c.result' }],
    }
    for (const mode of COMPILED) {
      const result = compilePass(graphOf(nodes, { f: 'f.outcome' }), { mode }).run(contextOf({ a: 3 }))
      const effects = [{ kind: 'set_context', writes: [{ key: 'k', value: { Number: 10 } }], intents: [] }]
      expect(result).toEqual({ outputs: { f: 'Attempted' }, effects })
    }
  })

  it('keeps nothing of a pass for the next', () => {
    const graph = graphOf(
      {
        v: ['context_series_source', { key: 'v' }],
        n: ['context_number_source', { key: 'n' }],
        s: ['append', {}, { series: 'v.value', value: 'n.value' }],
      },
      { s: 's.result', v: 'v.value' },
    )
    for (const mode of COMPILED) {
      const pass = compilePass(graph, { mode })
      const first = pass.run(contextOf({ v: [1], n: 2 }))
      if ('outputs' in first) for (const list of Object.values(first.outputs)) (list as number[]).push(9)
      expect(pass.run(contextOf())).toEqual({ outputs: { s: [0], v: [] }, effects: [] })
      expect(pass.run(contextOf({ v: [1], n: Number.NaN }))).toMatchObject({ error: { name: 'NonFiniteOutput', node: 'n0' } })
      expect(pass.run(contextOf({ v: [1] }))).toEqual({ outputs: { s: [1, 0], v: [1] }, effects: [] })
    }
  })

  it('runs where evaluation of strings is not allowed', () => {
    const script = `
      import { compilePass } from './src/kinds/dataflow/pass/compile-pass.ts'
      import { STANDARD } from './src/kinds/dataflow/primitives/standard.ts'
      const primitive = STANDARD.find(({ op }) => op === 'number_source')
      const node = { id: 'n0', primitive, selector: '0.1.0', params: { value: 4 }, path: [] }
      const add = { id: 'n1', primitive: STANDARD.find(({ op }) => op === 'add'), selector: '0.1.0', params: {}, path: [] }
      const from = { node: 0, port: 'value' }
      const graph = { id: 'g', version: '1.0.0', nodes: [node, add], edges: [], order: [0, 1], producers: [{}, { a: from, b: from }],
        outputs: [{ name: 'sum', node: 1, port: 'result', type: 'Number' }] }
      let evaluation = 'allowed'
      try { new Function('return 1')() } catch { evaluation = 'refused' }
      console.log(evaluation, JSON.stringify(compilePass(graph, { mode: 'generated' }).run({ value: () => undefined })))`
    const cwd = resolve(import.meta.dirname, '../../../..')
    const output = execFileSync(process.execPath, ['--disallow-code-generation-from-strings', '--input-type=module', '-e', script], {
      cwd,
      encoding: 'utf8',
    })
    expect(output.trim()).toBe('refused {"outputs":{"sum":8},"effects":[]}')
  })
})
