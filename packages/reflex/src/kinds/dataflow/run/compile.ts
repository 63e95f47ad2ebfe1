import { type Fault, type FunctionPin, isFault, type JsonObject } from '../../../kernel/index.ts'
import { prepareAdapter } from '../adapter/event-form.ts'
import { compositionFindings } from '../adapter/compose.ts'
import { checkAdapter } from '../adapter/check-adapter.ts'
import { ClusterLibrary } from '../clusters/library.ts'
import { expand } from '../clusters/expand.ts'
import { decodeDefinition, type DefinitionSource } from '../documents/read.ts'
import { validateGraph } from '../graph/validate.ts'
import { Catalog } from '../manifests/catalog.ts'
import type { Adapter } from '../model/adapter.ts'
import type { Manifest } from '../model/manifest.ts'
import type { Primitive } from '../model/primitive.ts'
import type { ValidatedGraph } from '../model/graph.ts'
import { compilePass } from '../pass/compile-pass.ts'
import { STANDARD } from '../primitives/standard.ts'
import type { CompiledGraph, GraphSource } from './compiled.ts'

/** The extensions of a host for graphs. */
export interface GraphHost {
  /** Primitives besides those of the standard catalogue. */
  readonly primitives: readonly Primitive[]
}

/** Compiles a stored graph. Throws the first finding of one that cannot run. `pinned`: the functions that a run calls. */
export function compileGraph(source: GraphSource, host: GraphHost, pinned?: readonly FunctionPin[]): CompiledGraph {
  const root = found(decodeDefinition(source.graph))
  const clusters = new ClusterLibrary((source.clusters ?? []).map((cluster) => found(decodeDefinition(cluster))))
  const expanded = expand(root, {
    clusters,
    catalog: catalogOf(host, { pinned, actions: source.actions }),
    ...(source.parameters === undefined ? {} : { parameters: source.parameters }),
  })
  const { graph, findings } = validateGraph(expanded)
  if (graph === undefined) throw firstOf(findings)
  const adapter = adapterOf(source.adapter, graph)
  return {
    id: graph.id,
    source,
    graph,
    adapter: adapter === undefined ? undefined : prepareAdapter(adapter),
    functions: functionsOf(graph),
    pass: compilePass(graph),
  }
}

/** The parts of a catalog besides the primitives of a host. */
interface CatalogParts {
  /** The functions that a run calls. Of a primitive that is among them, only that version is taken. */
  readonly pinned?: readonly FunctionPin[] | undefined
  /** Actions that files declare. They come before those of the host. */
  readonly actions?: readonly Manifest[] | undefined
}

/** Returns the primitives of a host with those of the standard catalogue, and the actions that files declare. */
export function catalogOf({ primitives }: GraphHost, { pinned = [], actions = [] }: CatalogParts = {}): Catalog {
  const versions = new Map(pinned.map(([id, version]) => [id, version]))
  const declared = new Set(actions.map(({ id }) => id))
  const own = primitives.filter(({ manifest: { id, version } }) => (versions.get(id) ?? version) === version && !declared.has(id))
  return new Catalog([...STANDARD, ...own, ...actions.map(declaredAction)], { severalVersions: true })
}

/** Returns an action that is only declared. Its manifest says all of its effects, so its function has nothing to decide. */
function declaredAction(manifest: Manifest): Primitive {
  return { manifest, kind: 'action', run: () => 'Attempted' }
}

function found({ source, findings }: { readonly source?: DefinitionSource; readonly findings: readonly Fault[] }): DefinitionSource {
  if (source === undefined) throw firstOf(findings)
  return source
}

function adapterOf(adapter: JsonObject | undefined, graph: ValidatedGraph): Adapter | undefined {
  if (adapter === undefined) return undefined
  const broken = checkAdapter(adapter)
  if (broken.length > 0) throw firstOf(broken)
  const read = adapter as unknown as Adapter
  const composed = compositionFindings(graph, read).filter(({ severity }) => severity === 'error')
  if (composed.length > 0) throw firstOf(composed)
  return read
}

/** Returns the functions of the host that a graph calls, with their versions and the digests of their texts. */
function functionsOf({ nodes }: ValidatedGraph): readonly FunctionPin[] {
  const pins = new Map<string, FunctionPin>()
  for (const { primitive } of nodes) {
    if (primitive.digest === undefined) continue
    const { id, version } = primitive.manifest
    pins.set(`${id}@${version}`, [id, version, primitive.digest])
  }
  return [...pins.values()].sort(([a], [b]) => (a < b ? -1 : 1))
}

function firstOf(findings: readonly Fault[]): Fault {
  const fault = findings.find(({ severity }) => severity === 'error') ?? findings[0]
  if (isFault(fault)) return fault
  throw new TypeError('a graph that cannot run has a finding')
}
