import { compatOf } from '../gate/host-compat.ts'
import { millionths, ratio } from '../gate/millionths.ts'
import { scoreSkill } from '../gate/score.ts'
import type { BoundSkill } from '../gate/skill.ts'
import { fillSlots } from '../gate/slots.ts'
import type { TextWords } from '../gate/words.ts'
import type { CardCandidate } from '../model/card.ts'
import type { GateSnapshot, ScoreResult, SkillState } from '../model/decision.ts'

/** What a turn knows when its bulletin is made: a snapshot without what belongs to one skill. */
export type BulletinTurn = Omit<GateSnapshot, 'state' | 'stats' | 'functionResults' | 'parsed' | 'confirmed' | 'remote'>

/** An installed skill in a project and environment. */
export interface InstalledSkill {
  readonly skill: BoundSkill
  readonly state: SkillState
  readonly stats: GateSnapshot['stats']
  /** How often it came after the skill that was executed last in this session. */
  readonly followed: number
  /** The number of the last conversation that was shown it; absent if none was. */
  readonly lastShown?: number
}

/** Returns true if a skill can be carried out in a turn, as far as is known before a proposal: no other is ever shown (reference skill 1.15). */
export function isEligible({ skill, state }: InstalledSkill, turn: BulletinTurn): boolean {
  const { preconditions, policy } = skill.manifest
  const { tools, principal } = turn
  return (
    state === 'active' &&
    isBound(skill) &&
    preconditions.tools_available.every((tool) => tools.includes(tool)) &&
    (policy.allow_roles.length === 0 || policy.allow_roles.some((role) => principal.roles.includes(role))) &&
    compatOf(skill.manifest, turn).ok
  )
}

/** A skill that lacks a tool, a function or a fact of its host is never shown. */
function isBound({ unbound: { tools, functions, facts } }: BoundSkill): boolean {
  return tools.length + functions.length + facts.length === 0
}

/** Scores a skill with what the turn knows, as the gate would. */
export function previewScore({ skill, stats }: InstalledSkill, turn: BulletinTurn, words: TextWords): ScoreResult {
  return scoreSkill(skill, { ...turn, stats }, words)
}

/**
 * True if the gate can still find a score high enough: it reads the text of the user, which is known, and the blackboard, which may fill until
 * then. A skill that the gate will deny is only tokens, and a model that proposes it loses a round.
 */
export function canScore({ normalised, tau_normalised, features, weights, max }: ScoreResult): boolean {
  return normalised + ratio(weights.entity_type * (millionths(1) - features.entity_type), max) >= tau_normalised
}

/** Returns what the card of a skill shows. A slot is known if a source below the proposal has a valid value for it. */
export function cardCandidate({ skill, stats }: InstalledSkill, turn: BulletinTurn): CardCandidate {
  const { id, version, title, description, signature, activation } = skill.manifest
  const { values } = fillSlots(skill, turn, { inputs: {} })
  return {
    id,
    version,
    title,
    description,
    needs: signature.inputs
      .filter(({ name }) => skill.required.has(name))
      .map(({ name, type }) => ({ slot: name, type, known: Object.hasOwn(values, name) })),
    gives: signature.outputs.map(({ name, type }) => ({ output: name, type })),
    keywords: activation.keywords_any,
    stats,
  }
}
