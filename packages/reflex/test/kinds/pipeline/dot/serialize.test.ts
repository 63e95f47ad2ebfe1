import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Attributes, DotGraph } from '../../../../src/kinds/pipeline/dot/graph.ts'
import { serializeGraph } from '../../../../src/kinds/pipeline/dot/serialize.ts'
import { dotTexts, graphOf, meaning } from './graphs.ts'

const WHOLE = { stripInternal: false }

describe('the round trip', () => {
  // proves: pipeline 12.104, pipeline 1.4d
  test('returns the same graph for any text', () => {
    fc.assert(
      fc.property(dotTexts, fc.constantFrom('engine' as const, 'graphviz' as const), (text, dialect) => {
        const graph = graphOf(text)
        const written = serializeGraph(graph, { ...WHOLE, dialect })
        expect(meaning(graphOf(written))).toEqual(meaning(graph))
      }),
      { numRuns: 300 },
    )
  })

  test('writes the canonical text unchanged', () => {
    fc.assert(
      fc.property(dotTexts, (text) => {
        const written = serializeGraph(graphOf(text), WHOLE)
        expect(serializeGraph(graphOf(written), WHOLE)).toBe(written)
      }),
      { numRuns: 100 },
    )
  })

  test('loses no node and no edge of a graph that no text can describe', () => {
    const parts = fc.tuple(dotTexts, fc.array(fc.nat(20), { maxLength: 6 }), fc.nat(20))
    fc.assert(
      fc.property(parts, ([text, order, removed]) => {
        const graph = mixed(graphOf(text), order, removed)
        const again = graphOf(serializeGraph(graph, WHOLE))
        const edges = graph.edges.map(({ from, to }) => [from, to])
        expect(again.edges.map(({ from, to }) => [from, to])).toEqual(edges)
        expect([...again.nodes.keys()].toSorted()).toEqual([...new Set([...graph.nodes.keys(), ...edges.flat()])].toSorted())
        for (const [id, node] of graph.nodes) {
          const values = (attributes: Attributes) => Object.fromEntries([...attributes].map(([key, { value }]) => [key, value]))
          expect(values(again.nodes.get(id)?.attributes ?? new Map())).toEqual(values(node.attributes))
        }
      }),
      { numRuns: 200 },
    )
  })

  test('of 10,000 subgraphs in each other', () => {
    const graph = graphOf(`digraph g { ${'subgraph s {'.repeat(10_000)} a -> b ${'}'.repeat(10_000)} c -> a }`)
    expect(meaning(graphOf(serializeGraph(graph)))).toEqual(meaning(graph))
  })
})

/** A graph as a transform can leave it: edges in another order, a removed node, and an attribute from a stylesheet on an implicit node. */
function mixed(graph: DotGraph, order: readonly number[], removed: number): DotGraph {
  const edges = graph.edges.toSorted((one, other) => (order[one.index] ?? 0) - (order[other.index] ?? 0))
  const nodes = new Map([...graph.nodes].filter((_, at) => at !== removed))
  const styled = [...nodes.values()].at(-1)
  if (styled !== undefined && removed % 2 === 0) {
    nodes.set(styled.id, {
      ...styled,
      attributes: new Map([...styled.attributes, ['llm_model', { value: 'm', provenance: 'stylesheet' }]]),
    })
  }
  return { ...graph, nodes, edges: edges.map((edge, index) => ({ ...edge, index })) }
}

describe('the canonical text', () => {
  // proves: pipeline s12.4a
  test('sorts nodes and attributes, keeps the order of edges, and limits defaults with scopes', () => {
    const graph = graphOf(`digraph flow {
      node [timeout=900s]; rankdir=TB
      graph [label="Two\\nlines", goal="say \\"hi\\""]
      b [prompt="C:\\\\new", label="B", max_retries="2", n=2, on="true", yes=true, param.path="p"]; a
      subgraph checks { label="Security checks"; node [type=gate]; auth; perm [type=wait]; auth -> implied; x -> y }
      edge [weight=2]
      b -> a [label=fail]; a -> b; a -> "node"
      subgraph { node [t=1] c; d }
    }`)
    expect(serializeGraph(graph)).toBe(`digraph flow {
  graph [goal="say \\"hi\\"", label="Two\\nlines", rankdir=TB]
  node [timeout="900s"]
  a
  b [label=B, max_retries="2", n=2, on="true", param.path=p, prompt="C:\\\\new", yes=true]
  subgraph {
    node [t=1]
    c
    d
  }
  subgraph checks {
    graph [label="Security checks"]
    node [type=gate]
    auth
    perm [type=wait]
    auth -> implied
    x -> y
  }
  subgraph {
    edge [weight=2]
    b -> a [label=fail]
    a -> b
    a -> "node"
  }
}
`)
  })

  test('is the same for every way to write the graph', () => {
    const texts = ['digraph g { b [y=1, x="z"] a; a -> b }', 'digraph g {\n"a"\n b[x=z]; b [y=1] // c\n a->b\n}']
    expect(new Set(texts.map((text) => serializeGraph(graphOf(text)))).size).toBe(1)
  })

  // proves: pipeline s12.4b
  test('leaves out the attributes that the engine computes, unless they are requested', () => {
    const graph = graphOf('digraph g { node [auto_status=true] a [content_hash=abc, x=1] }')
    expect(serializeGraph(graph)).toBe('digraph g {\n  a [x=1]\n}\n')
    expect(serializeGraph(graph, WHOLE)).toBe('digraph g {\n  node [auto_status=true]\n  a [content_hash=abc, x=1]\n}\n')
  })

  // proves: pipeline 1.4e
  test('quotes dotted keys for Graphviz', () => {
    const graph = graphOf('digraph g { a [human.default_choice=hold, "node"=x] }')
    expect(serializeGraph(graph)).toContain('a [human.default_choice=hold, "node"=x]')
    expect(serializeGraph(graph, { dialect: 'graphviz' })).toContain('a ["human.default_choice"=hold, "node"=x]')
  })

  // proves: pipeline 1.4d
  test.each([
    [0.1, '0.1'],
    [-2, '-2'],
    [1e21, '1000000000000000000000.0'],
    [-1.5e-9, '-0.0000000015'],
    [1e-7, '0.0000001'],
    [2 ** 60, '1152921504606847000.0'],
    [9007199254740991, '9007199254740991'],
    [5e-324, `0.${'0'.repeat(323)}5`],
    [Number.NaN, '"NaN"'],
    [Number.NEGATIVE_INFINITY, '"-Infinity"'],
    ['true', '"true"'],
    ['42', '"42"'],
    ['', '""'],
    ['word', 'word'],
    ['node', '"node"'],
    ['a\\', '"a\\\\"'],
    ['\t\n"', '"\\t\\n\\""'],
  ])('writes %j as %s', (value, text) => {
    const graph: DotGraph = { ...graphOf('digraph g {}'), attributes: new Map([['x', { value, provenance: 'own' }]]) }
    expect(serializeGraph(graph)).toBe(`digraph g {\n  graph [x=${text}]\n}\n`)
    if (Number.isFinite(value) || typeof value === 'string') expect(graphOf(serializeGraph(graph)).attributes.get('x')?.value).toBe(value)
  })

  test('reads every number back', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const graph: DotGraph = { ...graphOf('digraph g {}'), attributes: new Map([['x', { value, provenance: 'own' }]]) }
        expect(graphOf(serializeGraph(graph)).attributes.get('x')?.value).toBe(value + 0)
      }),
    )
  })
})
