import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { shortestCycle } from '../../../src/programs/cycles.ts'
import { graphOf } from '../../../src/kinds/workflow/model/graph.ts'
import { chain, dags, graphs, workflowOf } from './fixtures.ts'

/** Whether a node can be reached by at least one edge: the plain definition. */
function leads(workflow: { edges: readonly { from: string; to: string }[] }, from: string, to: string): boolean {
  const seen = new Set<string>()
  const ahead = [from]
  for (let node = ahead.pop(); node !== undefined; node = ahead.pop()) {
    for (const edge of workflow.edges.filter((edge) => edge.from === node)) {
      if (edge.to === to) return true
      if (!seen.has(edge.to)) ahead.push(edge.to)
      seen.add(edge.to)
    }
  }
  return false
}

describe('the graph of a workflow', () => {
  test('sorts every node after its predecessors', () => {
    fc.assert(
      fc.property(dags, (workflow) => {
        const { order, cycles } = graphOf(workflow)
        expect(cycles).toEqual([])
        expect(order.toSorted()).toEqual(Object.keys(workflow.nodes).toSorted())
        for (const { from, to } of workflow.edges) expect(order.indexOf(from)).toBeLessThan(order.indexOf(to))
      }),
    )
  })

  test('keeps the order of definition where edges allow it', () => {
    expect(graphOf(workflowOf('w', ['c', 'a', 'b'], [])).order).toEqual(['c', 'a', 'b'])
    expect(graphOf(workflowOf('w', ['end', 'b', 'a'], [['a', 'end']])).order).toEqual(['b', 'a', 'end'])
  })

  test('has exactly the nodes on cycles as members of cycles', () => {
    fc.assert(
      fc.property(graphs, (workflow) => {
        const graph = graphOf(workflow)
        const members = new Set(graph.cycles.flat())
        for (const node of graph.nodes) expect(members.has(node)).toBe(leads(workflow, node, node))
        for (const cycle of graph.cycles) for (const a of cycle) for (const b of cycle) expect(leads(workflow, a, b)).toBe(true)
        expect(graph.cycles.flat()).toHaveLength(members.size)
      }),
    )
  })

  test('does not count nodes after a cycle among its members', () => {
    const workflow = workflowOf(
      'w',
      ['start', 'a', 'b', 'end'],
      [
        ['start', 'a'],
        ['a', 'b'],
        ['b', 'a'],
        ['b', 'end'],
      ],
    )
    expect(graphOf(workflow).cycles).toEqual([['a', 'b']])
    expect(
      graphOf(
        workflowOf(
          'w',
          ['a', 'b'],
          [
            ['a', 'a'],
            ['a', 'b'],
          ],
        ),
      ).cycles,
    ).toEqual([['a']])
  })

  test('returns a path around each cycle', () => {
    fc.assert(
      fc.property(graphs, (workflow) => {
        const graph = graphOf(workflow)
        for (const cycle of graph.cycles) {
          const way = shortestCycle(cycle, (node) => graph.outgoing(node).map((edge) => edge.to))
          expect(way[0]).toBe(way.at(-1))
          for (const [i, node] of way.slice(1).entries()) expect(graph.outgoing(way[i] ?? '').map((edge) => edge.to)).toContain(node)
        }
      }),
    )
  })

  test('has ancestors and reachable nodes', () => {
    fc.assert(
      fc.property(graphs, (workflow) => {
        const graph = graphOf(workflow)
        for (const node of graph.nodes) {
          expect([...graph.ancestors(node)].toSorted()).toEqual(graph.nodes.filter((other) => leads(workflow, other, node)).toSorted())
          expect([...graph.reachable(node)].toSorted()).toEqual(
            graph.nodes.filter((other) => other === node || leads(workflow, node, other)).toSorted(),
          )
        }
      }),
    )
  })

  test('tolerates edges from and to unknown nodes, and names of built-in properties', () => {
    const workflow = workflowOf(
      'w',
      ['toString', 'b'],
      [
        ['toString', 'valueOf'],
        ['ghost', 'b'],
        ['toString', 'b'],
      ],
    )
    const graph = graphOf(workflow)
    expect(graph.order).toEqual(['toString', 'b'])
    expect(graph.outgoing('toString').map((edge) => edge.to)).toEqual(['valueOf', 'b'])
    expect(graph.outgoing('constructor')).toEqual([])
    expect(graph.terminals).toEqual(['b'])
    expect([...graph.reachable('constructor')]).toEqual([])
  })

  test('accepts 20,000 nodes in a row, in a ring, and in a fan', () => {
    const row = chain('row', 20_000)
    const ring = { ...row, edges: [...row.edges, { id: 'back', from: 'n19999', to: 'n0', event: 'AGAIN' }] }
    const ids = Object.keys(row.nodes)
    const fan = workflowOf(
      'fan',
      ids,
      ids.slice(1).flatMap((node): [string, string][] => [['n0', node]]),
    )
    expect(graphOf(row).order).toHaveLength(20_000)
    expect(graphOf(row).ancestors('n19999').size).toBe(19_999)
    expect(graphOf(ring).cycles[0]).toHaveLength(20_000)
    expect(graphOf(fan).terminals).toHaveLength(19_999)
  })
})
