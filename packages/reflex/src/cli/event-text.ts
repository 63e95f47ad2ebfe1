import { isList, isObject, type Json, type JsonObject, type StoryEvent } from '../kernel/index.ts'
import { shortJson, parseIfJson } from '../text/index.ts'
import { duration } from './units.ts'

/** Who answered a question, what, and after how long. */
export interface AnswerFacts {
  readonly by: string | undefined
  readonly text: string
  /** Milliseconds. */
  readonly took: number
}

/** `ana: Approve`, or what else ended the wait. */
export function answerText({ by, text }: Omit<AnswerFacts, 'took'>): string {
  const cut = text.length > 60 ? shortJson(text, 60) : text
  return by === undefined ? cut : `${by}: ${cut}`
}

/** Whether an event is for those who look closely. */
export function isDetail({ facts = {} }: StoryEvent): boolean {
  return facts.detail === true
}

/** What is waited for, and how long at most: `waits 20.0 s`. */
export function waitText({ text = '', facts = {} }: StoryEvent): string {
  return typeof facts.ms === 'number' ? `${text} ${duration(facts.ms)}` : text
}

/** What is asked; of an effect whose outcome nobody knows, by the node that it was for: its port says nothing to people. */
export function askText({ node = '', text = '', facts }: StoryEvent): string {
  return objectOf(facts?.about).effect === undefined ? text : `Did ${node} happen?`
}

/** What somebody did at a node, without who and why of a choice: `git.log → 14 commits`. */
export function actionText(event: StoryEvent, limit: number): string {
  const { by } = decider(event)
  const because = event.text ?? ''
  const result = because === '' ? writesText(event, limit) : because
  if (by === undefined || by === '') return result
  if (result === '') return by
  return because.includes(' → ') && event.facts?.by !== by ? `${by} ${result}` : `${by} → ${result}`
}

/** Who decided: `rules`, a person's or a model's name, the name of a tool. */
export function decider({ facts = {} }: StoryEvent): { readonly by: string | undefined; readonly person: boolean } {
  const by = typeof facts.by === 'string' ? facts.by : undefined
  return { by: by?.replace(/^tool /, ''), person: by === 'a person' }
}

/** `receipt "rf_20931", amount 84`. */
export function writesText({ facts = {} }: StoryEvent, limit: number): string {
  const wrote = isObject(facts.wrote) ? Object.entries(facts.wrote) : []
  return wrote.map(([key, inner]) => `${key} ${valueText(inner, limit)}`).join(', ')
}

/** A choice: the edge taken, the other ones that were open, and why the rest was closed. */
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

/** `note = “parse() is gone”, n = 3`. */
export function returnedText({ facts = {} }: StoryEvent, limit: number): string {
  return Object.entries(objectOf(facts.returned))
    .map(([key, inner]) => `${key} = ${valueText(inner, limit)}`)
    .join(', ')
}

/** A value, short, whose size is never parted from it. */
export function valueText(found: unknown, limit: number): string {
  return shortJson(parseIfJson(found), limit).replace(/ (\d[\d.]*) ([kM]?B)$/, '\u00a0$1\u00a0$2')
}

/** A program's name without the kind that stands before it. */
export function programName(reference: string): string {
  return reference.slice(reference.indexOf(':') + 1)
}

export function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {}
}

/** Text as it is, anything else as JSON. */
export function textOf(found: Json | undefined): string {
  return typeof found === 'string' ? found : found === undefined ? '' : JSON.stringify(found)
}

/** `R2052 the agent failed`, of a line that tells a failure. */
export function failureText({ facts, text = '' }: StoryEvent): string {
  const { code, plain } = objectOf(facts?.fault)
  return plain === true ? text : `${textOf(code)} ${text}`.trim()
}

/** The other ways that were open at a choice. */
export function otherOpenEdges(event: StoryEvent): readonly string[] {
  const { edge, open } = choiceOf(event)
  return open.filter((name) => name !== edge)
}

/** `rules → major, because breaking = 1`. */
export function decisionText(event: StoryEvent): string {
  const { by } = decider(event)
  return `${by === undefined ? '' : `${by} → `}${choiceOf(event).edge}${(event.text ?? '') === '' ? '' : `, because ${event.text}`}`
}

/** A duration as a fact; what took no time is no fact. */
export function durationFact(ms: number | undefined): readonly string[] {
  return ms === undefined || ms < 1 ? [] : [duration(ms)]
}
