import type { StoryEvent } from '../kernel/index.ts'
import { attemptText, type Told } from './follower.ts'
import { spentFacts } from './spent.ts'
import {
  alsoOpen,
  type Answered,
  answerText,
  askText,
  choiceOf,
  decisionText,
  deed,
  failureText,
  isDetail,
  programName,
  returnedText,
  tookFact,
  waitText,
  who,
} from './telling.ts'
import { wayOn } from './tree-row.ts'

/** What an event says without a terminal: a verb, and what it was. */
type Said = readonly [verb: string, text: string] | undefined

interface PlainOptions {
  /** The answer that the node has just been given. */
  readonly answered: Answered | undefined
  readonly verbose: boolean
}

/** Characters of a value in a line that nobody looks at live. */
const VALUE = 60

/** An event as a line where nobody watches; undefined for one that says nothing there. */
export function plainText(event: StoryEvent, told: Told, options: PlainOptions): Said {
  if (isDetail(event) && !options.verbose) return undefined
  const said = PLAIN[event.mark]?.(event, told, options)
  return said === undefined ? undefined : [said[0], said[1].replaceAll('\u00a0', ' ')]
}

const PLAIN: Readonly<Partial<Record<StoryEvent['mark'], (event: StoryEvent, told: Told, options: PlainOptions) => Said>>> = {
  done: (event, { returned, took, spent, answered }, options) => {
    // A person's answer has had its line.
    const did = answered !== undefined && who(event).person ? '' : deed(event, VALUE)
    if (returned && (event.text ?? '') === '') return undefined
    if (did === '' && answered !== undefined && wayOn(event).length === 0) return undefined
    return ['done', joined([did, ...tookFact(took), ...spentFacts(spent), ...onward(event, options)])]
  },
  decide: (event, { spent }, options) => {
    const others = alsoOpen(event)
    const also = others.length === 0 ? [] : [`also open: ${others.join(', ')}`]
    return ['decided', joined([decisionText(event), ...spentFacts(spent), ...also, ...closed(event, options)])]
  },
  skip: ({ text = '' }) => ['skipped', text],
  fork: ({ text = '' }) => ['branches', text],
  step: ({ text = '' }, _, { verbose }) => (verbose && text !== '' ? ['does', text] : undefined),
  push: ({ text = '' }) => ['into', programName(text)],
  pop: (event) => ['out', returnedText(event, VALUE)],
  fail: (event, { took, spent }, options) => [
    'failed',
    joined([failureText(event), ...tookFact(took), ...spentFacts(spent), ...onward(event, options)]),
  ],
  ask: (event) => ['asked', askText(event)],
  answer: ({ text = '' }, _, { answered }) => ['answered', answered === undefined ? text : answerText(answered)],
  wait: (event) => ['waits', waitText(event).replace(/^waits /, '')],
  warn: (event) => ['warns', joined([event.text ?? '', ...(event.facts?.attempt === undefined ? [] : [attemptText(event)])])],
  note: ({ text = '' }) => ['note', text],
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('  ')
}

/** Where a node that did something goes on, if it had a choice. */
function onward(event: StoryEvent, options: PlainOptions): readonly string[] {
  return wayOn(event).length === 0 ? [] : [...wayOn(event), ...closed(event, options)]
}

function closed(event: StoryEvent, { verbose }: PlainOptions): readonly string[] {
  return verbose ? choiceOf(event).closed.map((text) => `closed: ${text}`) : []
}
