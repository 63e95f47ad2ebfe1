import type { Store } from '../../../kernel/index.ts'
import type { ReadResult } from '../../../programs/language.ts'
import { entryNames, isIntact, readActive, readManifestEntry, skillLedger } from '../ledger/entries.ts'
import { manifestJson } from '../manifest/canonical.ts'
import { decodeSkill } from '../manifest/read-skill.ts'
import type { SkillHost } from '../plan/skill-host.ts'
import type { SkillMaker } from '../plan/skill-program.ts'

/**
 * Finds a skill in the registry of a host: by its id the version that gets its calls, or the version that is named. Whether it may run is decided
 * by its gate. A manifest that does not have its hash is not found (reference skill 1.24).
 */
export async function storedSkill(reference: string, store: Store, host: SkillHost, maker: SkillMaker): Promise<ReadResult | undefined> {
  const ledger = skillLedger(host.project, host.env)
  const [id = '', named] = reference.split('@')
  const version = named ?? (await activeVersion(store, ledger, id))
  if (version === undefined) return undefined
  const name = entryNames.manifest(id, version)
  const { entries } = await store.latest(ledger, [name])
  const entry = readManifestEntry(entries[0]?.value)
  if (entry === undefined || !isIntact(entry)) return undefined
  const source = manifestJson(entry.manifest)
  const { skill, findings } = decodeSkill(source, maker.surroundings)
  return skill === undefined ? { findings } : { program: { id, version, source, def: maker.bind(skill) }, findings }
}

async function activeVersion(store: Store, ledger: string, id: string): Promise<string | undefined> {
  const { entries } = await store.latest(ledger, [entryNames.active(id)])
  return readActive(entries[0]?.value)?.versions[0]?.version
}
