import { type Fault, type FaultDetails, isFault, isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import type { ReadContext, Reader, ReadResult } from '../../../programs/language.ts'
import { compositionFindings } from '../adapter/compose.ts'
import { memoryFindings } from '../adapter/memory-lints.ts'
import { readAdapter } from '../adapter/read-adapter.ts'
import { expand } from '../clusters/expand.ts'
import { ClusterLibrary } from '../clusters/library.ts'
import { decodeDefinition, type DefinitionSource, readDefinition } from '../documents/read.ts'
import { definitionJson } from '../documents/write.ts'
import { validateGraph } from '../graph/validate.ts'
import { type GraphNode, nodeName, type ValidatedGraph } from '../model/graph.ts'
import { catalogOf, compileGraph, type GraphHost } from '../run/compile.ts'
import type { CompiledGraph, GraphSource } from '../run/compiled.ts'
import { adapterFile } from './adapter-file.ts'
import { graphInputs } from './inputs.ts'
import { clusterText, siblingText } from './siblings.ts'

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
  return isObject(value as Json) && ((value as JsonObject).kind === 'cluster' || (value as JsonObject).format === 'reflex-dataflow-1')
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
  readonly clusters: FoundClusters
  readonly graph: ValidatedGraph | undefined
  readonly findings: readonly Fault[]
}

/** Closes a document over its clusters, and checks the graph. */
function expandedGraph(root: DefinitionSource, { host, file, context, before }: Reading): ExpandedGraph {
  const clusters = clustersOf(root, file, context?.places?.denied)
  const expanded = expand(root, { clusters: new ClusterLibrary(clusters.sources), catalog: catalogOf(host) })
  const { graph, findings } = validateGraph(expanded)
  return { clusters, graph, findings: [...before, ...clusters.findings, ...findings] }
}

/** Closes a document over its clusters and its adapter, and checks all of it. */
function completed(root: DefinitionSource, reading: Reading): ReadResult {
  const { host, file, context } = reading
  const { clusters, graph, findings } = expandedGraph(root, reading)
  const adapter = file === undefined ? undefined : siblingText(file, 'adapter', context?.places?.denied)
  const parts = [...clusters.files, ...(adapter === undefined ? [] : [adapter.file])]
  const read = adapter === undefined ? undefined : readAdapter(adapter.text, adapter.file)
  const contract = read?.adapter
  const locate = (node: GraphNode): FaultDetails => root.locate(['nodes', nodeName(node).split('/')[0] ?? ''])
  const composed = graph === undefined || contract === undefined ? [] : compositionFindings(graph, contract, locate)
  const isLinted = context?.depth !== 'errors' && context?.lint !== false && (adapter === undefined || contract !== undefined)
  const lints = graph === undefined || !isLinted ? [] : memoryFindings(graph, contract, locate)
  const all = [...findings, ...(read?.findings ?? []), ...composed, ...lints]
  if (graph === undefined || all.some(({ severity }) => severity === 'error')) return { findings: all, parts }
  const source = sourceOf(root, clusters.sources, graph, contract as unknown as JsonObject | undefined)
  return { program: { id: graph.id, version: graph.version, source: source as unknown as Json, def: compileGraph(source, host) }, findings: all, parts }
}

interface FoundClusters {
  readonly sources: readonly DefinitionSource[]
  readonly files: readonly string[]
  readonly findings: readonly Fault[]
}

/** Returns the clusters that a graph uses, directly or not, from the files beside it. */
function clustersOf(root: DefinitionSource, file: string | undefined, denied: NonNullable<ReadContext['places']>['denied']): FoundClusters {
  const sources: DefinitionSource[] = []
  const files: string[] = []
  const findings: Fault[] = []
  const seen = new Set([root.definition.id])
  const queue = [root]
  for (let at = queue.pop(); at !== undefined && file !== undefined; at = queue.pop()) {
    for (const { is, target } of at.definition.nodes) {
      const id = target.split('@')[0] ?? target
      if (is !== 'cluster' || seen.has(id)) continue
      seen.add(id)
      const found = clusterText(file, id, denied)
      if (found === undefined) continue
      files.push(found.file)
      const read = readDefinition(found.text, found.file)
      findings.push(...read.findings)
      if (read.source === undefined) continue
      sources.push(read.source)
      queue.push(read.source)
    }
  }
  return { sources, files, findings }
}

/** Returns the source of a graph: what one hash names. */
function sourceOf(root: DefinitionSource, clusters: readonly DefinitionSource[], graph: ValidatedGraph, adapter: JsonObject | undefined): GraphSource {
  const own = new Map(graph.nodes.flatMap(({ primitive }) => (primitive.digest === undefined ? [] : [[primitive.manifest.id, primitive.manifest] as const])))
  return {
    format: 'reflex-dataflow-1',
    graph: definitionJson(root.definition),
    ...(clusters.length === 0 ? {} : { clusters: clusters.map(({ definition }) => definitionJson(definition)) }),
    ...(own.size === 0 ? {} : { primitives: [...own.values()] }),
    ...(adapter === undefined ? {} : { adapter }),
  }
}

