import { listOf, textOf, type Attribute, type DotGraph, type DotNode } from '../dot/graph.ts'
import { STYLE_PROPERTIES, type Selector, type StyleProperty, type StyleRule } from './stylesheet-parse.ts'

/** The rank of selectors: the more specific wins (seed pipeline 11.2). */
const SPECIFICITY = { all: 0, shape: 1, class: 2, id: 3 } as const

/** Aliases under which a node may already have the attribute (reference pipeline 2.3). */
const ALIASES: Readonly<Partial<Record<StyleProperty, string>>> = { llm_model: 'model', llm_provider: 'provider' }

/**
 * Adds missing attributes to nodes from the rules of a stylesheet, property by property: the most specific selector wins, among
 * equals the later rule. Attributes that a node has, also from a `node [...]` block, stay (reference pipeline 8.1). Does not
 * change the given graph; unaffected nodes stay the same objects.
 */
export function applyStylesheet(graph: DotGraph, rules: readonly StyleRule[]): DotGraph {
  if (rules.length === 0) return graph
  const index = indexRules(rules)
  const nodes = new Map<string, DotNode>()
  for (const [id, node] of graph.nodes) nodes.set(id, styleNode(node, index))
  return { ...graph, nodes }
}

interface StyleValue {
  readonly value: string
  readonly order: number
}

/** Values by selector: a node looks up only the rules that can match it. */
type Index = ReadonlyMap<string, Values>

function indexRules(rules: readonly StyleRule[]): Index {
  const values = new Map<string, Map<StyleProperty, StyleValue>>()
  for (const [order, { selectors, declarations }] of rules.entries()) {
    for (const selector of selectors) {
      const key = keyOf(selector)
      const set = values.get(key) ?? new Map<StyleProperty, StyleValue>()
      values.set(key, set)
      for (const { property, value } of declarations) set.set(property, { value, order })
    }
  }
  return values
}

function keyOf({ kind, name }: Selector): string {
  return `${SPECIFICITY[kind]}${name}`
}

function styleNode(node: DotNode, values: Index): DotNode {
  const levels = matching(node, values)
  if (levels.length === 0) return node
  let attributes: Map<string, Attribute> | undefined
  for (const property of STYLE_PROPERTIES) {
    if (node.attributes.has(property) || node.attributes.has(ALIASES[property] ?? property)) continue
    const value = firstOf(levels, property)
    if (value === undefined) continue
    attributes ??= new Map(node.attributes)
    attributes.set(property, { value, provenance: 'stylesheet' })
  }
  return attributes === undefined ? node : { ...node, attributes }
}

type Values = ReadonlyMap<StyleProperty, StyleValue>

/** Returns the values of the selectors that match a node, from the most specific level to the least. */
function matching({ id, attributes, classes }: DotNode, values: Index): readonly (readonly Values[])[] {
  const named = new Set([...listOf(attributes, 'class'), ...classes])
  const levels: readonly (readonly Selector[])[] = [
    [{ kind: 'id', name: id }],
    [...named].map((name) => ({ kind: 'class', name })),
    [{ kind: 'shape', name: textOf(attributes, 'shape') || 'box' }],
    [{ kind: 'all', name: '' }],
  ]
  return levels.map((level) => level.flatMap((selector) => values.get(keyOf(selector)) ?? [])).filter(({ length }) => length > 0)
}

function firstOf(levels: readonly (readonly Values[])[], property: StyleProperty): string | undefined {
  for (const level of levels) {
    let best: StyleValue | undefined
    for (const values of level) {
      const candidate = values.get(property)
      if (candidate !== undefined && (best === undefined || candidate.order > best.order)) best = candidate
    }
    if (best !== undefined) return best.value
  }
  return undefined
}
