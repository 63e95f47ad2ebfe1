import { quote, checkArguments, TEXT } from '../../../text/index.ts'
import type { Attribute, Attributes, DotGraph, DotNode } from '../dot/graph.ts'
import { parseCondition } from './condition-parse.ts'
import { languageFaults } from './faults.ts'
import { GRAPH } from '../dot/argument-forms.ts'

/**
 * Adds the nodes and edges of another pipeline to this one, with a prefix before each id: a composition without a sub-pipeline
 * (reference pipeline 8.2). References follow: edges, subgraphs, retry and join targets, and the context keys that handlers
 * write under a node's id, in conditions and in attributes with keys. The attributes of this graph stay; those of the other are
 * dropped. The result has no edges between the two: add them. Changes neither graph. Throws R1115 if an id would be duplicate
 * or invalid.
 */
export function mergeGraphs(base: DotGraph, other: DotGraph, prefix: string): DotGraph {
  checkArguments('mergeGraphs', { base: [base, GRAPH], other: [other, GRAPH], prefix: [prefix, TEXT] })
  const ids = new Map([...other.nodes.keys()].map((id) => [id, prefix + id]))
  for (const id of ids.values()) {
    if (!/^[A-Za-z_]\w*$/.test(id)) throw languageFaults.make('R1115', `${quote(id)} is not a valid id`)
    if (base.nodes.has(id)) throw languageFaults.make('R1115', `both pipelines would have a node ${quote(id)}`)
  }
  const renamer = new Renamer(ids)
  const nodes = new Map(base.nodes)
  for (const node of other.nodes.values()) nodes.set(renamer.id(node.id), renamer.node(node))
  const firstEdge = base.edges.length
  const edges = other.edges.map(({ from, to, attributes }, index) => ({
    index: firstEdge + index,
    from: renamer.id(from),
    to: renamer.id(to),
    attributes: renamer.attributes(attributes),
  }))
  const firstSubgraph = base.subgraphs.length
  const subgraphs = other.subgraphs.map(({ id, attributes, members, parent }) => ({
    id: id === undefined ? undefined : prefix + id,
    attributes: renamer.attributes(attributes),
    members: members.map((member) => renamer.id(member)),
    parent: parent === undefined ? undefined : firstSubgraph + parent,
  }))
  return { ...base, nodes, edges: [...base.edges, ...edges], subgraphs: [...base.subgraphs, ...subgraphs] }
}

/** Attributes that have the id of a node. */
const TARGETS = new Set(['retry_target', 'fallback_retry_target', 'join_target'])

/** Attributes with context keys, in addition to those that end in `_key`. */
const KEY_ATTRIBUTES = new Set(['context_keys', 'expression', 'predicate'])

/** Texts in which `$key` names a key of the context. */
const TEXTS = new Set(['prompt', 'system_prompt', 'question', 'label'])

/** Keys under which handlers write the results of a node: `shell.<id>.exit_code` (reference pipeline 6.1). */
const NODE_KEYS =
  /(?<![\w.])(\$?)((?:context\.|ctx\.)?(?:shell|exec|read|transform|gate|validate|subgraph|adapt|wait|branch|file\.written|internal\.retry_count)\.)([A-Za-z_]\w*)/g

class Renamer {
  readonly #ids: ReadonlyMap<string, string>

  constructor(ids: ReadonlyMap<string, string>) {
    this.#ids = ids
  }

  id(id: string): string {
    return this.#ids.get(id) ?? id
  }

  /** Drops the places: they belong to another source. */
  node({ id, attributes, classes, implicit }: DotNode): DotNode {
    return { id: this.id(id), attributes: this.attributes(attributes), classes, ...(implicit === undefined ? {} : { implicit }) }
  }

  attributes(attributes: Attributes): Attributes {
    return new Map([...attributes].map(([key, attribute]) => [key, this.#attribute(key, attribute)]))
  }

  #attribute(key: string, { value, provenance }: Attribute): Attribute {
    if (typeof value !== 'string') return { value, provenance }
    if (TARGETS.has(key)) return { value: this.id(value), provenance }
    if (key === 'condition') return { value: this.#condition(value), provenance }
    if (TEXTS.has(key)) return { value: this.#keys(value, '$'), provenance }
    return { value: KEY_ATTRIBUTES.has(key) || key.endsWith('_key') ? this.#keys(value) : value, provenance }
  }

  /** Renames only keys. Literals, and conditions that cannot be parsed, stay unchanged. */
  #condition(text: string): string {
    let renamed = ''
    let copiedTo = 0
    for (const { from, to } of parseCondition(text).condition?.clauses.map(({ keyAt }) => keyAt) ?? []) {
      renamed += text.slice(copiedTo, from) + this.#keys(text.slice(from, to))
      copiedTo = to
    }
    return renamed + text.slice(copiedTo)
  }

  #keys(text: string, sign = ''): string {
    return text.replace(NODE_KEYS, (written, dollar: string, space: string, id: string) => {
      const isKey = sign === '' || dollar === sign
      return isKey && this.#ids.has(id) ? `${dollar}${space}${this.id(id)}` : written
    })
  }
}
