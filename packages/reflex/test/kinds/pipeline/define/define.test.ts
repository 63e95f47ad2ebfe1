import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Fault } from '../../../../src/kernel/journal/fault.ts'
import { compileGraph, parse, pipeline, readPipeline, serializeGraph, validate } from '../../../../src/kinds/pipeline/index.ts'
import { readGraph } from '../../../../src/kinds/pipeline/face/read-pipeline.ts'
import { meaning, valuesOf } from '../dot/graphs.ts'
import { REVIEW, review } from './programs.ts'

function thrownBy(act: () => unknown): unknown {
  try {
    act()
  } catch (thrown) {
    return thrown
  }
  return undefined
}

/** A pipeline as one writes it who has no compiler. */
const unchecked = pipeline as (definition: unknown) => typeof review

describe('a pipeline from an object literal', () => {
  test('is the graph of the same pipeline in DOT', () => {
    expect(meaning(review)).toEqual(meaning(parse(REVIEW)))
    const canonical = serializeGraph(parse(REVIEW))
    expect(serializeGraph(review)).toBe(canonical)
    expect(readGraph(review).source).toEqual(readPipeline(canonical).source)
    const [made, written] = [compileGraph(review), compileGraph(parse(REVIEW))]
    for (const [id, { node: _, ...facts }] of written.nodes) expect(made.nodes.get(id)).toMatchObject(facts)
    expect(
      validate(review)
        .map(({ message }) => message)
        .toSorted(),
    ).toEqual(
      validate(REVIEW)
        .map(({ message }) => message)
        .toSorted(),
    )
  })

  test('is called "pipeline" unless it is named', () => {
    expect(pipeline({ nodes: { start: {}, end: {} }, edges: [['start', 'end']] }).id).toBe('pipeline')
  })

  test('knows its nodes', () => {
    expect(review.nodes.get('style')?.attributes.get('timeout')?.value).toBe('5m')
    // @ts-expect-error -- no node of it
    expect(review.nodes.get('stlye')).toBeUndefined()
  })

  test('cannot be changed', () => {
    const nodes = review.nodes as Map<string, unknown>
    expect(() => nodes.delete('style')).toThrow(TypeError)
    expect(Object.isFrozen(review.edges)).toBe(true)
  })

  test('holds every text, number and truth as it was written', () => {
    const texts = fc.string({
      unit: fc.constantFrom('a', '"', '\\', 'n', '\n', '\r', '\t', ';', ']', '//', '#', '$', 'é', '\u0000', '\ud800', '😀', ' '),
    })
    const key = fc.constantFrom('prompt', 'label', 'mine', 'param.x', 'human.default_choice')
    const value = fc.oneof(texts, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.integer())
    fc.assert(
      fc.property(fc.dictionary(key, value), fc.dictionary(key, value), (node, edge) => {
        const made = unchecked({ nodes: { a: node, b: {} }, edges: [{ from: 'a', to: 'b', ...edge }] })
        const plus = (given: object): object => Object.fromEntries(Object.entries(given).map(([name, one]) => [name, one === 0 ? 0 : one]))
        expect(valuesOf(made, 'a')).toEqual(plus(node))
        expect(Object.fromEntries([...(made.edges[0]?.attributes ?? [])].map(([name, one]) => [name, one.value]))).toEqual(plus(edge))
      }),
    )
  })
})

describe('a value', () => {
  test('may be a list of words, or JSON, or nothing', () => {
    const made = pipeline({
      nodes: {
        ask: {
          prompt: undefined,
          tools: ['file.read', 'file.search'],
          output_schema: { type: 'object', required: ['blocking'] },
          'param.of': { my: ['own'] },
        },
        change: { type: 'graph.adapt', mutations: [{ op: 'remove_node', id: 'x' }] },
      },
      edges: [],
    })
    expect(valuesOf(made, 'ask')).toEqual({
      tools: 'file.read,file.search',
      output_schema: '{"type":"object","required":["blocking"]}',
      'param.of': '{"my":["own"]}',
    })
    expect(valuesOf(made, 'change').mutations).toBe('[{"op":"remove_node","id":"x"}]')
  })

  test.each([
    ['nothing', { nodes: { a: { prompt: null } }, edges: [] }, 'R1107', 'nodes.a.prompt'],
    ['a function', { nodes: { a: { 'human.default_choice': () => 'x' } }, edges: [] }, 'R1107', 'nodes.a["human.default_choice"]'],
    ['no number', { goal: Number.NaN, nodes: {}, edges: [] }, 'R1107', 'goal'],
    ['a word with a comma', { nodes: { a: { tools: ['x', 'y,z'] } }, edges: [] }, 'R1107', 'nodes.a.tools[1]'],
    ['an object that is no JSON', { nodes: { a: { output_schema: { parse: () => true } } }, edges: [] }, 'R2004', 'nodes.a.output_schema'],
    ['no nodes', { edges: [] }, 'R1100', 'nodes'],
    ['nodes in a list', { nodes: [{ id: 'a' }], edges: [] }, 'R1100', 'nodes'],
    ['a node that is a text', { nodes: { a: 'prompt' }, edges: [] }, 'R1100', 'nodes.a'],
    ['no edges', { nodes: {} }, 'R1100', 'edges'],
    ['an edge that is a text', { nodes: { a: {}, b: {} }, edges: [['a', 'b'], 'a -> b'] }, 'R1100', 'edges[1]'],
    ['an edge of one node', { nodes: { a: {} }, edges: [['a']] }, 'R1100', 'edges[0]'],
    ['an edge to nowhere', { nodes: { a: {} }, edges: [{ from: 'a' }] }, 'R1100', 'edges[0]'],
    ['a name that is none', { id: 5, nodes: {}, edges: [] }, 'R1100', 'id'],
  ])('that cannot be is refused: %s', (_, definition, code, path) => {
    const fault = thrownBy(() => unchecked(definition))
    expect(fault).toMatchObject({ code, severity: 'error', fix: expect.any(String) as string })
    expect(`${(fault as Fault).path} ${(fault as Fault).message}`).toContain(path)
  })
})

describe('a finding', () => {
  const faulty = unchecked({
    id: 'faulty',
    gaol: 'x',
    nodes: {
      start: {},
      work: { prompt: 'Work.', simulate: 'false', timeout: '5 minutes', promt: 'x', output_schema: [1] },
      a: { prompt: 'First.', simulate: 'false', timeout: '1m', 'human.default_choic': 'x' },
      end: {},
    },
    edges: [['start', 'work', 'wrok'], { from: 'work', to: 'a', condition: 'outcome=success or x=1' }, ['a', 'end']],
  })

  test('has its path in the object, in the order of the object, and says what to do', () => {
    const findings = validate(faulty).filter(({ severity }) => severity !== 'info')
    expect(findings.map(({ path, rule }) => `${path} ${rule}`)).toEqual([
      'gaol unknown_attribute',
      'nodes.work.promt unknown_attribute',
      'nodes.work.timeout duration_syntax',
      'nodes.a["human.default_choic"] unknown_attribute',
      'edges[0] edge_target_exists',
      'edges[1].condition condition_syntax',
    ])
    for (const finding of findings) {
      expect(finding).not.toHaveProperty('line')
      expect(finding.fix ?? finding.frame).toBeDefined()
    }
    const text = String(findings[1])
    expect(text).toContain('did you mean "prompt"?')
    expect(text).toContain('at     nodes.work.promt')
  })

  test('tells of a name that can be none', () => {
    const named = unchecked({ id: 'my pipeline', nodes: { 'my-node': {} }, edges: [] })
    expect(
      validate(named)
        .filter(({ code }) => code === 'R1103')
        .map(({ path, fix }) => [path, fix]),
    ).toEqual([
      ['id', 'write "my_pipeline"'],
      ['nodes["my-node"]', 'write "my_node"'],
    ])
  })
})

test('a graph that is stored keeps what shall run again', () => {
  const graph = parse('digraph g { start -> work -> end; work [prompt=x, auto_status=true] }')
  expect(readGraph(graph).source?.dot).toContain('auto_status=true')
})
