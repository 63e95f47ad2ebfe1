import type { Json, Store } from '../../../kernel/index.ts'
import { entryNames, FORMAT_ENTRY, newerFormat, orgLedger, readState, skillLedger } from './entries.ts'

/** The registries of a host: that of its project, and above it that of its organisation. */
export interface RegistryPlaces {
  readonly project: string
  readonly env: string
  /** Absent: the project has no organisation. */
  readonly org?: string | undefined
}

/** The newest values of entries about one skill. */
export interface SkillEntries {
  /** `org`: the project has no active version of its own, and the organisation has one. */
  readonly scope: 'project' | 'org'
  /** The form of a registry that a newer Reflex has written: what it means is unknown here. */
  readonly newer: number | undefined
  value(name: string): Json | undefined
}

/**
 * Reads entries about a skill. The registry that has an active version of it is asked; if both have, the project hides the organisation
 * (reference skill 1.24). Executions are always those of the project, and so is a quarantine: it takes the skill out of use here, not elsewhere.
 */
export async function skillEntries(store: Store, places: RegistryPlaces, id: string, names: readonly string[]): Promise<SkillEntries> {
  const wanted = [...new Set([FORMAT_ENTRY, entryNames.active(id), ...names])]
  const project = await valuesOf(store, skillLedger(places.project, places.env), wanted)
  const newer = newerFormat(project.get(FORMAT_ENTRY))
  const own: SkillEntries = { scope: 'project', newer, value: (name) => project.get(name) }
  if (places.org === undefined || project.has(entryNames.active(id))) return own
  const org = await valuesOf(store, orgLedger(places.org, places.env), wanted)
  if (!org.has(entryNames.active(id))) return own
  return {
    scope: 'org',
    newer: newer ?? newerFormat(org.get(FORMAT_ENTRY)),
    value(name) {
      const here = project.get(name)
      if (name.startsWith(STATE)) return readState(here)?.state === 'quarantined' ? here : org.get(name)
      return OF_PROJECT.some((prefix) => name.startsWith(prefix)) ? here : org.get(name)
    },
  }
}

const STATE = 'state/'
/** What executions write. */
const OF_PROJECT = ['use/', 'figures/', 'key/']

async function valuesOf(store: Store, ledger: string, names: readonly string[]): Promise<ReadonlyMap<string, Json>> {
  const { entries } = await store.latest(ledger, names)
  return new Map(entries.flatMap(({ name, value }) => (name === undefined || value === undefined ? [] : [[name, value] as const])))
}
