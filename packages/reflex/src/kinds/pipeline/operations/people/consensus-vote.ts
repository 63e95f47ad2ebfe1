import { isList, isObject, type Json, type JsonObject } from '../../../../kernel/index.ts'
import { renderText } from '../../language/render.ts'
import { fencedJson, looseJson } from '../models/loose-json.ts'
import { parseJson } from '../../language/parse-json.ts'

/** One vote of a council. */
export interface Vote {
  readonly vote: 'approve' | 'reject' | 'abstain'
  /** In [0, 1]; 0.5 if not stated. */
  readonly confidence: number
  readonly concerns: readonly string[]
  /** In [0, 1]. */
  readonly risk: number
  readonly reasoning: string
}

/** The instruction to a voter. `readVote` reads the answer to it. */
export const VOTE_INSTRUCTION =
  'Answer only with one JSON object: {"vote": "approve" | "reject" | "abstain", "reasoning": text, "confidence": 0..1, "concerns": [text], "risk_score": 0..1}.'

/** The limit of characters of an answer that are searched for a vote. */
const MOST = 50_000
/** The limit of mentions of a vote that are tried, and of braces before each of them. */
const MENTIONS = 10
const BRACES = 8

/**
 * Reads a vote from the answer of a voter: the whole text as JSON, JSON in a fence, any object in it that has a `vote`, and
 * finally its words. Words for both sides, or for none, abstain. Returns undefined for an empty text (reference pipeline 4.6.1,
 * decide).
 */
export function readVote(reply: string): Vote | undefined {
  const text = reply.slice(0, MOST).trim()
  if (text === '') return undefined
  const object = voteIn(parseJson(text)) ?? voteIn(parseJson(fencedJson(text).trim())) ?? mentionedVote(text)
  return object === undefined ? voteInWords(text) : voteOf(object)
}

function voteIn(value: Json | undefined): JsonObject | undefined {
  return isObject(value) && typeof value['vote'] === 'string' ? value : undefined
}

/** Returns the first object that has a vote, searching outwards from each mention of one. */
function mentionedVote(text: string): JsonObject | undefined {
  let mention = text.indexOf('"vote"')
  for (let seen = 0; mention >= 0 && seen < MENTIONS; seen++) {
    let start = text.lastIndexOf('{', mention)
    for (let tries = 0; start >= 0 && tries < BRACES; tries++) {
      const found = voteIn(looseJson(text.slice(start)))
      if (found !== undefined) return found
      start = start === 0 ? -1 : text.lastIndexOf('{', start - 1)
    }
    mention = text.indexOf('"vote"', mention + 1)
  }
  return undefined
}

function voteOf(object: JsonObject): Vote {
  const { concerns, reasoning } = object
  return {
    vote: voteSide(renderText(object['vote'])),
    confidence: fraction(object['confidence'], 0.5),
    concerns: isList(concerns) ? concerns.filter((concern): concern is string => typeof concern === 'string' && concern !== '') : [],
    risk: fraction(object['risk_score'], 0),
    reasoning: renderText(reasoning),
  }
}

function voteSide(word: string): Vote['vote'] {
  const text = word.trim().toLowerCase()
  return /^approved?$/.test(text) ? 'approve' : /^reject(?:ed)?$/.test(text) ? 'reject' : 'abstain'
}

const APPROVES = /\bapprove[sd]?\b/i
const REJECTS = /\breject(?:s|ed)?\b/i
/** Matches a negation before the word. It makes the vote unclear, so the vote must not approve. */
const DENIED = /(?:\bnot|\bnever|\bcannot|n['’]t)\s+(?:\w+\s+){0,3}(?:approve|reject)/i

function voteInWords(text: string): Vote {
  const [approves, rejects] = [APPROVES.test(text), REJECTS.test(text)]
  const isPlain = approves !== rejects && !DENIED.test(text)
  return { vote: !isPlain ? 'abstain' : approves ? 'approve' : 'reject', confidence: 0.5, concerns: [], risk: 0, reasoning: text }
}

function fraction(value: Json | undefined, usual: number): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? Math.min(1, Math.max(0, number)) : usual
}
