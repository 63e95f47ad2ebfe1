import { once } from '../../../../text/index.ts'
import type { ClusterJson } from '../../documents/decode.ts'
import { decodeDefinition, type DefinitionSource } from '../../documents/read.ts'
import { COUNTING } from './counting.ts'
import { EDGES } from './edges.ts'
import { LATCHES } from './latches.ts'
import { LOGIC } from './logic.ts'
import { SERIES } from './series.ts'
import { TIMING } from './timing.ts'

/** The documents of the ready-made clusters by theme, in the order of their documentation. */
export const STANDARD_CLUSTER_THEMES = {
  'On and off': LATCHES,
  'Changes of a level': EDGES,
  Time: TIMING,
  Counting: COUNTING,
  'The last values': SERIES,
  Parts: LOGIC,
} as const satisfies Record<string, readonly ClusterJson[]>

/** The documents of the ready-made clusters, by id: stateful behaviour that graphs use as `once@^1`. */
export const STANDARD_CLUSTERS: Readonly<Record<string, ClusterJson>> = Object.fromEntries(
  Object.values(STANDARD_CLUSTER_THEMES).flatMap((documents) => documents.map((document) => [document.id, document] as const)),
)

/** Returns the ready-made clusters, for a library behind those of the user. */
export const standardClusters: () => readonly DefinitionSource[] = once(() =>
  Object.values(STANDARD_CLUSTERS).flatMap((document) => {
    const { source } = decodeDefinition(document)
    return source === undefined ? [] : [source]
  }),
)
