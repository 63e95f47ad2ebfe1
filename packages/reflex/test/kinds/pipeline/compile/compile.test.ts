import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { compileGraph } from '../../../../src/kinds/pipeline/face/read-pipeline.ts'
import { threadKey } from '../../../../src/kinds/pipeline/model/thread-key.ts'
import type { Attributes, DotGraph, DotNode, Provenance } from '../../../../src/kinds/pipeline/dot/graph.ts'
import { parse } from '../../../../src/kinds/pipeline/dot/parse.ts'
import { BUILT_IN_OPERATIONS } from '../../../../src/kinds/pipeline/operations/built-in.ts'
import { compiled } from './compiled.ts'

// proves: pipeline 11.1b
test('what was compiled without options is kept with the graph', () => {
  const graph = parse('digraph g { a -> b }')
  expect(compileGraph(graph)).toBe(compileGraph(graph, {}))
  expect(compileGraph(graph, { custom: new Map([['x', {}]]) })).not.toBe(compileGraph(graph))
  expect(compileGraph(parse('digraph g { a -> b }'))).toEqual(compileGraph(graph))
})

test('every node has its lists of edges, in the order of declaration', () => {
  const typed = compiled('a; start -> done [label=one]; start -> done [label=two]; a -> done')
  expect(typed.outgoing.get('start')?.map(({ label }) => label)).toEqual(['one', 'two'])
  expect(typed.incoming.get('done')?.map(({ edge }) => edge.index)).toEqual([0, 1, 2])
  expect(typed.outgoing.get('done')).toEqual([])
  expect(typed.incoming.get('a')).toEqual([])
})

test('the nodes of each type are listed', () => {
  const { handlers } = compiled('a [prompt=x]; b [prompt=y]; c [shape=diamond]')
  expect(Object.fromEntries(handlers)).toEqual({ start: ['start'], exit: ['done'], compute: ['a', 'b'], branch: ['c'] })
})

// proves: pipeline 2.6.38
test('a thread is that of the node, of the edge, of the graph, of its class, of the stage before', () => {
  const graph = parse(
    'digraph g { thread_id=whole; a [thread_id=own]; subgraph s { label="Loop A"; b }; c [class="x,y"]; d; b -> c [thread_id=edge] }',
  )
  const plain = { ...graph, attributes: new Map() }
  const { nodes } = compileGraph(graph)
  const key = (id: string, within: DotGraph, edge?: Attributes): string | undefined => {
    const node = nodes.get(id)
    return node && threadKey(node, edge, within, 'before')
  }
  const edge = graph.edges[0]?.attributes
  expect(key('a', graph, edge)).toBe('own')
  expect(key('c', graph, edge)).toBe('edge')
  expect(key('b', graph)).toBe('whole')
  expect(key('b', plain)).toBe('loop-a')
  expect(key('c', plain)).toBe('x')
  expect(key('d', plain)).toBe('before')
})

const NAMES = ['__proto__', 'constructor', 'a', 'b', 'c', 'start', 'exit']
const KEYS = [...new Set(BUILT_IN_OPERATIONS.rows.map(({ name }) => name))].concat('param.x', '__proto__', 'constructor')

test('never throws, whatever a graph says', () => {
  const id = fc.constantFrom(...NAMES)
  const value = fc.oneof(
    fc.constantFrom(...BUILT_IN_OPERATIONS.types.names(), 'Mdiamond', 'component', 'tripleoctagon', 'session', 'memory'),
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.double(),
    fc.boolean(),
    fc.constantFrom('last_response', '$last_response', '{ctx.a}', '../x', '\ud800', 'https://[', '[[[[', '{"a":{}}', 'a..b', '.', '%'),
  )
  const provenance = fc.constantFrom<Provenance>('own', 'default', 'stylesheet', 'transform')
  const attributes = fc
    .array(fc.tuple(fc.constantFrom(...KEYS), fc.record({ value, provenance })), { maxLength: 6 })
    .map((entries): Attributes => new Map(entries))
  const nodes = fc
    .array(fc.record({ id, attributes, classes: fc.constant([]) }), { maxLength: 8 })
    .map((list): ReadonlyMap<string, DotNode> => new Map(list.map((node) => [node.id, node])))
  const edges = fc
    .array(fc.record({ from: id, to: id, attributes }), { maxLength: 12 })
    .map((list) => list.map((edge, index) => ({ ...edge, index })))
  const graphs = fc.record({ id, attributes, nodes, edges, subgraphs: fc.constant([]) })
  fc.assert(
    fc.property(graphs, (graph) => {
      const typed = compileGraph(graph, { custom: new Map([['constructor', {}]]) })
      expect([...typed.nodes.keys()]).toEqual([...graph.nodes.keys()])
      for (const node of typed.nodes.values()) expect(node.capabilitiesRequired.every((need) => need.isWellFormed())).toBe(true)
    }),
    { numRuns: 150 },
  )
})

test('ten thousand nodes in a row, and ten thousand branches', () => {
  const row = Array.from({ length: 10_000 }, (_, i) => `n${i}`)
  const chain = compiled(`n0 [prompt=x]; n9999 [type=shell, command="$last_response"]; start -> ${row.join(' -> ')} -> done`)
  expect(chain.nodes.size).toBe(10_002)
  expect(chain.taint).toHaveLength(1)
  const fan = compiled(`p [shape=component]; f [shape=tripleoctagon]; ${row.map((id) => `p -> ${id} -> f`).join(';')}`)
  expect(fan.joins.get('p')).toBe('f')
})
