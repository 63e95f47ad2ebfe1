import { type Fault, type FaultDetails, isFault, type Json, type JsonObject } from '../../../kernel/index.ts'
import type { ReadContext, Reader, ReadResult } from '../../../programs/language.ts'
import { compositionFindings } from '../adapter/compose.ts'
import { memoryFindings } from '../adapter/memory-lints.ts'
import { readAdapter } from '../adapter/read-adapter.ts'
import { expand } from '../clusters/expand.ts'
import { ClusterLibrary } from '../clusters/library.ts'
import { standardClusters } from '../clusters/standard/standard-clusters.ts'
import { decodeDefinition, type DefinitionSource, readDefinition } from '../documents/read.ts'
import { definitionJson } from '../documents/write.ts'
import { validateGraph } from '../graph/validate.ts'
import { type GraphNode, nodeName, type ValidatedGraph } from '../model/graph.ts'
import type { Manifest } from '../model/manifest.ts'
import { proofFindings } from '../proofs/proof-findings.ts'
import { catalogOf, compileGraph, type GraphHost } from '../run/compile.ts'
import type { CompiledGraph, GraphSource } from '../run/compiled.ts'
import { adapterFile } from './adapter-file.ts'
import { graphInputs } from './inputs.ts'
import { actionsOf, clustersOf } from './parts.ts'
import { adapterSibling } from './siblings.ts'

/** Reads graphs from text, with their clusters and adapters from the files beside them, and as objects of modules. */
export function dataflowReader(host: GraphHost): Reader<CompiledGraph> {
  return {
    read(text, file, context) {
      const { source, findings } = readDefinition(text, file)
      return source === undefined ? { findings } : completed(source, { host, file, context, before: findings })
    },
    accept(value, file, context) {
      if (!isGraph(value)) return undefined
      if ('graph' in value) return stored(value as unknown as GraphSource, host)
      const { source, findings } = decodeDefinition(value)
      return source === undefined ? { findings } : completed(source, { host, file, context, before: findings })
    },
    companion(name, text, file, context) {
      if (name !== 'adapter') return undefined
      const { source, findings } = readDefinition(text, file)
      if (source === undefined) return adapterFile(undefined, file, findings, context)
      const expanded = expandedGraph(source, { host, file, context, before: findings })
      return adapterFile(expanded.graph, file, expanded.findings, context)
    },
    inputs: graphInputs,
  }
}

interface Reading {
  readonly host: GraphHost
  readonly file: string | undefined
  readonly context: ReadContext | undefined
  readonly before: readonly Fault[]
}

/** True for a document, and for a graph that is closed over all that it refers to. */
function isGraph(value: unknown): value is JsonObject {
  return isRecord(value) && (value.kind === 'cluster' || value.format === 'reflex-dataflow-1')
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function stored(source: GraphSource, host: GraphHost): ReadResult {
  try {
    const def = compileGraph(source, host)
    return { program: { id: def.id, version: def.graph.version, source: source as unknown as Json, def }, findings: [] }
  } catch (thrown) {
    if (isFault(thrown)) return { findings: [thrown] }
    throw thrown
  }
}

interface ExpandedGraph {
  /** The clusters and the actions that the graph uses. */
  readonly clusters: readonly DefinitionSource[]
  readonly actions: readonly Manifest[]
  /** The files that it was read from, besides its own. */
  readonly files: readonly string[]
  readonly graph: ValidatedGraph | undefined
  readonly findings: readonly Fault[]
}

/** Closes a document over its clusters and actions, and checks the graph. */
function expandedGraph(root: DefinitionSource, { host, file, context, before }: Reading): ExpandedGraph {
  const denied = context?.places?.denied
  const clusters = clustersOf(root, file, denied)
  const actions = actionsOf([root, ...clusters.found], catalogOf(host), file, denied)
  // Of two clusters with one id and version, the user's own counts.
  const known = [...clusters.found, ...standardClusters()]
  const expanded = expand(root, { clusters: new ClusterLibrary(known), catalog: catalogOf(host, { actions: actions.found }) })
  const { graph, findings } = validateGraph(expanded)
  return {
    clusters: usedBy(root, known),
    actions: actions.found,
    files: [...clusters.files, ...actions.files],
    graph,
    findings: [...before, ...clusters.findings, ...actions.findings, ...findings],
  }
}

/** Closes a document over its clusters, its actions and its adapter, and checks all of it. */
function completed(root: DefinitionSource, reading: Reading): ReadResult {
  const { host, file, context } = reading
  const { clusters, actions, files, graph, findings } = expandedGraph(root, reading)
  const adapter = file === undefined ? undefined : adapterSibling(file, context)
  const parts = [...files, ...(adapter === undefined ? [] : [adapter.file])]
  const read = adapter === undefined ? undefined : readAdapter(adapter.text, adapter.file)
  const contract = read?.adapter
  const locate = (node: GraphNode): FaultDetails => root.locate(['nodes', nodeName(node).split('/')[0] ?? ''])
  const composed = graph === undefined || contract === undefined ? [] : compositionFindings(graph, contract, locate)
  const isLinted = context?.depth !== 'errors' && context?.lint !== false && (adapter === undefined || contract !== undefined)
  const lints = graph === undefined || !isLinted ? [] : memoryFindings(graph, contract, locate)
  const broken = [...findings, ...(read?.findings ?? []), ...composed, ...lints]
  const isProved = isLinted && context !== undefined && !broken.some(({ severity }) => severity === 'error')
  const all = graph === undefined || !isProved ? broken : [...broken, ...proofFindings(graph, contract, locate)]
  if (graph === undefined || all.some(({ severity }) => severity === 'error')) return { findings: all, parts }
  const source = sourceOf(root, { clusters, actions, graph, adapter: contract as unknown as JsonObject | undefined })
  return {
    program: { id: graph.id, version: graph.version, source: source as unknown as Json, def: compileGraph(source, host) },
    findings: all,
    parts,
  }
}

interface GraphParts {
  readonly clusters: readonly DefinitionSource[]
  readonly actions: readonly Manifest[]
  readonly graph: ValidatedGraph
  readonly adapter: JsonObject | undefined
}

/** Returns the clusters that a graph names, directly or not, in every version that is known. */
function usedBy({ definition }: DefinitionSource, known: readonly DefinitionSource[]): readonly DefinitionSource[] {
  const used = new Set<DefinitionSource>()
  const add = (names: DefinitionSource['definition']['nodes']): void => {
    const ids = new Set(names.flatMap(({ is, target }) => (is === 'cluster' ? [target.split('@')[0]] : [])))
    for (const source of known) {
      if (!ids.has(source.definition.id) || used.has(source)) continue
      used.add(source)
      add(source.definition.nodes)
    }
  }
  add(definition.nodes)
  return known.filter((source) => used.has(source))
}

/** Returns the source of a graph: what one hash names. */
function sourceOf(root: DefinitionSource, { clusters, actions, graph, adapter }: GraphParts): GraphSource {
  const own = new Map(
    graph.nodes.flatMap(({ primitive }) => (primitive.digest === undefined ? [] : [[primitive.manifest.id, primitive.manifest] as const])),
  )
  return {
    format: 'reflex-dataflow-1',
    graph: definitionJson(root.definition),
    ...(clusters.length === 0 ? {} : { clusters: clusters.map(({ definition }) => definitionJson(definition)) }),
    ...(actions.length === 0 ? {} : { actions }),
    ...(own.size === 0 ? {} : { primitives: [...own.values()] }),
    ...(adapter === undefined ? {} : { adapter }),
  }
}
