import { textOf } from '../protocol/plain.ts'
import { isList, isObject, type Json, type JsonObject } from '../kernel/index.ts'
import type { StoryEvent } from '../programs/kind-view.ts'
import { shortJson, parseIfJson } from '../text/index.ts'
import { duration } from './units.ts'

/** The answer to a question: its author, its text, and the time it took. */
export interface AnswerFacts {
  readonly by: string | undefined
  readonly text: string
  /** The reason that the author gave. */
  readonly reason?: string
  /** The time in milliseconds. */
  readonly took: number
}

/** The most characters of a reason in one line. */
const MOST_REASON = 200

/** Returns `ana: Approve, because the tests pass`, or the text of another input that ended the wait. */
export function answerText({ by, text, reason }: Omit<AnswerFacts, 'took'>): string {
  const cut = text.length > 60 ? shortJson(text, 60) : text
  return `${by === undefined ? cut : `${by}: ${cut}`}${reasonText(reason)}`
}

/** Returns `, because the tests pass`; nothing without a reason. */
export function reasonText(reason: string | undefined): string {
  if (reason === undefined) return ''
  return `, because ${reason.length > MOST_REASON ? `${reason.slice(0, MOST_REASON)}…` : reason}`
}

/** True if an event is only shown with `--verbose`. */
export function isDetail({ facts = {} }: StoryEvent): boolean {
  return facts.detail === true
}

/** Returns the text of a wait, with its limit if it has one: `waits 20.0 s`. */
export function waitText({ text = '', facts = {} }: StoryEvent): string {
  return typeof facts.ms === 'number' ? `${text} ${duration(facts.ms)}` : text
}

/**
 * Returns the text of a question. For an effect with an unknown outcome it names the node, because the name of a port
 * means nothing to most people.
 */
export function askText({ node = '', text = '', facts }: StoryEvent): string {
  return objectOf(facts?.about).effect === undefined ? text : `Did ${node} happen?`
}

/** Returns the action at a node, without the reason of a decision: `git.log → 14 commits`. */
export function actionText(event: StoryEvent, limit: number): string {
  const { by } = decider(event)
  const because = event.text ?? ''
  const result = because === '' ? writesText(event, limit) : because
  if (by === undefined || by === '') return result
  if (result === '') return by
  return because.includes(' → ') && event.facts?.by !== by ? `${by} ${result}` : `${by} → ${result}`
}

/** Returns the decider: `rules`, the name of a person, a model or a tool. */
export function decider({ facts = {} }: StoryEvent): { readonly by: string | undefined; readonly person: boolean } {
  const by = typeof facts.by === 'string' ? facts.by : undefined
  return { by: by?.replace(/^tool /, ''), person: by === 'a person' }
}

/** Returns the writes of an event: `receipt "rf_20931", amount 84`. */
export function writesText({ facts = {} }: StoryEvent, limit: number): string {
  const wrote = isObject(facts.wrote) ? Object.entries(facts.wrote) : []
  return wrote.map(([key, inner]) => `${key} ${valueText(inner, limit)}`).join(', ')
}

/** Returns the parts of a decision: the edge taken, the other open edges, and the reasons why the rest was closed. */
export function choiceOf({ facts = {} }: StoryEvent): {
  readonly edge: string
  readonly open: readonly string[]
  readonly closed: readonly string[]
} {
  const open = isList(facts.open) ? facts.open.map(textOf) : []
  const closed = isList(facts.closed)
    ? facts.closed.flatMap((pair) => (isList(pair) ? [`${textOf(pair[0])}, ${textOf(pair[1])}`] : []))
    : []
  return { edge: typeof facts.edge === 'string' ? facts.edge : '', open, closed }
}

/** Returns the values that a program returned: `note = “parse() is gone”, n = 3`. */
export function returnedText({ facts = {} }: StoryEvent, limit: number): string {
  return Object.entries(objectOf(facts.returned))
    .map(([key, inner]) => `${key} = ${valueText(inner, limit)}`)
    .join(', ')
}

/** Returns a shortened value. A line break never separates the value from its size. */
export function valueText(found: unknown, limit: number): string {
  return shortJson(parseIfJson(found), limit).replace(/ (\d[\d.]*) ([kM]?B)$/, '\u00a0$1\u00a0$2')
}

export function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {}
}

/** Returns `R2052 the agent failed`, for an event that reports a failure. */
export function failureText({ facts, text = '' }: StoryEvent): string {
  const { code, plain } = objectOf(facts?.fault)
  return plain === true ? text : `${textOf(code)} ${text}`.trim()
}

/** Returns the edges that were open at a decision and were not taken. */
export function otherOpenEdges(event: StoryEvent): readonly string[] {
  const { edge, open } = choiceOf(event)
  return open.filter((name) => name !== edge)
}

/** Returns a decision: `rules → major, because breaking = 1`. */
export function decisionText(event: StoryEvent): string {
  const { by } = decider(event)
  return `${by === undefined ? '' : `${by} → `}${choiceOf(event).edge}${(event.text ?? '') === '' ? '' : `, because ${event.text}`}`
}

/** Returns a duration as a fact; nothing for less than a millisecond. */
export function durationFact(ms: number | undefined): readonly string[] {
  return ms === undefined || ms < 1 ? [] : [duration(ms)]
}
