import { isList, isObject, type Json, type JsonObject, type StoryEvent } from '../kernel/index.ts'
import { brief } from '../text/index.ts'
import type { StoryLine } from '../trace.ts'
import { duration } from './units.ts'

/** What stood before an event and is needed to tell it. */
export interface Told {
  /** Milliseconds since the node began. */
  readonly took?: number
  /** Who answered the node's question, what, and after how long. */
  readonly answered?: { readonly by: string | undefined; readonly text: string; readonly took: number }
  /** The question was whether an effect happened. */
  readonly doubted: boolean
  /** The node has just come back from the program that it called. */
  readonly returned: boolean
}

interface Node {
  since: number
  asked?: { readonly at: number; readonly options: readonly Json[]; readonly doubt: boolean }
  answered?: Told['answered']
  returned: boolean
}

/** Follows a story line by line, so that a node's end knows of its beginning, its question and its answer. */
export class Follower {
  readonly #nodes = new Map<string, Node>()
  /** Nodes that something is being done at, in the order in which they began. */
  readonly running = new Map<string, { readonly node: string; readonly depth: number; readonly since: number }>()

  follow(line: StoryLine): Told {
    const { event, at, depth } = line
    const key = keyOf(line)
    const node = this.#nodes.get(key) ?? { since: at, returned: false }
    this.#nodes.set(key, node)
    const run = (): void => void this.running.set(key, { node: event.node ?? '', depth, since: at })
    const took = at - node.since
    const { returned } = node
    switch (event.mark) {
      case 'enter':
        this.#nodes.set(key, { since: at, returned: false })
        run()
        break
      case 'ask':
        node.asked = { at, options: optionsOf(event), doubt: objectOf(event.facts?.about).effect !== undefined }
        this.running.delete(key)
        break
      case 'answer':
        if (isRetry(line)) node.since = at
        else node.answered = answerOf(event, node, at)
        run()
        break
      case 'pop':
        node.returned = true
        node.since = at
        run()
        break
      case 'done':
      case 'decide':
        this.#nodes.delete(key)
        this.running.delete(key)
        break
      case 'fail':
      case 'push':
      case 'wait':
        this.running.delete(key)
        break
      case 'warn':
      case 'note':
      case 'end':
        break
    }
    return { took, returned, doubted: node.asked?.doubt === true, ...(node.answered === undefined ? {} : { answered: node.answered }) }
  }

  /** The answer that a node has just been given. */
  answerTo(line: StoryLine): Told['answered'] {
    return this.#nodes.get(keyOf(line))?.answered
  }
}

function keyOf({ path, depth, event }: StoryLine): string {
  return [...path.split('/').slice(0, depth), event.node ?? ''].join('/')
}

function optionsOf({ facts }: StoryEvent): readonly Json[] {
  return isList(facts?.options) ? facts.options : []
}

function answerOf({ facts = {}, text = '' }: StoryEvent, { asked, since }: Node, at: number): Told['answered'] {
  const { answer, by } = facts
  const option = asked?.options.find((candidate) => isObject(candidate) && candidate.value === answer)
  const label = isObject(option) && typeof option.label === 'string' ? option.label : undefined
  const said = label ?? (answer === undefined ? text : typeof answer === 'string' ? answer : JSON.stringify(answer))
  return { by: typeof by === 'string' ? by : undefined, text: said, took: at - (asked?.at ?? since) }
}

/** Whether a record only says that a failed node is tried again. */
export function isRetry({ event }: StoryLine): boolean {
  return event.mark === 'answer' && event.facts?.answer === null
}

/** `ana: Approve`, or what else ended the wait. */
export function answerText({ by, text }: NonNullable<Told['answered']>): string {
  const cut = text.length > 60 ? brief(text, 60) : text
  return by === undefined ? cut : `${by}: ${cut}`
}

/** What somebody did at a node, without who and why of a choice: `git.log → 14 commits`. */
export function deed(event: StoryEvent, limit: number): string {
  const { by } = who(event)
  const because = event.text ?? ''
  const result = because === '' ? wroteText(event, limit) : because
  if (by === undefined || by === '') return result
  if (result === '') return by
  return because.includes(' → ') && event.facts?.by !== by ? `${by} ${result}` : `${by} → ${result}`
}

/** Who decided: `rules`, a person's or a model's name, the name of a tool. */
export function who({ facts = {} }: StoryEvent): { readonly by: string | undefined; readonly person: boolean } {
  const by = typeof facts.by === 'string' ? facts.by : undefined
  return { by: by?.replace(/^tool /, ''), person: by === 'a person' }
}

/** `receipt "rf_20931", amount 84`. */
export function wroteText({ facts = {} }: StoryEvent, limit: number): string {
  const wrote = isObject(facts.wrote) ? Object.entries(facts.wrote) : []
  return wrote.map(([key, inner]) => `${key} ${value(inner, limit)}`).join(', ')
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
    .map(([key, inner]) => `${key} = ${value(inner, limit)}`)
    .join(', ')
}

/** A value, short, whose size is never parted from it. */
export function value(found: unknown, limit: number): string {
  return brief(found, limit).replace(/ (\d[\d.]*) ([kM]?B)$/, '\u00a0$1\u00a0$2')
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
  return `${textOf(objectOf(facts?.fault).code)} ${text}`.trim()
}

/** The other ways that were open at a choice. */
export function alsoOpen(event: StoryEvent): readonly string[] {
  const { edge, open } = choiceOf(event)
  return open.filter((name) => name !== edge)
}

/** `rules → major, because breaking = 1`. */
export function decisionText(event: StoryEvent): string {
  const { by } = who(event)
  return `${by === undefined ? '' : `${by} → `}${choiceOf(event).edge}${(event.text ?? '') === '' ? '' : `, because ${event.text}`}`
}

/** A duration as a fact; what took no time is no fact. */
export function tookFact(ms: number | undefined): readonly string[] {
  return ms === undefined || ms < 1 ? [] : [duration(ms)]
}
