import type { Fault } from '../../../src/kernel/index.ts'
import { expand, type ExpandedGraph, type ExpandOptions } from '../../../src/kinds/dataflow/clusters/expand.ts'
import { ClusterLibrary } from '../../../src/kinds/dataflow/clusters/library.ts'
import { decodeDefinition, type DefinitionSource, readDefinition } from '../../../src/kinds/dataflow/documents/read.ts'
import { validateGraph } from '../../../src/kinds/dataflow/graph/validate.ts'
import { Catalog } from '../../../src/kinds/dataflow/manifests/catalog.ts'
import type { ValidatedGraph } from '../../../src/kinds/dataflow/model/graph.ts'
import type { Primitive } from '../../../src/kinds/dataflow/model/primitive.ts'
import { STANDARD } from '../../../src/kinds/dataflow/primitives/standard.ts'

export interface CompileOptions extends Pick<ExpandOptions, 'parameters'> {
  /** The documents of the clusters that it uses. */
  readonly clusters?: readonly unknown[] | ClusterLibrary
  /** Primitives besides the standard ones. */
  readonly primitives?: readonly Primitive[]
}

const standard = new Catalog(STANDARD)

/** Returns a document as a definition: a text, a value, or a definition itself. Throws for one that cannot be read. */
export function sourceOf(document: unknown): DefinitionSource {
  if (isSource(document)) return document
  const { source, findings } = typeof document === 'string' ? readDefinition(document, 'g.dataflow.json') : decodeDefinition(document)
  if (source === undefined) throw findings[0] ?? new Error('no finding')
  return source
}

function isSource(document: unknown): document is DefinitionSource {
  return typeof document === 'object' && document !== null && 'definition' in document && 'locate' in document
}

/** Expands and validates a document. */
export function compile(
  document: unknown,
  { clusters = [], primitives, parameters }: CompileOptions = {},
): { readonly expanded: ExpandedGraph; readonly graph?: ValidatedGraph; readonly findings: readonly Fault[] } {
  const library = clusters instanceof ClusterLibrary ? clusters : new ClusterLibrary(clusters.map(sourceOf))
  const catalog = primitives === undefined ? standard : new Catalog([...STANDARD, ...primitives])
  const expanded = expand(sourceOf(document), { clusters: library, catalog, ...(parameters === undefined ? {} : { parameters }) })
  return { expanded, ...validateGraph(expanded) }
}

/** Returns the graph of a document without mistakes. Throws the first finding otherwise. */
export function graphOf(document: unknown, options?: CompileOptions): ValidatedGraph {
  const { graph, findings } = compile(document, options)
  if (graph === undefined) throw findings[0] ?? new Error('no finding')
  return graph
}

/** Returns findings as texts: the rule or the code, the path and the message. */
export function findingTexts(findings: readonly Fault[]): string[] {
  return findings.map(({ code, rule, path, message }) => `${rule ?? code} ${path ?? ''}: ${message}`)
}
