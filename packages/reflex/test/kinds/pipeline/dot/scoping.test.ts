import { describe, expect, test } from 'vitest'
import { graphOf, valuesOf } from './graphs.ts'

const provenanceOf = (text: string, id: string) =>
  Object.fromEntries([...(graphOf(text).nodes.get(id)?.attributes ?? [])].map(([key, { provenance }]) => [key, provenance]))

/** Reference pipeline 1.3; seed pipeline 2.9. */
describe('defaults', () => {
  // proves: pipeline s2.9a, pipeline G11, pipeline 1.3c
  test('apply to later statements in their scope, and end with it', () => {
    const graph = graphOf('digraph g { a; node [x=1]; b; subgraph { node [x=2, y=3] c; node [y=4]; d } e }')
    expect(['a', 'b', 'c', 'd', 'e'].map((id) => valuesOf(graph, id))).toEqual([{}, { x: 1 }, { x: 2, y: 3 }, { x: 2, y: 4 }, { x: 1 }])
  })

  test('of edges: the defaults in force at the edge', () => {
    const graph = graphOf('digraph g { a -> b; edge [w=1]; b -> c [w=2, v=3]; { edge [v=4] c -> d } d -> e }')
    const values = graph.edges.map((edge) =>
      Object.fromEntries([...edge.attributes].map(([key, { value, provenance }]) => [key, `${value} ${provenance}`])),
    )
    expect(values).toEqual([{}, { w: '2 own', v: '3 own' }, { w: '1 default', v: '4 default' }, { w: '1 default' }])
  })

  // proves: pipeline 1.3b
  test('are marked as defaults until a statement overrides them', () => {
    const text = 'digraph g { node [type="compute", shape=box, t=1] a [shape=diamond] a [t=2, u=3] }'
    expect(provenanceOf(text, 'a')).toEqual({ type: 'default', shape: 'own', t: 'own', u: 'own' })
  })

  test('a node that an edge names first gets the defaults at its own statement', () => {
    const text = 'digraph g { node [x=1, y=1] a -> b; { node [x=2, z=2] b [y=3] } }'
    expect([valuesOf(graphOf(text), 'b'), valuesOf(graphOf(text), 'a')]).toEqual([
      { x: 2, y: 3, z: 2 },
      { x: 1, y: 1 },
    ])
  })

  // proves: pipeline 1.3a
  test('a later statement adds its own attributes and no defaults', () => {
    expect(valuesOf(graphOf('digraph g { a [x=1, y=1]; node [x=9, z=9]; a [y=2] }'), 'a')).toEqual({ x: 1, y: 2 })
  })
})

describe('subgraphs', () => {
  // proves: pipeline s2.9b, pipeline 1.3d, pipeline 1.3e
  test('give a class from their label, at any position, the innermost first', () => {
    const graph = graphOf('digraph g { subgraph { label="Outer One!"; a; subgraph { b; graph [label="In ÄRzt 2"] } } c }')
    expect([...graph.nodes.values()].map((node) => [node.id, node.classes])).toEqual([
      ['a', ['outer-one']],
      ['b', ['in-rzt-2', 'outer-one']],
      ['c', []],
    ])
  })

  test('give no class without a label, nor from an id', () => {
    expect(graphOf('digraph g { subgraph cluster_x { a } }').nodes.get('a')?.classes).toEqual([])
  })

  test('hold the nodes that are declared or first named in them', () => {
    const graph = graphOf('digraph g { x; subgraph s { label=S; x -> a; b; { c } subgraph t { d; b } } subgraph u { a; d -> e } }')
    expect(graph.subgraphs.map(({ id, members, parent }) => [id, members, parent])).toEqual([
      ['s', ['a', 'b', 'c', 'd'], undefined],
      ['t', ['d', 'b'], 0],
      ['u', ['a', 'e'], undefined],
    ])
  })

  test('without id and attributes only limit defaults', () => {
    const graph = graphOf('digraph g { subgraph { subgraph s { subgraph { rank=same; a } } } { } }')
    expect(graph.subgraphs.map(({ id, parent, attributes }) => [id, parent, [...attributes.keys()]])).toEqual([
      ['s', undefined, []],
      [undefined, 0, ['rank']],
    ])
  })

  test('do not pass on their attributes', () => {
    const graph = graphOf('digraph g { label=G; subgraph { label=S; goal="x" } }')
    expect([[...graph.attributes.keys()], [...(graph.subgraphs[0]?.attributes.keys() ?? [])]]).toEqual([['label'], ['label', 'goal']])
  })
})

test('nodes that only edges name are marked', () => {
  const graph = graphOf('digraph g { a -> b -> c; b [x=1] }')
  expect([...graph.nodes.values()].map((node) => [node.id, node.implicit === true])).toEqual([
    ['a', true],
    ['b', false],
    ['c', true],
  ])
})
