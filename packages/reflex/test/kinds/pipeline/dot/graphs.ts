import * as fc from 'fast-check'
import type { Attributes, DotGraph } from '../../../../src/kinds/pipeline/dot/graph.ts'
import { parseDot } from '../../../../src/kinds/pipeline/dot/parse.ts'

/** Returns the content of a graph without places in the text and without orders that have no meaning. */
export function meaning(graph: DotGraph): unknown {
  return {
    id: graph.id,
    attributes: pairs(graph.attributes),
    nodes: [...graph.nodes.values()]
      .map((node) => ({ id: node.id, attributes: pairs(node.attributes), classes: node.classes, implicit: node.implicit === true }))
      .toSorted((one, other) => (one.id < other.id ? -1 : 1)),
    edges: graph.edges.map((edge) => [edge.index, edge.from, edge.to, pairs(edge.attributes)]),
    subgraphs: graph.subgraphs.map((one) => ({ ...one, attributes: pairs(one.attributes), members: one.members.toSorted() })),
  }
}

function pairs(attributes: Attributes): unknown[] {
  return [...attributes]
    .map(([key, { value, provenance }]) => [key, value, provenance])
    .toSorted((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1))
}

/** Returns the graph of a text without errors. */
export function graphOf(text: string): DotGraph {
  const { graph, errors } = parseDot(text)
  if (graph === undefined) throw errors[0] ?? new Error('no graph')
  return graph
}

/** Returns the values of the attributes of a node. */
export function valuesOf(graph: DotGraph, id: string): Record<string, unknown> {
  return Object.fromEntries([...(graph.nodes.get(id)?.attributes ?? [])].map(([key, { value }]) => [key, value]))
}

/** Returns all errors of a text, as `CODE line:column message`. */
export function complaints(text: string, options: { strictGrammar?: boolean } = {}): string[] {
  const { errors } = parseDot(text, { accumulateErrors: true, ...options })
  return errors.map((fault) => `${fault.code} ${fault.line}:${fault.column} ${fault.message}`)
}

const ids = fc.constantFrom('a', 'b', 'c', 'd', 'node', 'edge_case', 'subgraph', 'x1', '"graph"', '"q"')
const keys = fc.constantFrom('label', 'type', 'timeout', 'param.path', '"human.default_choice"', 'content_hash')
const texts = fc.string({
  unit: fc.constantFrom('a', '"', '\\', 'n', '\n', '\t', '\r', '{', ']', ';', '->', '//', 'é', '\u0000', '\ud800', ' '),
})
const values = fc.oneof(
  fc.constantFrom('box', '900s', 'true', 'false', '1', '-2.5', '.5', '007', '1e5', 'TB', '"true"', '"42"', '"node"', 'node'),
  texts.map((text) => JSON.stringify(text).replace(/\\[ru][0-9a-f]{0,4}/g, '\\n')),
)
const block = fc
  .array(
    fc.oneof(
      fc.tuple(keys, values).map(([key, value]) => `${key}=${value}`),
      keys,
    ),
    { maxLength: 3 },
  )
  .map((attributes) => `[${attributes.join(', ')}]`)

/** Texts of pipelines without errors, with every kind of statement and nested subgraphs. */
export const dotTexts: fc.Arbitrary<string> = fc
  .letrec<{ body: string; statement: string }>((tie) => ({
    body: fc.array(tie('statement'), { maxLength: 6 }).map((statements) => statements.join(';\n')),
    statement: fc.oneof(
      { maxDepth: 4, depthIdentifier: 'scopes' },
      fc.oneof(
        fc.tuple(ids, fc.option(block, { nil: '' })).map(([id, attributes]) => (BARE_KEYWORD.test(id) ? id : `${id} ${attributes}`)),
        fc
          .tuple(fc.array(ids, { minLength: 2, maxLength: 4 }), fc.option(block, { nil: '' }))
          .map(([chain, attributes]) => `${chain.join(' -> ')} ${attributes}`),
        fc.tuple(fc.constantFrom('node', 'edge', 'graph'), block).map(([word, attributes]) => `${word} ${attributes}`),
        fc.tuple(keys, values).map(([key, value]) => `${key} = ${value};`),
      ),
      fc
        .tuple(
          fc.constantFrom('', 'subgraph', 'subgraph s1', 'subgraph s2'),
          fc.constantFrom('', 'label="Loop A";', 'label=b;'),
          tie('body'),
        )
        .map(([head, label, body]) => `${head} {\n${label}${body}\n}`),
    ),
  }))
  .body.map((body) => `digraph g {\n${body}\n}`)

const BARE_KEYWORD = /^(?:node|edge|graph)$/
