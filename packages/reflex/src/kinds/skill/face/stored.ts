import type { Store } from '../../../kernel/index.ts'
import type { ReadResult } from '../../../programs/language.ts'
import { entryNames, isIntact, orgLedger, readActive, readManifestEntry, skillLedger } from '../ledger/entries.ts'
import { skillEntries } from '../ledger/places.ts'
import { manifestJson } from '../manifest/canonical.ts'
import { decodeSkill } from '../manifest/read-skill.ts'
import { newerRegistry } from '../plan/newer-registry.ts'
import type { SkillHost } from '../plan/skill-host.ts'
import type { SkillMaker } from '../plan/skill-program.ts'

/**
 * Finds a skill in the registries of a host: by its id the first active version, or the version that is named. Which of several active versions
 * an execution gets, and whether it may run, is decided when its gate looks. A manifest that does not have its hash is not found, and a registry of a newer
 * form is refused (reference skill 1.24).
 */
export async function storedSkill(reference: string, store: Store, host: SkillHost, maker: SkillMaker): Promise<ReadResult | undefined> {
  const [id = '', named] = reference.split('@')
  const version = named ?? readActive((await skillEntries(store, host, id, [])).value(entryNames.active(id)))?.versions[0]?.version
  if (version === undefined) return undefined
  const name = entryNames.manifest(id, version)
  const entries = await skillEntries(store, host, id, [name])
  if (entries.newer !== undefined) return { findings: [newerRegistry(host.project, entries.newer)] }
  const entry = readManifestEntry(entries.value(name))
  if (entry === undefined || !isIntact(entry)) return undefined
  const source = manifestJson(entry.manifest)
  const { skill, findings } = decodeSkill(source, maker.surroundings)
  return skill === undefined ? { findings } : { program: { id, version, source, def: maker.bind(skill) }, findings }
}

/** Returns the ids of the active skills of a host, those of its organisation included. */
export async function activeSkills(store: Store, { project, env, org }: SkillHost): Promise<readonly string[]> {
  const ledgers = [skillLedger(project, env), ...(org === undefined ? [] : [orgLedger(org, env)])]
  const names = await Promise.all(ledgers.map(async (ledger) => (await store.latest(ledger)).entries.map(({ name = '' }) => name)))
  const prefix = entryNames.active('')
  return [...new Set(names.flat().flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : [])))].sort()
}
