import { suggest } from '../../../text/index.ts'
import { type DecisionRecord, type GateSnapshot, NOT_EVALUATED } from '../model/decision.ts'
import type { SkillProposal } from '../model/proposal.ts'
import { hashOf } from './sha256.ts'

/** A skill as a proposal names it: its id, and a version if that very version is meant. */
export interface SkillRef {
  readonly id: string
  readonly version?: string
}

const ID = /^[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*){0,7}$/
const [LONGEST_ID, LONGEST_VERSION] = [96, 256]

/** Reads `id` or `id@version`; undefined for a text that names no skill. */
export function readSkillRef(text: string): SkillRef | undefined {
  const at = text.indexOf('@')
  const id = at < 0 ? text : text.slice(0, at)
  const version = at < 0 ? undefined : text.slice(at + 1)
  if (id.length > LONGEST_ID || !ID.test(id)) return undefined
  if (version === undefined) return { id }
  return version === '' || version.length > LONGEST_VERSION ? undefined : { id, version }
}

const MOST_OFFERED = 3
const LONGEST_REF = 200

/**
 * Returns the decision on a proposal for a skill that does not exist: denied, with the active ids that are spelt nearly like it. Nothing
 * runs (reference skill 1.8).
 */
export function unknownSkill(
  { now }: Pick<GateSnapshot, 'now'>,
  { carrier, skill_ref, inputs }: SkillProposal,
  active: readonly string[],
): DecisionRecord {
  return {
    v: 1,
    proposal: { carrier, skill_ref: skill_ref.slice(0, LONGEST_REF), inputs_hash: hashOf(inputs) },
    skill: null,
    now,
    compat: NOT_EVALUATED,
    preconditions: NOT_EVALUATED,
    score: NOT_EVALUATED,
    policy: NOT_EVALUATED,
    fn_results: [],
    verdict: 'denied',
    reason: 'unknown_skill',
    nearest: nearestIds(readSkillRef(skill_ref)?.id ?? skill_ref, active),
  }
}

/** Returns up to three ids that are spelt nearly like a word, the nearest first. */
function nearestIds(word: string, ids: readonly string[]): readonly string[] {
  const left = new Set(ids)
  const found: string[] = []
  for (let guess = suggest(word, left); guess !== undefined && found.length < MOST_OFFERED; guess = suggest(word, left)) {
    found.push(guess)
    left.delete(guess)
  }
  return found
}
