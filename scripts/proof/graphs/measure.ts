/** Compares what is proved of graphs with the mistakes that were made in them, class by class. */
import type { JsonObject } from '../../../packages/reflex/src/kernel/index.ts'
import { graphNeeds } from '../../../packages/reflex/src/kinds/dataflow/adapter/graph-needs.ts'
import { propertiesOf } from '../../../packages/reflex/src/kinds/dataflow/adapter/payload-schema.ts'
import { writeAdapter } from '../../../packages/reflex/src/kinds/dataflow/adapter/write-adapter.ts'
import { expand } from '../../../packages/reflex/src/kinds/dataflow/clusters/expand.ts'
import { ClusterLibrary } from '../../../packages/reflex/src/kinds/dataflow/clusters/library.ts'
import { standardClusters } from '../../../packages/reflex/src/kinds/dataflow/clusters/standard/standard-clusters.ts'
import { decodeDefinition } from '../../../packages/reflex/src/kinds/dataflow/documents/read.ts'
import { validateGraph } from '../../../packages/reflex/src/kinds/dataflow/graph/validate.ts'
import { Catalog } from '../../../packages/reflex/src/kinds/dataflow/manifests/catalog.ts'
import type { Adapter } from '../../../packages/reflex/src/kinds/dataflow/model/adapter.ts'
import type { ValidatedGraph } from '../../../packages/reflex/src/kinds/dataflow/model/graph.ts'
import { STANDARD } from '../../../packages/reflex/src/kinds/dataflow/primitives/standard.ts'
import { proofFindings } from '../../../packages/reflex/src/kinds/dataflow/proofs/proof-findings.ts'
import { CORRECT, type Score } from '../measure.ts'
import { Dice } from '../random.ts'
import { GRAPHS } from './corpus.ts'
import { type DraftGraph, draftOf } from './draft.ts'
import type { Mistakes } from './mistake.ts'
import { ACTION_MISTAKES } from './mutate-actions.ts'
import { CALCULATION_MISTAKES } from './mutate-calculations.ts'
import { MEMORY_MISTAKES } from './mutate-memory.ts'
import { HARMLESS_ACTIONS, UNSEEN_ACTIONS } from './unseen-actions.ts'
import { HARMLESS_CALCULATIONS, UNSEEN_CALCULATIONS } from './unseen-calculations.ts'
import { HARMLESS_MEMORY, UNSEEN_MEMORY } from './unseen-memory.ts'
import { HARMLESS_WRITERS, UNSEEN_WRITERS } from './unseen-writers.ts'

/** Mistakes by people who wrote the checks, and by one who had not read them. */
export const GRAPH_MISTAKES: Mistakes = {
  ...CALCULATION_MISTAKES,
  ...ACTION_MISTAKES,
  ...MEMORY_MISTAKES,
  ...UNSEEN_CALCULATIONS,
  ...HARMLESS_CALCULATIONS,
  ...UNSEEN_ACTIONS,
  ...HARMLESS_ACTIONS,
  ...UNSEEN_WRITERS,
  ...HARMLESS_WRITERS,
  ...UNSEEN_MEMORY,
  ...HARMLESS_MEMORY,
}

/** A graph of which the proofs and the truth say different things. */
export interface GraphDisagreement {
  readonly graph: string
  readonly kind: string
  readonly missed: readonly string[]
  readonly wrong: readonly string[]
}

export interface MeasuredGraphs {
  readonly scores: ReadonlyMap<string, Score>
  readonly total: Score
  readonly disagreements: readonly GraphDisagreement[]
}

const LIBRARY = new ClusterLibrary(standardClusters())
const CATALOG = new Catalog(STANDARD)

/** Makes each mistake in each graph of the corpus that has room for it, `rounds` times. */
export function measureGraphs(rounds: number, seed: number, corpus: readonly DraftGraph[] = GRAPHS): MeasuredGraphs {
  const scores = new Map<string, Score>()
  const disagreements: GraphDisagreement[] = []
  const total: Score = { programs: 0, real: 0, told: 0, right: 0 }
  const compare = (kind: string, graph: DraftGraph, real: readonly string[]): void => {
    const score = scores.get(kind) ?? { programs: 0, real: 0, told: 0, right: 0 }
    scores.set(kind, score)
    const told = findingsOf(graph)
    const missed = real.filter((fact) => !told.some((finding) => isFact(finding, fact)))
    const wrong = told.filter((finding) => !real.some((fact) => isFact(finding, fact)))
    for (const each of [score, total]) {
      each.programs++
      each.real += real.length
      each.told += real.length - missed.length + wrong.length
      each.right += real.length - missed.length
    }
    if (missed.length + wrong.length > 0) disagreements.push({ graph: graph.id, kind, missed, wrong })
  }
  for (const [place, graph] of corpus.entries()) {
    compare(CORRECT, graph, [])
    for (const [kind, mistake] of Object.entries(GRAPH_MISTAKES))
      for (let round = 0; round < rounds; round++) {
        const mutant = draftOf(graph)
        const real = mistake(mutant, new Dice(seed * 1_000_003 + place * 101 + round))
        if (real !== undefined) compare(kind, mutant, real)
      }
  }
  return { scores, total, disagreements }
}

/** True if a finding states a fact: `R1397 a|b` is at one of both nodes. */
function isFact(finding: string, fact: string): boolean {
  const [[code, place], [codeOf, places = '']] = [finding.split(' '), fact.split(' ')]
  return code === codeOf && places.split('|').includes(place ?? '')
}

function findingsOf(draft: DraftGraph): string[] {
  const graph = graphOf(draft)
  return proofFindings(graph, adapterOf(draft, graph)).map(({ code, path = '' }) => `${code} ${path.replace(/^nodes\./, '')}`)
}

function graphOf({ id, nodes, edges, outputs }: DraftGraph): ValidatedGraph {
  const shown = Object.keys(outputs).length > 0 ? outputs : actionOutput(nodes)
  const { source, findings } = decodeDefinition({
    kind: 'cluster',
    id,
    version: '1.0.0',
    nodes,
    edges,
    outputs: shown,
  })
  if (source === undefined) throw new Error(`${id}: ${findings.map(String).join('\n')}`)
  const { graph, findings: broken } = validateGraph(expand(source, { clusters: LIBRARY, catalog: CATALOG }))
  if (graph === undefined) throw new Error(`${id}: ${broken.map(String).join('\n')}`)
  return graph
}

function actionOutput(nodes: DraftGraph['nodes']): Record<string, string> {
  const [name] = Object.entries(nodes).find(([, { impl }]) => impl?.includes('_action@') === true) ?? []
  return name === undefined ? {} : { outcome: `${name}.outcome` }
}

/** Returns the adapter of a graph: the fields of its events, and the keys that it writes as fields that events may leave out. */
function adapterOf({ events }: DraftGraph, graph: ValidatedGraph): Adapter {
  const schemaOf = (fields: DraftGraph['events'][string]): JsonObject => ({
    type: 'object',
    properties: Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema])),
    required: Object.entries(fields).flatMap(([name, { optional }]) => (optional === true ? [] : [name])),
    additionalProperties: false,
  })
  const existing: Adapter = {
    kind: 'adapter',
    id: 'corpus',
    version: '1.0.0',
    runtime_compatibility: '0.1.0',
    context_keys: [],
    event_kinds: Object.entries(events).map(([name, fields]) => ({ name, payload_schema: schemaOf(fields) })),
    capture: { format_version: '1', fields: [] },
  }
  const { event_kinds, ...rest } = writeAdapter(graph, { existing, runtime: '0.1.0' })
  const written = new Set(graphNeeds(graph).writes.map(({ key }) => key))
  // A key that a mistake reads and no event has stays absent.
  const kept = event_kinds.map(({ name, payload_schema }) => {
    const fields = Object.entries(propertiesOf(payload_schema)).filter(
      ([key]) => written.has(key) || Object.hasOwn(events[name] ?? {}, key),
    )
    return { name, payload_schema: { ...payload_schema, properties: Object.fromEntries(fields) } }
  })
  return { ...rest, event_kinds: kept }
}
