import { describe, expect, test } from 'vitest'
import { isFault } from '../../../../src/kernel/journal/fault.ts'
import { textOf, type DotGraph } from '../../../../src/kinds/pipeline/dot/graph.ts'
import { mergeGraphs } from '../../../../src/kinds/pipeline/language/merge.ts'
import { transformGraph, type Transform } from '../../../../src/kinds/pipeline/language/transforms.ts'
import { attributesOf, graphOf, node } from './graphs.ts'

const SHEET = '* { llm_model: small } .x { llm_model: big }'

function pipeline(): DotGraph {
  const graph = graphOf([node('a', { prompt: 'for $goal' }), node('b')], [['a', 'b', { weight: 2 }]], {
    goal: 'peace',
    model_stylesheet: SHEET,
  })
  return { ...graph, subgraphs: [{ id: 'part', attributes: attributesOf({ label: 'Part' }), members: ['a'] }] }
}

/** As a host would write it: a plain script that changes what it got. */
function change(
  name: string,
  by: (graph: { nodes: Map<string, { attributes: Map<string, unknown> }>; edges: unknown[] }) => void,
): Transform {
  return {
    name,
    transform: (graph) => {
      by(graph as unknown as Parameters<typeof by>[0])
      return graph
    },
  }
}

describe('transforms (reference pipeline 8.2)', () => {
  // proves: pipeline s12.1a
  test('variables, then the stylesheet, then those registered, then those of the run', () => {
    const seen: unknown[] = []
    const look = (name: string): Transform =>
      change(name, ({ nodes }) => {
        const { attributes } = nodes.get('a') ?? {}
        seen.push([name, textOf((attributes ?? new Map()) as never, 'prompt'), textOf((attributes ?? new Map()) as never, 'llm_model')])
        attributes?.set('prompt', name)
      })
    transformGraph(pipeline(), { ofRun: [look('run')], registered: [look('first'), look('second')] })
    expect(seen).toEqual([
      ['first', 'for peace', 'small'],
      ['second', 'first', 'small'],
      ['run', 'second', 'small'],
    ])
  })

  // proves: pipeline 8.2a
  test('the graph given is not changed, whatever a transform does to its own', () => {
    const graph = pipeline()
    const before = structuredClone(graph)
    const wild = change('wild', ({ nodes, edges }) => {
      nodes.get('a')?.attributes.clear()
      nodes.delete('b')
      edges.length = 0
    })
    const after = transformGraph(graph, { ofRun: [wild] })
    expect(graph).toEqual(before)
    expect([...after.nodes.keys(), after.edges.length]).toEqual(['a', 0])
  })

  test('what it sets is its own, what it left keeps its place and provenance, edges are numbered again', () => {
    const graph = pipeline()
    const at = { from: 1, to: 2 }
    const placed: DotGraph = { ...graph, edges: graph.edges.map((edge) => ({ ...edge, at })) }
    const audit = change('audit', ({ nodes, edges }) => {
      nodes.get('a')?.attributes.set('timeout', '5s')
      nodes.set('audit', { id: 'audit', attributes: new Map(), classes: [] } as never)
      edges.unshift({ index: 9, from: 'a', to: 'audit', attributes: new Map([['label', { value: 'log', provenance: 'own' }]]) })
    })
    const after = transformGraph(placed, { registered: [audit] })
    expect(after.nodes.get('a')?.attributes.get('timeout')).toEqual({ value: '5s', provenance: 'transform' })
    expect(after.nodes.get('a')?.attributes.get('prompt')?.provenance).toBe('own')
    expect(after.nodes.get('b')?.attributes.get('llm_model')?.provenance).toBe('stylesheet')
    expect(after.edges.map(({ index, from, to, at: place }) => [index, from, to, place])).toEqual([
      [0, 'a', 'audit', undefined],
      [1, 'a', 'b', at],
    ])
    expect(after.edges.map(({ attributes }) => [...attributes.values()].map(({ provenance }) => provenance))).toEqual([
      ['transform'],
      ['own'],
    ])
    expect(after.subgraphs).toEqual(graph.subgraphs)
  })

  const nonsense: [string, unknown, string][] = [
    ['nothing', undefined, 'it is undefined, not an object'],
    ['null', null, 'it is null, not an object'],
    ['a promise', Promise.resolve(), 'it is a promise; a transform must return synchronously'],
    ['no nodes', { id: 'G', edges: [] }, 'its nodes are not a Map'],
    ['no edges', { id: 'G', nodes: new Map() }, 'its edges are not a list'],
    ['another key', { id: 'G', nodes: new Map([['a', node('b')]]), edges: [] }, 'node "a" has an id that differs from its key'],
    ['a bad id', { id: 'G', nodes: new Map([['a-b', node('a-b')]]), edges: [] }, '"a-b" is not a valid id'],
    [
      'an object as value',
      { id: 'G', nodes: new Map([['a', { ...node('a'), attributes: new Map([['x', {}]]) }]]), edges: [] },
      '"x" of node "a" is not text, a number or a boolean',
    ],
    ['an edge to nothing', { id: 'G', nodes: new Map(), edges: [{ from: 'a' }] }, 'edge 0 has no from or to'],
    [
      'a trap',
      {
        get id() {
          throw new Error('trap')
        },
      },
      'it cannot be read',
    ],
  ]
  test.each(nonsense)('%s is refused', (_, returned, why) => {
    const bad: Transform = { name: 'bad', transform: () => returned as DotGraph }
    expect(() => transformGraph(pipeline(), { ofRun: [bad] })).toThrow(`the transform "bad" did not return a pipeline: ${why}`)
  })

  // proves: pipeline 8.2a
  test('one that throws refuses the run, with what it threw as the cause', () => {
    const bad: Transform = {
      name: 'bad',
      transform: () => {
        throw new Error('no licence')
      },
    }
    try {
      transformGraph(pipeline(), { ofRun: [bad] })
      expect.unreachable()
    } catch (thrown) {
      expect(isFault(thrown) && [thrown.code, thrown.verdict, thrown.cause]).toEqual(['R1114', 'fail', 'no licence'])
    }
  })
})

describe('merging (reference pipeline 8.2)', () => {
  const base = graphOf([node('start'), node('a')], [['start', 'a']], { goal: 'mine' })
  const other: DotGraph = {
    ...graphOf(
      [
        node('build', {
          retry_target: 'test',
          join_target: 'away',
          source_key: 'context.exec.test.output',
          context_keys: 'shell.build.output, exec.build_log',
          expression: '{ctx.read.test.size}',
          prompt: 'fix exec.build: $exec.build.output and $exec.other',
          command: 'cat exec.build',
        }),
        node('test'),
      ],
      [['build', 'test', { condition: 'context.exec.build.code="exec.build" && outcome=success', weight: 2 }]],
      { goal: 'theirs' },
    ),
    subgraphs: [
      { id: 'outer', attributes: attributesOf({}), members: ['build', 'test'] },
      { attributes: attributesOf({}), members: ['test'], parent: 0 },
    ],
  }

  // proves: pipeline 8.2b
  test('ids get the prefix, and so does what names them', () => {
    const merged = mergeGraphs(base, other, 'sub_')
    expect([...merged.nodes.keys()]).toEqual(['start', 'a', 'sub_build', 'sub_test'])
    expect(Object.fromEntries([...(merged.nodes.get('sub_build')?.attributes ?? [])].map(([key, { value }]) => [key, value]))).toEqual({
      retry_target: 'sub_test',
      join_target: 'away',
      source_key: 'context.exec.sub_test.output',
      context_keys: 'shell.sub_build.output, exec.build_log',
      expression: '{ctx.read.sub_test.size}',
      prompt: 'fix exec.build: $exec.sub_build.output and $exec.other',
      command: 'cat exec.build',
    })
    expect(merged.edges.map(({ index, from, to }) => [index, from, to])).toEqual([
      [0, 'start', 'a'],
      [1, 'sub_build', 'sub_test'],
    ])
    expect(merged.edges[1]?.attributes.get('condition')?.value).toBe('context.exec.sub_build.code="exec.build" && outcome=success')
    expect(merged.subgraphs).toMatchObject([
      { id: 'sub_outer', members: ['sub_build', 'sub_test'] },
      { members: ['sub_test'], parent: 0 },
    ])
    expect(merged.attributes).toBe(base.attributes)
  })

  test('twice with two prefixes, after which parents still point at their own', () => {
    const merged = mergeGraphs(mergeGraphs(base, other, 'x_'), other, 'y_')
    expect(merged.edges.map(({ index }) => index)).toEqual([0, 1, 2])
    expect(merged.subgraphs.map(({ id, parent }) => [id, parent])).toEqual([
      ['x_outer', undefined],
      [undefined, 0],
      ['y_outer', undefined],
      [undefined, 2],
    ])
  })

  test('places of another source are left out, provenance is kept', () => {
    const at = { from: 1, to: 2 }
    const placed = graphOf([
      { id: 'n', classes: ['k'], at, attributes: new Map([['type', { value: 'exit', provenance: 'own', keyAt: at, valueAt: at }]]) },
    ])
    expect(mergeGraphs(base, placed, 'p_').nodes.get('p_n')).toEqual({
      id: 'p_n',
      classes: ['k'],
      attributes: attributesOf({ type: 'exit' }),
    })
  })

  test.each([
    ['', graphOf([node('a')]), 'both pipelines would have a node "a"'],
    ['my-', other, '"my-build" is not a valid id'],
    ['1', other, '"1build" is not a valid id'],
  ])('prefix %j is refused', (prefix, second, why) => {
    expect(() => mergeGraphs(base, second, prefix)).toThrow(why)
  })
})
