import { equalJson, isObject, type Json } from '../../kernel/index.ts'
import { manifestJson } from '../../kinds/skill/manifest/canonical.ts'
import { suggestVersion, type VersionPart } from '../../kinds/skill/manifest/version.ts'
import type { KeptSkill } from './kept-skill.ts'

/** A value that two versions of a skill have otherwise; a side without it is absent. */
export interface ManifestChange {
  readonly path: string
  readonly before?: Json
  readonly after?: Json
}

/** How two versions of a skill differ. */
export interface SkillDifference {
  readonly from: string
  readonly to: string
  /** The step of the version that the changes ask for. */
  readonly step: VersionPart | 'none'
  readonly suggested: string
  /** The fields because of which it is that step. */
  readonly because: readonly string[]
  readonly changes: readonly ManifestChange[]
}

/** Compares two versions of a skill, field by field but for their version. */
export function compareSkills(
  { manifest: before }: Pick<KeptSkill, 'manifest'>,
  { manifest: after }: Pick<KeptSkill, 'manifest'>,
): SkillDifference {
  const { part, version, because } = suggestVersion(before, after)
  const changes = changesIn(manifestJson(before), manifestJson(after), '').filter(({ path }) => path !== 'version')
  return { from: before.version, to: after.version, step: part ?? 'none', suggested: version, because, changes }
}

/** Lists are compared by their items, so that a step that has changed is found by its place. */
function changesIn(before: Json | undefined, after: Json | undefined, path: string): ManifestChange[] {
  if (before === after || (before !== undefined && after !== undefined && equalJson(before, after))) return []
  const [left, right] = [membersOf(before), membersOf(after)]
  if (left === undefined || right === undefined)
    return [{ path, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) }]
  const keys = [...new Set([...left.keys(), ...right.keys()])]
  return keys.flatMap((key) => changesIn(left.get(key), right.get(key), path === '' ? key : `${path}.${key}`))
}

function membersOf(value: Json | undefined): ReadonlyMap<string, Json> | undefined {
  if (Array.isArray(value)) return new Map((value as readonly Json[]).map((item, i) => [String(i), item]))
  return isObject(value) ? new Map(Object.entries(value)) : undefined
}
