import type { JsonObject } from '../../../../src/kernel/index.ts'
import { type BoundSkill, bindSkill } from '../../../../src/kinds/skill/gate/skill.ts'
import { functionTable } from '../../../../src/kinds/skill/gate/functions.ts'
import { decodeSkill } from '../../../../src/kinds/skill/manifest/read-skill.ts'
import { RELEASE } from '../../../wrap/session/world.ts'
import { changed } from '../skills.ts'
import type { Attack } from './attack.ts'

/** The manifest that an attack changes. */
export function manifestOf({ change = {} }: Attack): JsonObject {
  return changed(RELEASE, change) as JsonObject
}

/** The text of an attack. */
export function textOf(attack: Attack): string {
  const manifest = JSON.stringify(manifestOf(attack))
  const parts = attack.text ?? [[manifest, 1] as const]
  return parts.map(([part, times]) => part.replace('MANIFEST', manifest.slice(1)).repeat(times)).join('')
}

/** The skill that an attack changes. Throws if it is refused. */
export function skillOf(attack: Attack): BoundSkill {
  const table = functionTable([])
  const { skill, findings } = decodeSkill(manifestOf(attack), { functions: table.expressionFunctions, facts: [] })
  if (skill === undefined) throw new Error(findings.map(String).join('\n'))
  return bindSkill(skill, table)
}

/** The names of the skills that a bulletin is asked to show. */
export const MANY: readonly string[] = Array.from({ length: 12 }, (_, i) => `release.tag_${i}`)
