import { isList, isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import type { Carrier, Clarification, ClarifyQuestion, Proposal, ProtocolNote } from '../model/protocol.ts'

const MAX_WHY = 280
const MAX_QUESTIONS = 5
const MAX_QUESTION = 240
const REF = /^([A-Za-z0-9_.-]{1,96})(?:@([0-9A-Za-z.+-]{1,64}))?$/

/** What a body says, or the mistake that makes it malformed, in at most twelve words. */
export type BlockContent<Content> = { readonly content: Content; readonly notes: readonly ProtocolNote[] } | { readonly mistake: string }

/** Where a body comes from. */
export interface BlockOrigin {
  readonly carrier: Carrier
  readonly callIds: readonly string[]
}

/** Reads the body of a proposal. Keys that it does not know are ignored and noted; whether the skill exists is for the gate. */
export function readProposal(body: JsonObject, origin: BlockOrigin): BlockContent<Proposal> {
  const ref = own(body, 'skill_id')
  const inputs = Object.hasOwn(body, 'inputs') ? body['inputs'] : {}
  const why = own(body, 'why')
  const [, id, version] = typeof ref === 'string' ? (REF.exec(ref) ?? []) : []
  if (typeof ref !== 'string' || id === undefined) return { mistake: 'skill_id must be the id of a skill' }
  if (!isObject(inputs)) return { mistake: 'inputs must be an object' }
  if (why !== undefined && typeof why !== 'string') return { mistake: 'why must be a text' }
  const notes = unknownKeys(body, ['skill_id', 'inputs', 'why'])
  if (why !== undefined && why.length > MAX_WHY) notes.push({ kind: 'asp.why_cut', detail: `${why.length} characters` })
  const content: Proposal = {
    carrier: origin.carrier,
    skill_ref: ref,
    id,
    ...(version !== undefined && { version }),
    inputs,
    ...(why !== undefined && { why: cut(why, MAX_WHY) }),
    callIds: origin.callIds,
  }
  return { content, notes }
}

/** Reads the body of a request for information. */
export function readClarification(body: JsonObject, origin: BlockOrigin): BlockContent<Clarification> {
  const listed = own(body, 'questions')
  const ref = own(body, 'skill_id')
  if (ref !== undefined && (typeof ref !== 'string' || !REF.test(ref))) return { mistake: 'skill_id must be the id of a skill' }
  if (!isList(listed) || listed.length === 0 || listed.length > MAX_QUESTIONS)
    return { mistake: `questions must be a list of 1 to ${MAX_QUESTIONS} questions` }
  const notes = unknownKeys(body, ['skill_id', 'questions'])
  const questions: ClarifyQuestion[] = []
  for (const each of listed) {
    const question = readQuestion(each)
    if (typeof question === 'string') return { mistake: question }
    questions.push(question)
    if (isObject(each)) notes.push(...unknownKeys(each, ['slot', 'question']))
  }
  return { content: { carrier: origin.carrier, ...(ref !== undefined && { skill_ref: ref }), questions, callIds: origin.callIds }, notes }
}

/** Returns a question, or the mistake of a value that is none. */
function readQuestion(value: Json): ClarifyQuestion | string {
  if (!isObject(value)) return 'each question must be an object'
  const question = own(value, 'question')
  const slot = own(value, 'slot')
  if (typeof question !== 'string' || question.trim() === '' || question.length > MAX_QUESTION)
    return `each question must be a text of 1 to ${MAX_QUESTION} characters`
  if (slot !== undefined && typeof slot !== 'string') return 'each slot must be a name'
  return { ...(slot !== undefined && { slot }), question }
}

function own(body: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(body, key) ? body[key] : undefined
}

function unknownKeys(body: JsonObject, known: readonly string[]): ProtocolNote[] {
  const unknown = Object.keys(body).filter((key) => !known.includes(key))
  return unknown.length === 0 ? [] : [{ kind: 'asp.unknown_keys', detail: unknown.join(', ').slice(0, MAX_QUESTION) }]
}

/** Cuts a text to a number of UTF-16 units, and no character in half. */
function cut(text: string, length: number): string {
  return text.slice(0, length).toWellFormed()
}
