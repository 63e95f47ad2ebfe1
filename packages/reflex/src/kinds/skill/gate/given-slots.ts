import type { Json } from '../../../kernel/index.ts'
import type { GateSnapshot, SlotSource } from '../model/decision.ts'
import type { SkillProposal } from '../model/proposal.ts'
import { valueAtBoardPath } from './board-path.ts'
import type { BoundSkill } from './skill.ts'

/** The part of a snapshot that fills slots. */
export type SlotFacts = Pick<GateSnapshot, 'board' | 'userText' | 'parsed' | 'parserModel'>

/** A value for a slot, before it is checked, and where it comes from. */
export interface Candidate {
  readonly source: SlotSource
  readonly value: Json
}

/** Returns what the sources above the parsers have for each slot. */
export function givenSlots(skill: BoundSkill, facts: SlotFacts, { inputs }: Pick<SkillProposal, 'inputs'>): ReadonlyMap<string, Candidate> {
  const { signature } = skill.manifest
  const found = new Map<string, Candidate>()
  for (const { name } of signature.inputs) {
    const path = Object.hasOwn(signature.blackboard_bindings.inputs, name) ? signature.blackboard_bindings.inputs[name] : undefined
    const sources: readonly [SlotSource, () => Json | undefined][] = [
      ['proposal', () => (Object.hasOwn(inputs, name) ? inputs[name] : undefined)],
      ['binding', () => (path === undefined ? undefined : valueAtBoardPath(facts.board, path))],
      ['extractor', () => extractSlot(skill, name, facts)],
    ]
    for (const [source, read] of sources) {
      const value = read()
      if (value === undefined || value === null) continue
      found.set(name, { source, value })
      break
    }
  }
  return found
}

/** Returns what the first rule that finds something extracts for a slot, without a model. */
function extractSlot({ slotExtractors }: BoundSkill, name: string, { userText, board }: SlotFacts): Json | undefined {
  for (const { slot, from, extract } of slotExtractors) {
    if (slot !== name) continue
    const source = from === 'user_text' ? userText : valueAtBoardPath(board, from)
    const value = source === undefined ? undefined : extract(source)
    if (value !== undefined && value !== null) return value
  }
  return undefined
}
