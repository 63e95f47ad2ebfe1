import { type Fault, isFault, isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import type { ReadContext, Reader, ReadResult } from '../../../programs/language.ts'
import { compositionFindings, type NodeLocator } from '../adapter/compose.ts'
import { readAdapter } from '../adapter/read-adapter.ts'
import { expand } from '../clusters/expand.ts'
import { ClusterLibrary } from '../clusters/library.ts'
import { decodeDefinition, type DefinitionSource, readDefinition } from '../documents/read.ts'
import { definitionJson } from '../documents/write.ts'
import { validateGraph } from '../graph/validate.ts'
import { nodeName, type ValidatedGraph } from '../model/graph.ts'
import { proofFindings } from '../proofs/proof-findings.ts'
import { catalogOf, compileGraph, type GraphHost } from '../run/compile.ts'
import type { CompiledGraph, GraphSource } from '../run/compiled.ts'
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

/** Closes a document over its clusters and its adapter, and checks all of it. */
function completed(root: DefinitionSource, { host, file, context, before }: Reading): ReadResult {
  const denied = context?.places?.denied
  const clusters = clustersOf(root, file, denied)
  const adapter = file === undefined ? undefined : siblingText(file, 'adapter', denied)
  const parts = [...clusters.files, ...(adapter === undefined ? [] : [adapter.file])]
  const expanded = expand(root, { clusters: new ClusterLibrary(clusters.sources), catalog: catalogOf(host) })
  const { graph, findings } = validateGraph(expanded)
  const read = adapter === undefined ? undefined : readAdapter(adapter.text, adapter.file)
  const contract = read?.adapter
  const locate: NodeLocator = (node) => root.locate(['nodes', nodeName(node).split('/')[0] ?? ''])
  const composed = graph === undefined || contract === undefined ? [] : compositionFindings(graph, contract, locate)
  const broken = [...before, ...clusters.findings, ...findings, ...(read?.findings ?? []), ...composed]
  const isProved = context !== undefined && context.lint !== false && context.depth !== 'errors' && !broken.some(({ severity }) => severity === 'error')
  const all = graph === undefined || !isProved ? broken : [...broken, ...proofFindings(graph, contract, locate)]
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

