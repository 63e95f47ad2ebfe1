import type { Json } from '../../../kernel/index.ts'
import { suggest } from '../../../text/index.ts'
import { readSlotValue } from '../manifest/slot-values.ts'
import type { SlotCheck } from '../model/decision.ts'
import type { SkillProposal } from '../model/proposal.ts'
import type { Slot } from '../model/slot.ts'
import type { FilledSlots } from '../model/slots.ts'
import { valueAtBoardPath } from './board-path.ts'
import { type Candidate, givenSlots, type SlotFacts } from './given-slots.ts'
import type { ParsedSlot } from './parser-output.ts'
import { parsedSlots } from './parsers.ts'
import type { BoundSkill } from './skill.ts'

/**
 * Fills the slots of a skill for one proposal. For each slot the first source that has a value decides: the proposal, the binding to the
 * blackboard, a rule that extracts it, a parser, the default (reference skill 1.11). An invalid value is refused, and no lower source is
 * tried: what somebody has stated is never replaced by a guess. An input that the skill does not have is refused as well: without it, the
 * skill would do something else than what was asked for. `null` counts as absent.
 */
export function fillSlots(skill: BoundSkill, facts: SlotFacts, proposal: Pick<SkillProposal, 'inputs'>): FilledSlots {
  const given = givenSlots(skill, facts, proposal)
  const parsed = parsedSlots(skill, facts, given)
  const values: Record<string, Json> = {}
  const checks: SlotCheck[] = []
  for (const slot of skill.manifest.signature.inputs) {
    const candidate = given.get(slot.name) ?? afterParsers(slot, parsed.get(slot.name))
    checks.push(check(skill, slot, candidate, values, parsed.get(slot.name)))
  }
  return { values, checks: [...checks, ...unknownInputs(skill, proposal), ...absentData(skill, facts)] }
}

function afterParsers(slot: Slot, parsed: ParsedSlot | undefined): Candidate | undefined {
  if (parsed !== undefined && 'value' in parsed) return { source: 'parser', value: parsed.value }
  return slot.default === undefined ? undefined : { source: 'default', value: slot.default }
}

/** Checks one slot, and keeps its value if it is valid. */
function check(
  skill: BoundSkill,
  slot: Slot,
  candidate: Candidate | undefined,
  values: Record<string, Json>,
  parsed: ParsedSlot | undefined,
): SlotCheck {
  const { name } = slot
  if (candidate === undefined) {
    const why = parsed !== undefined && 'problem' in parsed ? { reason: parsed.problem } : {}
    return { name, source: 'missing', valid: !skill.required.has(name), ...why }
  }
  const verdict = readSlotValue(slot, candidate.value)
  if ('problem' in verdict) return { name, source: candidate.source, valid: false, reason: verdict.problem }
  values[name] = verdict.value
  return { name, source: candidate.source, valid: true }
}

/** Inputs beyond this number are not named: a proposal is untrusted. */
const MOST_NAMED = 8
const LONGEST_NAME = 64

function unknownInputs({ manifest }: BoundSkill, { inputs }: Pick<SkillProposal, 'inputs'>): SlotCheck[] {
  const names = manifest.signature.inputs.map(({ name }) => name)
  const unknown = Object.keys(inputs).filter((name) => !names.includes(name))
  return unknown.slice(0, MOST_NAMED).map((name) => {
    const guess = suggest(name, names)
    const reason = `the skill has no such input${guess === undefined ? '' : `; did you mean ${guess}?`}`
    return { name: name.slice(0, LONGEST_NAME), source: 'proposal', valid: false, reason }
  })
}

/** Returns the paths of the blackboard that must have a value and have none. */
function absentData({ manifest, required }: BoundSkill, { board }: SlotFacts): SlotCheck[] {
  const paths = manifest.preconditions.data_present.filter((name) => name.includes('.') && !required.has(name))
  return paths
    .filter((path) => (valueAtBoardPath(board, path) ?? null) === null)
    .map((name) => ({ name, source: 'missing', valid: false, reason: 'it is not on the blackboard' }))
}
