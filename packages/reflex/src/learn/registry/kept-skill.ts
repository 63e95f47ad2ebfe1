import type { Json, LedgerEntry } from '../../kernel/index.ts'
import {
  type ActiveEntry,
  entryNames,
  isIntact,
  type ManifestEntry,
  readActive,
  readState,
  readUse,
  recentStats,
  type StateEntry,
  type UseEntry,
} from '../../kinds/skill/ledger/entries.ts'
import type { Manifest } from '../../kinds/skill/model/manifest.ts'
import { type CiEntry, readCi, registryNames } from './entries.ts'

/** A version of a skill as the registry has it. */
export interface KeptSkill {
  readonly id: string
  readonly version: string
  readonly hash: string
  readonly manifest: Manifest
  readonly origin: string
  readonly state: StateEntry
  /** The share of the calls that it gets, from 0 to 1; 0 for a version that is not active. */
  readonly share: number
  readonly ci: CiEntry | undefined
  readonly use: UseEntry
  readonly stats: { readonly successes: number; readonly runs: number }
}

/** Returns a version with everything that the registry has about it. A manifest that does not have its hash is in quarantine. */
export function keptSkill(entry: ManifestEntry, byName: ReadonlyMap<string, LedgerEntry>, now: number): KeptSkill {
  const { hash, manifest, origin } = entry
  const { id, version } = manifest
  const value = (name: string): Json | undefined => byName.get(name)?.value
  const use = readUse(value(entryNames.use(id)))
  const isTampered = !isIntact(entry)
  const stored = readState(value(entryNames.state(id, version))) ?? { state: 'draft', reason: '', since: 0, by: '' }
  const state = isTampered ? { ...stored, state: 'quarantined' as const, reason: 'its stored text does not have its hash' } : stored
  const versions = isTampered ? [] : (readActive(value(entryNames.active(id)))?.versions ?? [])
  return {
    id,
    version,
    hash,
    manifest,
    origin,
    state,
    share: shareOf(version, versions),
    ci: readCi(value(registryNames.ci(hash))),
    use,
    stats: recentStats(use, Number(version.split('.')[0]), now),
  }
}

/** The share of a version: the first one gets what the others leave. */
function shareOf(version: string, versions: ActiveEntry['versions']): number {
  const at = versions.findIndex((one) => one.version === version)
  if (at < 0) return 0
  if (at > 0) return versions[at]?.share ?? 0
  return 1 - versions.slice(1).reduce((sum, { share = 0 }) => sum + share, 0)
}
