import { verify } from 'node:crypto'
import { type Fault, isFault, isObject, type Json } from '../../kernel/index.ts'
import { faults } from '../../kinds/skill/control/faults.ts'
import { MOST_SKILLS, syncAnswer, type SyncedSkill } from '../../kinds/skill/control/messages.ts'
import type { CompiledSkill } from '../../kinds/skill/manifest/compiled.ts'
import { decodeSkill } from '../../kinds/skill/manifest/read-skill.ts'
import type { KeptSkill } from '../registry/kept-skill.ts'
import { testKept } from '../registry/skill-file.ts'
import type { ControlledProject } from './control-plane.ts'

/** What a synchronisation has changed; versions as `id@version`. */
export interface SyncReport {
  readonly activated: readonly string[]
  /** Kept and tested; a person must approve them here, because nobody is named who has. */
  readonly waiting: readonly string[]
  readonly failed: readonly string[]
  readonly deprecated: readonly string[]
  readonly revoked: readonly string[]
  /** Not kept: `R2173`. */
  readonly refused: readonly Fault[]
}

type Outcome = Exclude<keyof SyncReport, 'refused'>

/** The most answers of one synchronisation. */
const MOST_PAGES = 100

/**
 * Takes over what has changed at the control plane. A manifest is read, hashed and tested here before it becomes active; one that changes something
 * outside also needs the name of a person who approved it. A revoked version is out of use at once. What is refused is asked for again by the
 * next synchronisation. Throws `R2170` and `R2172`.
 */
export async function syncSkills(project: ControlledProject): Promise<SyncReport> {
  const changes: [Outcome, string][] = []
  const refused: Fault[] = []
  let { cursor, etag } = readSynced(await project.registry.remembered('synced'))
  for (let page = 0; page < MOST_PAGES; page++) {
    const answered = await ask(project, cursor, page === 0 ? etag : undefined)
    if (answered.value === undefined) break
    const { skills, cursor: next } = answered.value
    for (const skill of skills) {
      const name = `${skill.manifest.id}@${skill.manifest.version}`
      try {
        const outcome = await take(project, skill)
        if (outcome !== undefined) changes.push([outcome, name])
      } catch (thrown) {
        if (!isFault(thrown)) throw thrown
        refused.push(thrown.code === 'R2173' ? thrown : refusal(name, thrown.message, thrown))
      }
    }
    etag = answered.etag
    cursor = next
    if (skills.length < MOST_SKILLS) break
  }
  if (refused.length === 0) await project.registry.remember('synced', { cursor: cursor ?? 0, ...(etag === undefined ? {} : { etag }) })
  const of = (outcome: Outcome): readonly string[] => changes.flatMap(([found, name]) => (found === outcome ? [name] : []))
  return {
    activated: of('activated'),
    waiting: of('waiting'),
    failed: of('failed'),
    deprecated: of('deprecated'),
    revoked: of('revoked'),
    refused,
  }
}

function ask({ client, project, env }: ControlledProject, since: number | undefined, etag: string | undefined) {
  const query = new URLSearchParams({ project, env, ...(since === undefined ? {} : { since: String(since) }) })
  return client.request({ method: 'GET', path: `/v1/skills/sync?${query.toString()}`, etag, answer: syncAnswer })
}

function readSynced(value: Json | undefined): { cursor: number | undefined; etag: string | undefined } {
  const { cursor, etag } = isObject(value) ? value : {}
  return { cursor: typeof cursor === 'number' ? cursor : undefined, etag: typeof etag === 'string' ? etag : undefined }
}

async function take(project: ControlledProject, synced: SyncedSkill): Promise<Outcome | undefined> {
  const skill = checked(project, synced)
  const { id, version } = skill.manifest
  if (synced.state === 'active') return activate(project, synced, skill)
  const kept = (await project.registry.list()).find((one) => one.id === id && one.version === version)
  if (kept === undefined || kept.state.state === 'evicted') return undefined
  return synced.state === 'revoked' ? revoke(project, kept) : deprecate(project, kept)
}

/** Throws `R2173` for a manifest that is not what the control plane says it is. */
function checked({ client, tools }: ControlledProject, { manifest, content_hash, signature }: SyncedSkill): CompiledSkill {
  const name = `${manifest.id}@${manifest.version}`
  const { skill, findings } = decodeSkill(manifest, { tools })
  if (skill === undefined) throw refusal(name, findings.find(({ severity }) => severity === 'error')?.message ?? 'it is not valid')
  if (skill.hash !== content_hash) throw refusal(name, 'its text does not have the hash that was sent with it')
  const { key } = client.settings
  const isSigned =
    key === undefined || (signature !== undefined && verify(null, Buffer.from(content_hash), key, Buffer.from(signature, 'base64')))
  if (!isSigned) throw refusal(name, signature === undefined ? 'it has no signature' : 'its signature does not fit')
  return skill
}

async function activate(project: ControlledProject, synced: SyncedSkill, skill: CompiledSkill): Promise<Outcome | undefined> {
  const { registry, tools } = project
  const { manifest, hash, hasEffects } = skill
  const isNew = await registry.put(manifest, hash, 'sync', synced.prompts ?? {})
  if (isNew) await registry.keepCases(hash, synced.cases ?? [])
  const name = `${manifest.id}@${manifest.version}`
  const kept = await registry.find(name)
  if (kept.state.state === 'active' || kept.state.state === 'evicted') return undefined
  const isTested = registry.hasPassed(kept) || (await testKept(registry, kept, { tools })).passed
  if (!isTested) return 'failed'
  const { approved_by } = synced
  if (hasEffects && approved_by === undefined) return 'waiting'
  await registry.activate(await registry.find(name), 1, `approved by ${approved_by ?? 'the control plane'}, synchronised`)
  return 'activated'
}

async function deprecate({ registry }: ControlledProject, kept: KeptSkill): Promise<Outcome | undefined> {
  if (kept.state.state !== 'active') return undefined
  await registry.retire(kept, 'deprecated', 'deprecated by the control plane')
  return 'deprecated'
}

/** Quarantine takes it out of use at once; evicted it stays out. */
async function revoke({ registry }: ControlledProject, kept: KeptSkill): Promise<Outcome> {
  const reason = 'revoked by the control plane'
  if (kept.state.state !== 'quarantined') await registry.retire(kept, 'quarantined', reason)
  await registry.retire(await registry.find(`${kept.id}@${kept.version}`), 'evicted', reason)
  return 'revoked'
}

function refusal(name: string, why: string, cause?: unknown): Fault {
  return faults.finding('R2173', `${name}: ${why}`, { path: name, cause })
}
