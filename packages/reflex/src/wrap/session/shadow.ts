import type { InstalledSkill, BulletinTurn } from '../../kinds/skill/bulletin/candidates.ts'
import { decide, dryRun } from '../../kinds/skill/gate/decide.ts'
import { shadowed } from '../../kinds/skill/gate/shadow.ts'
import type { Bulletin } from '../../kinds/skill/model/card.ts'
import type { ShadowDecision } from '../../kinds/skill/model/decision.ts'
import type { ExpressionFunction } from '../../text/index.ts'

/** What the gate would have said about a skill that a turn was not shown. */
export interface ShadowCard extends ShadowDecision {
  readonly skill: string
}

/**
 * Returns the bulletin of a turn in which skills are only watched: nothing is shown, and for each skill that would have been, the record has the
 * verdict of the gate and what an execution would have saved. Nobody has proposed anything, so slots that only a proposal fills are missing.
 */
export function shadowBulletin(
  { cards, selection, overflow, tokens, tokenizer }: Bulletin,
  skills: readonly InstalledSkill[],
  turn: BulletinTurn,
  functions: readonly ExpressionFunction[],
): Bulletin & { readonly shadow: readonly ShadowCard[] } {
  const shadow = cards.flatMap(({ id, version }): ShadowCard[] => {
    const found = skills.find(({ skill: { manifest } }) => manifest.id === id && manifest.version === version)
    if (found === undefined) return []
    const proposal = { carrier: 'text', skill_ref: id, inputs: {} } as const
    const snapshot = { ...turn, state: found.state, stats: found.stats, functionResults: [], confirmed: [] }
    const functionResults = dryRun(found.skill, snapshot, proposal, functions)
    const { shadow: decided } = shadowed(decide(found.skill, { ...snapshot, functionResults }, proposal), found.skill.manifest)
    return decided === undefined ? [] : [{ skill: `${id}@${version}`, ...decided }]
  })
  return { text: '', cards: [], overflow, selection, same: false, tokens, tokenizer, shadow }
}
