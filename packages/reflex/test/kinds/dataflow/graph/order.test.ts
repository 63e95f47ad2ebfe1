// proves: dataflow S3
// proves: dataflow 24
// proves: dataflow R.2
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalOrder, textOrder } from '../../../../src/kinds/dataflow/graph/order.ts'
import type { ClusterDefinition, ClusterEdge, ClusterNode } from '../../../../src/kinds/dataflow/model/document.ts'
import { pathOnly } from '../../../../src/text/index.ts'
import { compile, graphOf } from '../compile.ts'

/** The same order by the definition: of the ready nodes, the smallest id as text. */
function slowOrder(next: readonly (readonly number[])[]): number[] {
  const order: number[] = []
  const before = next.map((_, node) => next.flatMap((after, i) => after.filter((to) => to === node).map(() => i)))
  for (;;) {
    const ready = before.flatMap((nodes, i) => (!order.includes(i) && nodes.every((node) => order.includes(node)) ? [`n${i}`] : []))
    const [first] = ready.sort()
    if (first === undefined) return order
    order.push(Number(first.slice(1)))
  }
}

describe('the canonical order', () => {
  it('takes n10 before n2', () => {
    expect(textOrder(12)).toEqual([0, 1, 10, 11, 2, 3, 4, 5, 6, 7, 8, 9])
    for (const count of [0, 1, 9, 10, 11, 99, 100, 101, 110, 1234]) {
      const sorted = Array.from({ length: count }, (_, i) => String(i)).sort()
      expect(textOrder(count).map(String)).toEqual(sorted)
    }
  })

  it('is that of its definition for every graph, with what is left in cycles', () => {
    const edges = fc.array(fc.tuple(fc.nat({ max: 24 }), fc.nat({ max: 24 })), { maxLength: 60 })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 25 }), edges, fc.boolean(), (count, list, isAcyclic) => {
        const next: number[][] = Array.from({ length: count }, () => [])
        for (const [a, b] of list) if (a < count && b < count && (!isAcyclic || a < b)) next[a]?.push(b)
        const { order, rest } = canonicalOrder(next)
        expect(order).toEqual(slowOrder(next))
        expect([...order, ...rest].sort((a, b) => a - b)).toEqual(next.map((_, i) => i))
      }),
    )
  })

  it('orders the second worked example of the reference', () => {
    const nodes = {
      level: { impl: 'context_bool_source@0.1', params: { key: 'level' } },
      prev: { impl: 'context_bool_source@0.1', params: { key: 'prev' } },
      notprev: { impl: 'not@0.1' },
      rise: { impl: 'and@0.1' },
      edge: { impl: 'emit_if_true@0.1' },
      fire: { impl: 'ack_action@0.1' },
      always: { impl: 'const_bool@0.1', params: { value: true } },
      tick: { impl: 'emit_if_true@0.1' },
      save: { impl: 'context_set_bool@0.1', params: { key: 'prev' } },
    }
    const edges = [
      'prev.value -> notprev.value',
      'level.value -> rise.a',
      'notprev.result -> rise.b',
      'rise.result -> edge.input',
      'edge.event -> fire.event',
      'always.value -> tick.input',
      'tick.event -> save.event',
      'level.value -> save.value',
    ]
    const graph = graphOf({ id: 'g', version: 1, nodes, edges })
    const names = graph.order.map((index) => graph.nodes[index]?.path[0]?.[1])
    expect(names).toEqual(['always', 'level', 'prev', 'notprev', 'rise', 'edge', 'fire', 'tick', 'save'])
    expect(Object.isFrozen(graph) && Object.isFrozen(graph.nodes[0]?.params) && Object.isFrozen(graph.edges[0]?.from)).toBe(true)
  })

  it('takes a chain of 100,000 nodes, and a cycle of 20,000', () => {
    expect(compileChain(100_000, false).graph?.order).toHaveLength(100_001)
    const { findings } = compileChain(20_000, true)
    expect(findings.map(({ rule }) => rule)).toEqual(['V.1'])
    expect(findings[0]?.message.length).toBeLessThan(200)
  })
})

/** Compiles a chain of nodes behind a source, or a cycle of them. */
function compileChain(count: number, isCycle: boolean): ReturnType<typeof compile> {
  const node = (id: string, target: string): ClusterNode => ({ id, is: 'impl', target, selector: '0.1', params: {} })
  const edge = (from: string, port: string, to: string): ClusterEdge => ({ from: { node: from, port }, to: { node: to, port: 'value' } })
  const names = Array.from({ length: count }, (_, i) => `c${i}`)
  const first = isCycle ? edge(`c${count - 1}`, 'result', 'c0') : edge('src', 'value', 'c0')
  const definition: ClusterDefinition = {
    id: 'g',
    version: '1.0.0',
    nodes: [node('src', 'number_source'), ...names.map((name) => node(name, 'negate'))],
    edges: [first, ...names.slice(1).map((name, i) => edge(`c${i}`, 'result', name))],
    inputs: [],
    outputs: [],
    parameters: [],
  }
  return compile({ definition, locate: pathOnly })
}
