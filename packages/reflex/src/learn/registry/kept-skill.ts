import type { Json } from '../../kernel/index.ts'
import {
  type ActiveEntry,
  entryNames,
  type FiguresEntry,
  isIntact,
  type ManifestEntry,
  readActive,
  readFigures,
  readState,
  readUse,
  recentStats,
  type StateEntry,
  type UseEntry,
} from '../../kinds/skill/ledger/entries.ts'
import { shareOf } from '../../kinds/skill/ledger/split.ts'
import type { Manifest } from '../../kinds/skill/model/manifest.ts'
import { type CiEntry, readCi, registryNames } from './entries.ts'

/** A version of a skill as the registry has it. */
export interface KeptSkill {
  readonly id: string
  readonly version: string
  readonly hash: string
  readonly manifest: Manifest
  readonly origin: string
  /** `org`: it is kept by the organisation. */
  readonly scope: Manifest['scope']
  readonly state: StateEntry
  /** The share of the calls that it gets, from 0 to 1; 0 for a version that is not active. */
  readonly share: number
  /** The versions that share the calls of its skill, if it is one of them. */
  readonly active: ActiveEntry | undefined
  readonly ci: CiEntry | undefined
  readonly use: UseEntry
  readonly stats: { readonly successes: number; readonly runs: number }
  /** All its executions in this project. */
  readonly figures: FiguresEntry
}

/** The entries of a registry by name. */
export type EntryValue = (name: string) => Json | undefined

/** Returns a version with everything that the registry has about it. A manifest that does not have its hash is in quarantine. */
export function keptSkill(entry: ManifestEntry, value: EntryValue, now: number, scope: KeptSkill['scope'] = 'project'): KeptSkill {
  const { hash, manifest, origin } = entry
  const { id, version } = manifest
  const use = readUse(value(entryNames.use(id)))
  const isTampered = !isIntact(entry)
  const stored = readState(value(entryNames.state(id, version))) ?? { state: 'draft', reason: '', since: 0, by: '' }
  const state = isTampered ? { ...stored, state: 'quarantined' as const, reason: 'its stored text does not have its hash' } : stored
  const pointer = isTampered ? undefined : readActive(value(entryNames.active(id)))
  const active = pointer?.versions.some((one) => one.version === version) === true ? pointer : undefined
  return {
    id,
    version,
    hash,
    manifest,
    origin,
    scope,
    state,
    share: active === undefined ? 0 : shareOf({ version }, active.versions),
    active,
    ci: readCi(value(registryNames.ci(hash))),
    use,
    stats: recentStats(use, Number(version.split('.')[0]), now),
    figures: readFigures(value(entryNames.figures(id, version))),
  }
}
