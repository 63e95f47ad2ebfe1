import { type Fault, isFault, isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import type { ReadContext, Reader, ReadResult } from '../../../programs/language.ts'
import { compositionFindings } from '../adapter/compose.ts'
import { readAdapter } from '../adapter/read-adapter.ts'
import { expand } from '../clusters/expand.ts'
import { standardClusters } from '../clusters/standard/standard-clusters.ts'
import { ClusterLibrary } from '../clusters/library.ts'
import { decodeDefinition, type DefinitionSource, readDefinition } from '../documents/read.ts'
import { definitionJson } from '../documents/write.ts'
import { validateGraph } from '../graph/validate.ts'
import { nodeName, type ValidatedGraph } from '../model/graph.ts'
import type { Manifest } from '../model/manifest.ts'
import { catalogOf, compileGraph, type GraphHost } from '../run/compile.ts'
import type { CompiledGraph, GraphSource } from '../run/compiled.ts'
import { graphInputs } from './inputs.ts'
import { actionsOf, clustersOf } from './parts.ts'
import { siblingText } from './siblings.ts'

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

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

/** True for a document, and for a graph that is closed over all that it refers to. */
function isGraph(value: unknown): value is JsonObject {
  return isRecord(value) && (value.kind === 'cluster' || value.format === 'reflex-dataflow-1')
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
  const actions = actionsOf([root, ...clusters.found], catalogOf(host), file, denied)
  const adapter = file === undefined ? undefined : siblingText(file, 'adapter', denied)
  const parts = [...clusters.files, ...actions.files, ...(adapter === undefined ? [] : [adapter.file])]
  // Of two clusters with one id and version, the user's own counts.
  const known = [...clusters.found, ...standardClusters()]
  const expanded = expand(root, { clusters: new ClusterLibrary(known), catalog: catalogOf(host, { actions: actions.found }) })
  const { graph, findings } = validateGraph(expanded)
  const read = adapter === undefined ? undefined : readAdapter(adapter.text, adapter.file)
  const contract = read?.adapter
  const composed =
    graph === undefined || contract === undefined
      ? []
      : compositionFindings(graph, contract, (node) => root.locate(['nodes', nodeName(node).split('/')[0] ?? '']))
  const all = [...before, ...clusters.findings, ...actions.findings, ...findings, ...(read?.findings ?? []), ...composed]
  if (graph === undefined || all.some(({ severity }) => severity === 'error')) return { findings: all, parts }
  const source = sourceOf(root, {
    clusters: usedBy(root, known),
    actions: actions.found,
    graph,
    adapter: contract as unknown as JsonObject | undefined,
  })
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
