import type { Fault } from '../../../kernel/index.ts'
import type { ProgramPlaces } from '../../../programs/file-above.ts'
import { quote } from '../../../text/index.ts'
import { standardClusters } from '../clusters/standard/standard-clusters.ts'
import { type DefinitionSource, readDefinition } from '../documents/read.ts'
import type { Catalog } from '../manifests/catalog.ts'
import { faults } from '../manifests/faults.ts'
import { readManifest } from '../manifests/read-manifest.ts'
import type { Manifest } from '../model/manifest.ts'
import { partText } from './siblings.ts'

/** The parts of a graph that are in files of their own, and everything that is wrong with them. */
export interface FoundParts<Part> {
  readonly found: readonly Part[]
  readonly files: readonly string[]
  readonly findings: readonly Fault[]
}

/**
 * Returns the clusters that a graph uses, directly or not: those of `ID.dataflow.json` beside it or in its folder `clusters`, else the
 * ready-made ones.
 */
export function clustersOf(
  root: DefinitionSource,
  file: string | undefined,
  denied?: ProgramPlaces['denied'],
): FoundParts<DefinitionSource> {
  const found: DefinitionSource[] = []
  const files: string[] = []
  const findings: Fault[] = []
  const seen = new Set([root.definition.id])
  const queue = [root]
  for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
    for (const id of targetsOf(at, 'cluster')) {
      if (seen.has(id)) continue
      seen.add(id)
      const text = partText(file, 'cluster', id, denied)
      if (text !== undefined) files.push(text.file)
      const { source, findings: wrong } =
        text === undefined ? { source: readyMade(id), findings: [] } : readDefinition(text.text, text.file)
      findings.push(...wrong)
      if (source === undefined) continue
      found.push(source)
      queue.push(source)
    }
  }
  return { found, files, findings }
}

function readyMade(id: string): DefinitionSource | undefined {
  return standardClusters().find(({ definition }) => definition.id === id)
}

/**
 * Returns the actions that definitions use, of which a catalog has none: those that `ID.primitive.json` declares, beside the graph or in its
 * folder `primitives`. An action needs no function, because its manifest says all of its effects.
 */
export function actionsOf(
  definitions: readonly DefinitionSource[],
  catalog: Catalog,
  file: string | undefined,
  denied?: ProgramPlaces['denied'],
): FoundParts<Manifest> {
  const ids = new Set(definitions.flatMap((source) => targetsOf(source, 'impl')).filter((id) => catalog.versions(id).length === 0))
  const found: Manifest[] = []
  const files: string[] = []
  const findings: Fault[] = []
  for (const id of ids) {
    const text = partText(file, 'primitive', id, denied)
    if (text === undefined) continue
    files.push(text.file)
    const read = readManifest(text.text, text.file)
    findings.push(...read.findings)
    if (read.manifest === undefined) continue
    if (read.manifest.kind === 'action') found.push(read.manifest)
    else findings.push(needsFunction(read.manifest, text.file))
  }
  return { found, files, findings }
}

function needsFunction({ kind, id }: Manifest, file: string): Fault {
  return faults.finding('R1349', `the ${kind} ${quote(id)} has no function`, {
    file,
    path: '$.kind',
    fix: 'give it to Reflex with definePrimitive(manifest, function)',
  })
}

/** Returns the ids of the primitives or clusters that the nodes of a definition name. */
function targetsOf({ definition: { nodes } }: DefinitionSource, what: 'impl' | 'cluster'): string[] {
  return nodes.flatMap(({ is, target }) => (is === what ? [target.split('@')[0] ?? target] : []))
}
