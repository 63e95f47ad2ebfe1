import { canonicalJson, type Json, type JsonObject } from '../../../kernel/index.ts'
import type { GateSnapshot, ParserAnswer } from '../model/decision.ts'
import type { SlotParser } from '../model/manifest.ts'
import type { SkillProposal } from '../model/proposal.ts'
import type { Slot } from '../model/slot.ts'
import { valueAtBoardPath } from './board-path.ts'
import { type Candidate, givenSlots, type SlotFacts } from './given-slots.ts'
import { compatOf } from './host-compat.ts'
import { acceptOutput, type ParsedSlot } from './parser-output.ts'
import { isRunnable } from './preconditions.ts'
import { hashOf } from './sha256.ts'
import type { BoundSkill } from './skill.ts'

/** A request to a model to find values of slots in a text, at temperature 0. */
export interface ParserRequest {
  /** The SHA-256 of the parser, its prompt, its model and its inputs: an answer is never asked for twice. */
  readonly key: string
  readonly parser: SlotParser
  /** What the model reads, by the names that the parser declares. */
  readonly inputs: JsonObject
}

/**
 * Returns the requests whose answers a decision on this proposal needs and the snapshot lacks, in the order of the manifest. A parser is
 * asked only if no higher source fills one of its slots, and never for or about a sensitive slot (reference skill 1.11). No model is asked
 * for a proposal that is denied whatever it answers.
 */
export function parserRequests(
  skill: BoundSkill,
  snapshot: GateSnapshot,
  proposal: Pick<SkillProposal, 'inputs' | 'skill_ref'>,
): readonly ParserRequest[] {
  if (isHopeless(skill, snapshot, proposal)) return []
  const answered = new Set(snapshot.parsed?.map(({ key }) => key))
  const requests = neededRequests(skill, snapshot, givenSlots(skill, snapshot, proposal))
  return requests.filter(({ key }, i) => !answered.has(key) && requests.findIndex((other) => other.key === key) === i)
}

/** True if the skill does not fit the host, is not active, or lacks a tool. */
function isHopeless({ manifest }: BoundSkill, snapshot: GateSnapshot, proposal: Pick<SkillProposal, 'skill_ref'>): boolean {
  const { tools_available } = manifest.preconditions
  const isReady = isRunnable(snapshot.state, proposal) && tools_available.every((tool) => snapshot.tools.includes(tool))
  return !isReady || !compatOf(manifest, snapshot).ok
}

/** Returns what the recorded answers of parsers give for the slots that no higher source fills. The first parser with a value decides. */
export function parsedSlots(skill: BoundSkill, facts: SlotFacts, given: ReadonlyMap<string, Candidate>): ReadonlyMap<string, ParsedSlot> {
  const found = new Map<string, ParsedSlot>()
  for (const { key, parser, inputs } of neededRequests(skill, facts, given)) {
    const answer = facts.parsed?.find((one) => one.key === key)
    const read = readAnswer(skill, parser, inputs, answer, facts.parserModel)
    for (const [name, parsed] of read) if (!given.has(name) && !hasValue(found.get(name))) found.set(name, parsed)
  }
  return found
}

function hasValue(parsed: ParsedSlot | undefined): boolean {
  return parsed !== undefined && 'value' in parsed
}

function neededRequests({ manifest }: BoundSkill, facts: SlotFacts, given: ReadonlyMap<string, Candidate>): readonly ParserRequest[] {
  const slots = new Map(manifest.signature.inputs.map((slot) => [slot.name, slot]))
  return manifest.llm_support.parsers.flatMap((parser) => {
    const touched = [...parser.outputs, ...parser.inputs].map((name) => slots.get(name))
    if (parser.outputs.every((name) => given.has(name)) || touched.some((slot) => slot?.sensitive === true)) return []
    const inputs = inputsOf(parser, slots, facts, given)
    if (inputs === undefined) return []
    const key = hashOf([parser.name, parser.prompt_sha256 ?? parser.prompt_ref, parser.model, inputs])
    return [{ key, parser, inputs }]
  })
}

/** Returns what a parser reads; undefined if one of its inputs is absent, so that there is nothing to ask. */
function inputsOf(
  parser: SlotParser,
  slots: ReadonlyMap<string, Slot>,
  { userText, board }: SlotFacts,
  given: ReadonlyMap<string, Candidate>,
): JsonObject | undefined {
  const inputs: Record<string, Json> = {}
  for (const name of parser.inputs) {
    const isText = name === 'raw_text' || name === 'user_text'
    const value = isText ? userText : slots.has(name) ? given.get(name)?.value : valueAtBoardPath(board, name)
    if (value === undefined || value === null) return undefined
    inputs[name] = value
  }
  return inputs
}

function readAnswer(
  skill: BoundSkill,
  parser: SlotParser,
  inputs: JsonObject,
  answer: ParserAnswer | undefined,
  allowed: SlotFacts['parserModel'] = 'pinned',
): ReadonlyMap<string, ParsedSlot> {
  const none = (problem: string): ReadonlyMap<string, ParsedSlot> => new Map(parser.outputs.map((name) => [name, { problem }]))
  if (answer === undefined) return none('the parser was not asked')
  if (answer.output === undefined) return none('the parser did not answer')
  if (answer.model !== parser.model && allowed === 'pinned') return none('parser_model_mismatch')
  const text = Object.values(inputs)
    .map((value) => (typeof value === 'string' ? value : canonicalJson(value)))
    .join('\n')
  const slots = skill.manifest.signature.inputs.filter(({ name }) => parser.outputs.includes(name))
  return acceptOutput(answer.output, slots, text)
}
