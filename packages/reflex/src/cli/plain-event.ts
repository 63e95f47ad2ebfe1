import { programName } from '../protocol/plain.ts'
import type { StoryEvent } from '../programs/kind-view.ts'
import { attemptText, type EventContext } from './follower.ts'
import { usageFacts } from './model-usage.ts'
import {
  otherOpenEdges,
  type AnswerFacts,
  answerText,
  askText,
  choiceOf,
  decisionText,
  actionText,
  failureText,
  isDetail,
  returnedText,
  durationFact,
  waitText,
  decider,
} from './event-text.ts'
import { takenEdgeLines } from './tree-row.ts'

/** An event as text without a terminal: a verb, and a description. */
type PlainLine = readonly [verb: string, text: string] | undefined

interface PlainOptions {
  /** The answer that the node has just received. */
  readonly answered: AnswerFacts | undefined
  readonly verbose: boolean
}

/** The most characters of a value in a line of a log. */
const MOST_VALUE = 60

/** Returns an event as a line of a log; undefined for an event that is not logged. */
export function plainText(event: StoryEvent, context: EventContext, options: PlainOptions): PlainLine {
  if (isDetail(event) && !options.verbose) return undefined
  const line = PLAIN[event.mark]?.(event, context, options)
  return line === undefined ? undefined : [line[0], line[1].replaceAll('\u00a0', ' ')]
}

const PLAIN: Readonly<Partial<Record<StoryEvent['mark'], (event: StoryEvent, told: EventContext, options: PlainOptions) => PlainLine>>> = {
  done: (event, { hasReturned, took, spent, answered }, options) => {
    // A person's answer has its own line.
    const action = answered !== undefined && decider(event).person ? '' : actionText(event, MOST_VALUE)
    if (hasReturned && (event.text ?? '') === '') return undefined
    if (action === '' && answered !== undefined && takenEdgeLines(event).length === 0) return undefined
    return ['done', joinParts([action, ...durationFact(took), ...usageFacts(spent), ...edgeFacts(event, options)])]
  },
  decide: (event, { spent }, options) => {
    const others = otherOpenEdges(event)
    const also = others.length === 0 ? [] : [`also open: ${others.join(', ')}`]
    return ['decided', joinParts([decisionText(event), ...usageFacts(spent), ...also, ...closedFacts(event, options)])]
  },
  skip: ({ text = '' }) => ['skipped', text],
  fork: ({ text = '' }) => ['branches', text],
  step: ({ text = '', depth }, _, { verbose }) => ((verbose || depth !== undefined) && text !== '' ? ['does', text] : undefined),
  push: ({ text = '' }) => ['into', programName(text)],
  pop: (event) => ['out', returnedText(event, MOST_VALUE)],
  fail: (event, { took, spent }, options) => [
    'failed',
    joinParts([failureText(event), ...durationFact(took), ...usageFacts(spent), ...edgeFacts(event, options)]),
  ],
  ask: (event) => ['asked', askText(event)],
  answer: ({ text = '' }, _, { answered }) => ['answered', answered === undefined ? text : answerText(answered)],
  wait: (event) => ['waits', waitText(event).replace(/^waits /, '')],
  warn: (event) => ['warns', joinParts([event.text ?? '', ...(event.facts?.attempt === undefined ? [] : [attemptText(event)])])],
  note: ({ text = '' }) => ['note', text],
}

function joinParts(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('  ')
}

/** Returns the edge that a node with several edges took. */
function edgeFacts(event: StoryEvent, options: PlainOptions): readonly string[] {
  return takenEdgeLines(event).length === 0 ? [] : [...takenEdgeLines(event), ...closedFacts(event, options)]
}

function closedFacts(event: StoryEvent, { verbose }: PlainOptions): readonly string[] {
  return verbose ? choiceOf(event).closed.map((text) => `closed: ${text}`) : []
}
