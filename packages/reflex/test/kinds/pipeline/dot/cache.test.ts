import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { DotCache, dotHash } from '../../../../src/kinds/pipeline/dot/cache.ts'

const TEXT = 'digraph g { node [y=1] a [x=1]; a -> b; subgraph s { c } }'

/** Seed pipeline 12.3; reference pipeline 1.4. */
describe('the cache of parsed texts', () => {
  // proves: pipeline 12.103, pipeline s12.3a
  test('parses a text once, under any name', () => {
    const cache = new DotCache()
    expect(cache.parse(TEXT, { file: 'x.dot' })).toBe(cache.parse(TEXT))
    expect([cache.size, cache.capacity]).toEqual([1, 100])
  })

  // proves: pipeline s12.3a, pipeline s12.3b
  test('identifies texts by the SHA-256 of their exact content', () => {
    const hash = createHash('sha256').update(`${TEXT}\n`).digest('hex')
    const cache = new DotCache()
    const graph = cache.parse(`${TEXT}\n`)
    expect(cache.parse(TEXT)).not.toBe(graph)
    expect([dotHash(`${TEXT}\n`), cache.invalidate(hash), cache.invalidate(hash), cache.size]).toEqual([hash, true, false, 1])
    expect(cache.parse(`${TEXT}\n`)).not.toBe(graph)
  })

  test('distinguishes lone surrogates, which are equal in UTF-8', () => {
    const cache = new DotCache()
    const [one, other] = ['\ud800', '\ud801'].map((half) => cache.parse(`digraph g { x="${half}" }`))
    expect([one?.attributes.get('x')?.value, other?.attributes.get('x')?.value]).toEqual(['\ud800', '\ud801'])
  })

  // proves: pipeline 12.103
  test('drops the least recently used graph', () => {
    const cache = new DotCache(2)
    const [a, b] = ['a', 'b'].map((id) => cache.parse(`digraph g { ${id} }`))
    cache.parse('digraph g { a }')
    cache.parse('digraph g { c }')
    expect([cache.parse('digraph g { a }') === a, cache.parse('digraph g { b }') === b, cache.size]).toEqual([true, false, 2])
  })

  // proves: pipeline 12.103, pipeline s12.3b
  test('can be emptied and bypassed', () => {
    const cache = new DotCache()
    expect(cache.parse(TEXT, { cache: false })).not.toBe(cache.parse(TEXT, { cache: false }))
    expect(cache.size).toBe(0)
    const graph = cache.parse(TEXT)
    cache.clear()
    expect(cache.parse(TEXT)).not.toBe(graph)
  })

  // proves: pipeline 1.4c
  test('returns graphs that cannot be changed', () => {
    const graph = new DotCache().parse(TEXT)
    const node = graph.nodes.get('a')
    const maps = [graph.nodes, graph.attributes, node?.attributes, graph.edges[0]?.attributes]
    for (const map of maps) expect(() => (map as Map<string, unknown>).set('x', 1)).toThrow('cannot be changed')
    for (const part of [graph, graph.edges, node, node?.attributes.get('x'), node?.at, graph.subgraphs[0]?.members])
      expect(part).toSatisfy(Object.isFrozen)
  })

  test('does not cache a text with errors, and throws the first error', () => {
    const cache = new DotCache()
    expect(() => cache.parse('digraph g { a -- b }', { file: 'x.dot' })).toThrow(expect.objectContaining({ code: 'R1102', file: 'x.dot' }))
    expect(cache.size).toBe(0)
  })
})
