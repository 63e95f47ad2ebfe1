import { isObject, keptRecords, readRecords } from '../kernel/index.ts'
import type { Reflex } from '../app/reflex.ts'
import { type DecisionExplanation, explainDecision } from '../kinds/skill/gate/explain.ts'
import type { DecisionRecord } from '../kinds/skill/model/decision.ts'
import { faults } from '../learn/registry/faults.ts'
import type { KeptSkill } from '../learn/registry/kept-skill.ts'

/** A decision on a skill in a run, and why it was so. */
export interface FoundDecision {
  readonly run: string
  /** The number of its record. */
  readonly record: number
  readonly decision: DecisionRecord
  readonly explanation: DecisionExplanation
}

/** Returns the decisions of a run on a skill, in their order. `kept`: the skill in the registry, for examples. Throws `R2016`, and `R1497` if there is none. */
export async function findDecisions(
  reflex: Reflex,
  ref: string,
  id: string,
  kept: readonly KeptSkill[],
): Promise<readonly FoundDecision[]> {
  const { id: run } = await reflex.find(ref)
  const found: FoundDecision[] = []
  const { first } = await keptRecords(reflex.store, run)
  for await (const [n, record] of readRecords(reflex.store, run, first)) {
    const note = record.more?.note
    if (!isObject(note) || !isObject(note['decision'])) continue
    const decision = note['decision'] as unknown as DecisionRecord
    if ((decision.skill?.id ?? decision.proposal.skill_ref.split('@')[0]) !== id) continue
    const manifest = kept.find((one) => one.id === id && one.version === decision.skill?.version)?.manifest
    found.push({ run, record: n, decision, explanation: explainDecision(decision, manifest) })
  }
  if (found.length > 0) return found
  throw faults.make('R1497', `${run} has no decision on the skill ${id}`, { fix: `reflex trace ${run}` })
}
