import type { Json, Store } from '../../../kernel/index.ts'
import type { ReadResult } from '../../../programs/language.ts'
import { entryNames, FORMAT_ENTRY, isIntact, newerFormat, readActive, readManifestEntry, skillLedger } from '../ledger/entries.ts'
import { manifestJson } from '../manifest/canonical.ts'
import { decodeSkill } from '../manifest/read-skill.ts'
import { newerRegistry } from '../plan/newer-registry.ts'
import type { SkillHost } from '../plan/skill-host.ts'
import type { SkillMaker } from '../plan/skill-program.ts'

/**
 * Finds a skill in the registry of a host: by its id the version that gets its calls, or the version that is named. Whether it may run is decided
 * by its gate. A manifest that does not have its hash is not found, and a registry of a newer form is refused (reference skill 1.24).
 */
export async function storedSkill(reference: string, store: Store, host: SkillHost, maker: SkillMaker): Promise<ReadResult | undefined> {
  const ledger = skillLedger(host.project, host.env)
  const [id = '', named] = reference.split('@')
  const version = named ?? (await activeVersion(store, ledger, id))
  if (version === undefined) return undefined
  const name = entryNames.manifest(id, version)
  const { entries } = await store.latest(ledger, [name, FORMAT_ENTRY])
  const value = (of: string): Json | undefined => entries.find((one) => one.name === of)?.value
  const newer = newerFormat(value(FORMAT_ENTRY))
  if (newer !== undefined) return { findings: [newerRegistry(host.project, newer)] }
  const entry = readManifestEntry(value(name))
  if (entry === undefined || !isIntact(entry)) return undefined
  const source = manifestJson(entry.manifest)
  const { skill, findings } = decodeSkill(source, maker.surroundings)
  return skill === undefined ? { findings } : { program: { id, version, source, def: maker.bind(skill) }, findings }
}

async function activeVersion(store: Store, ledger: string, id: string): Promise<string | undefined> {
  const { entries } = await store.latest(ledger, [entryNames.active(id)])
  return readActive(entries[0]?.value)?.versions[0]?.version
}
