import { digest } from '../../kernel/index.ts'
import { type Promotion, promotionQueued, type PromotionState, promotionState } from '../../kinds/skill/control/messages.ts'
import { senderOf } from '../../kinds/skill/control/sender.ts'
import { manifestJson } from '../../kinds/skill/manifest/canonical.ts'
import { notTested, type SkillRegistry } from '../registry/registry.ts'
import type { KeptSkill } from '../registry/kept-skill.ts'
import type { ControlledProject } from './control-plane.ts'

/** A promotion that was asked for. */
export interface AskedPromotion extends PromotionState {
  readonly promotion_id: string
}

/**
 * Asks the control plane to use a tested version in another environment, and returns how far it is. The manifest goes along. Throws `R1492` for a
 * version without passed tests, `R2170` and `R2172`.
 */
export async function askPromotion(
  { client, registry, project, env }: ControlledProject,
  skill: KeptSkill,
  { to, by }: { readonly to: string; readonly by: string },
): Promise<AskedPromotion> {
  const body: Promotion = {
    ...senderOf(project),
    skill: { id: skill.id, version: skill.version, content_hash: skill.hash },
    from_env: env,
    to_env: to,
    ci_report: reportOf(registry, skill),
    requested_by: by,
    manifest: { ...manifestJson(skill.manifest) },
  }
  const key = digest(JSON.stringify(body))
  const { value: queued } = await client.request({ method: 'POST', path: '/v1/promotions', body, key, answer: promotionQueued })
  const id = queued?.promotion_id ?? ''
  const { value } = await client.request({ method: 'GET', path: `/v1/promotions/${encodeURIComponent(id)}`, answer: promotionState })
  return { promotion_id: id, ...(value ?? { status: 'running', environments: [], reason: '' }) }
}

function reportOf(registry: SkillRegistry, skill: KeptSkill): Promotion['ci_report'] {
  const { ci } = skill
  if (ci === undefined || !registry.hasPassed(skill)) throw notTested(skill)
  const { passed, unit, fuzz, security, delta_cost } = ci
  return { passed, unit: [...unit], fuzz: [...fuzz], security, delta_cost }
}
