// proves: dataflow 10
// proves: dataflow 11
// proves: dataflow 21
// proves: dataflow 25
// proves: dataflow X.4
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { decodeDefinition } from '../../../../src/kinds/dataflow/documents/read.ts'
import type { ValidatedGraph } from '../../../../src/kinds/dataflow/model/graph.ts'
import type { Scalar } from '../../../../src/kinds/dataflow/model/value.ts'
import { evaluate } from '../../../../src/kinds/dataflow/pass/evaluate.ts'
import { compile, findingTexts, graphOf } from '../compile.ts'
import { contextOf } from '../pass/graph.ts'
import { clusteredDocument, randomContext, randomDocument, shuffledDocument } from '../random-graph.ts'

const places = fc.array(fc.nat({ max: 1012 }), { minLength: 1, maxLength: 20 })

/** Returns what a pass depends on: everything but the paths of nodes. */
function shape(graph: ValidatedGraph): unknown {
  return {
    nodes: graph.nodes.map(({ id, primitive: { manifest }, params }) => ({ id, primitive: manifest.id, params })),
    order: graph.order,
    outputs: graph.outputs,
    producers: graph.producers,
  }
}

/** Returns the result of a pass. Errors name their node by its runtime id. */
function resultOf(graph: ValidatedGraph, context: Readonly<Record<string, Scalar>>): unknown {
  const result = evaluate(graph, contextOf(context), { graphId: 'g', eventId: 'e' })
  if (!('error' in result)) return result
  const { name, node, port, detail } = result.error
  return { name, node, port, detail }
}

it('is one graph in whatever order its nodes and edges are declared', () => {
  fc.assert(
    fc.property(randomDocument(), places, randomContext(), (document, order, context) => {
      const graph = graphOf(document)
      const other = graphOf(shuffledDocument(document, order))
      expect(shape(other)).toEqual(shape(graph))
      expect(resultOf(other, context)).toEqual(resultOf(graph, context))
    }),
  )
})

it('is the same graph with a part of it in a cluster, and with a part of that in another', () => {
  fc.assert(
    fc.property(randomDocument(), fc.nat(), fc.nat(), fc.nat(), randomContext(), (document, from, length, inner, context) => {
      const count = Object.keys(document.nodes).length
      const start = from % count
      const outer = clusteredDocument(document, start, start + 1 + (length % (count - start)), 'outer')
      const inside = Object.keys(outer.cluster.nodes).length
      const nested = clusteredDocument(outer.cluster, inner % inside, inside, 'inner')
      const graph = graphOf(document)
      const flat = shape(graph)
      const once = graphOf(outer.document, { clusters: [outer.cluster] })
      const twice = graphOf(outer.document, { clusters: [{ ...nested.document, id: 'outer' }, nested.cluster] })
      expect(shape(once)).toEqual(flat)
      expect(shape(twice)).toEqual(flat)
      expect(resultOf(twice, context)).toEqual(resultOf(graph, context))
    }),
  )
})

it('has the same findings in whatever order its nodes are declared', () => {
  const broken = fc.tuple(randomDocument({ maxNodes: 12 }), fc.array(fc.nat(), { minLength: 1, maxLength: 6 })).map(([document, picks]) => {
    const names = Object.keys(document.nodes)
    const pick = (i: number) => names[i % names.length] ?? ''
    const nodes = Object.fromEntries(
      Object.entries(document.nodes).map(([name, node], i) => [name, picks.includes(i) ? { impl: 'nothing@1' } : node]),
    )
    return { ...document, nodes, edges: [...document.edges, ...picks.map((i) => `${pick(i)}.value -> ${pick(i >> 4)}.value`)] }
  })
  fc.assert(
    fc.property(broken, places, (document, order) => {
      const keys = { ...shuffledDocument(document, order), edges: document.edges }
      const findings = findingTexts(compile(document).findings)
      expect(findings.length).toBeGreaterThan(0)
      expect(findingTexts(compile(keys).findings)).toEqual(findings)
    }),
  )
})

it('never throws, whatever the documents say of each other', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'constructor', 'value', 'x')
  const target = fc.constantFrom('not@0.1', 'emit_if_true@*', 'ack_action@0.1', 'number_source@0.1', 'k0@1', 'k1@1', 'k2@1', 'gone@1', 'gt')
  const end = fc.tuple(name, fc.constantFrom('value', 'result', 'event', 'input', 'x')).map((parts) => parts.join('.'))
  const node = fc
    .tuple(target, fc.dictionary(name, fc.oneof(fc.constantFrom(1, 1.5, true, 'k'), fc.record({ exposed: name }))))
    .map(([of, params]) => ({
      [of.startsWith('k') ? 'cluster' : 'impl']: of,
      params,
    }))
  const parts = fc.record({
    nodes: fc.dictionary(name, node),
    edges: fc.array(fc.tuple(fc.oneof(end, fc.constant('$x')), end).map((ends) => ends.join(' -> '))),
    inputs: fc.constantFrom([{ name: 'x', type: 'Bool' }], [{ name: 'x', type: 'Event', required: false }]),
    parameters: fc.array(
      fc.record({ name, type: fc.constantFrom('Int', 'String'), default: fc.constantFrom(1, 'k', { derive_key: 'k' }) }),
    ),
    outputs: fc.dictionary(name, end),
  })
  const isReadable = (document: object) => decodeDefinition(document).source !== undefined
  fc.assert(
    fc.property(fc.array(parts, { minLength: 3, maxLength: 3 }), (list) => {
      const documents = list.map((part, i) => ({ id: `k${i}`, version: 1, ...part })).filter(isReadable)
      for (const document of documents) {
        const { graph, findings, expanded } = compile(document, { clusters: documents })
        expect(graph === undefined).toBe(findings.length > 0)
        if (graph !== undefined) expect(graph.order).toHaveLength(expanded.nodes.length)
      }
    }),
    { numRuns: 200 },
  )
})
