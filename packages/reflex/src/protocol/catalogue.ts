import { memberFaults } from '../app/cluster/faults.ts'
import { faults as agents } from '../agents/faults.ts'
import { historyFaults } from '../history/faults.ts'
import { faults as composition } from '../runs/faults.ts'
import { type CatalogueEntry, type FaultFamily, faults as kernel } from '../kernel/index.ts'
import { learnFaults } from '../learn/faults.ts'
import { mcpFaults } from '../mcp/faults.ts'
import { faults as models } from '../models/faults.ts'
import { faults as people } from '../people/faults.ts'
import { programFaults } from '../programs/faults.ts'
import { faults as policy } from '../policy/faults.ts'
import { faults as store } from '../store/faults.ts'
import { postgresFaults } from '../store/postgres/faults.ts'
import { clusterFaults } from '../store/cluster-faults.ts'
import { faults as text } from '../text/faults.ts'
import { checkArguments, TEXT } from '../text/index.ts'
import { faults as tools } from '../tools/faults.ts'
import { serveFaults } from './faults.ts'
import { KINDS } from '../app/kinds.ts'
import { faults as wrap } from '../wrap/session/faults.ts'

/** All faults of Reflex by code. Each room defines its own part. */
export const CATALOGUE: ReadonlyMap<string, CatalogueEntry> = new Map<string, CatalogueEntry>(
  [
    kernel,
    composition,
    programFaults,
    historyFaults,
    text,
    ...KINDS.flatMap(({ faults }): readonly FaultFamily<string>[] => faults),
    store,
    postgresFaults,
    clusterFaults,
    policy,
    tools,
    people,
    models,
    agents,
    mcpFaults,
    wrap,
    ...learnFaults,
    serveFaults,
    memberFaults,
  ]
    .flatMap(({ entries }) => Object.entries(entries))
    .sort(([a], [b]) => (a < b ? -1 : 1)),
)

/** Returns the entries for a code: `R1042`, or a code of a seed, such as `INVALID_EDGE` or `E1003`. */
export function explainCode(code: string): [string, CatalogueEntry][] {
  checkArguments('explainCode', { code: [code, TEXT] })
  const wanted = code.toUpperCase()
  const exact = CATALOGUE.get(wanted)
  if (exact !== undefined) return [[wanted, exact]]
  return [...CATALOGUE].filter(([, entry]) => entry.rules?.some((rule) => rule.split(' ').some((word) => word.toUpperCase() === wanted)))
}
