import type { StoryEvent } from '../kernel/index.ts'
import type { StoryLine } from '../history/trace.ts'
import { attemptText, isRetry, nameOf, type Told } from './follower.ts'
import type { Row } from './layout.ts'
import { byModel, sawText, spentFacts } from './spent.ts'
import {
  alsoOpen,
  answerText,
  isDetail,
  choiceOf,
  decisionText,
  deed,
  failureText,
  programName,
  returnedText,
  tookFact,
  waitText,
  who,
  wroteText,
} from './telling.ts'

export interface RowOptions {
  /** Characters that a value may take before it is cut. */
  readonly limit: number
  /** Show writes, and what was closed at a choice. */
  readonly verbose: boolean
}

/** A line of the story as a finished line of the tree, if it makes one. */
export function treeRow(line: StoryLine, told: Told, options: RowOptions): Row | undefined {
  const { event, depth } = line
  const row = body(event, told, options)
  if (row === undefined || isRetry(line) || (isDetail(event) && !options.verbose)) return undefined
  const more = [...(row.more ?? []), ...(options.verbose ? verboseLines(event, options) : [])]
  return { depth, node: nameOf(line), ...row, ...(more.length === 0 ? {} : { more }) }
}

type Body = Pick<Row, 'mark' | 'text' | 'facts' | 'more'>

/** What each event makes of a line; those that are not here make none. */
const BODIES: Readonly<Partial<Record<StoryEvent['mark'], (event: StoryEvent, told: Told, limit: number) => Body | undefined>>> = {
  done(event, told, limit) {
    if (told.returned && (event.text ?? '') === '' && event.facts?.wrote === undefined) return undefined
    return { mark: 'done', text: deed(event, limit), more: wayOn(event), facts: [...tookFact(told.took), ...spentFacts(told.spent)] }
  },
  decide: (event, told) => decided(event, told),
  skip: ({ text }) => ({ mark: 'skipped', text }),
  fork: ({ text }) => ({ mark: 'into', text }),
  fail: (event, told) => ({
    mark: 'failed',
    text: failureText(event),
    more: wayOn(event),
    facts: [...tookFact(told.took), ...spentFacts(told.spent)],
  }),
  push: ({ text = '' }) => ({ mark: 'into', text: `into ${programName(text)}` }),
  pop: (event, _, limit) => ({ mark: 'out', text: returnedText(event, limit) }),
  wait: (event) => ({ mark: 'waits', text: waitText(event) }),
  warn: (event) => ({ mark: 'warns', text: event.text, facts: event.facts?.attempt === undefined ? [] : [attemptText(event)] }),
  note: ({ text }) => ({ mark: 'note', text }),
}

function body(event: StoryEvent, told: Told, { limit }: RowOptions): Body | undefined {
  const { answered } = told
  if (answered !== undefined && who(event).person && (event.mark === 'done' || event.mark === 'decide')) {
    return { mark: 'done', text: answerText(answered), facts: tookFact(answered.took) }
  }
  if (answered !== undefined && told.doubted && event.mark === 'answer')
    return { mark: 'done', text: answerText(answered), facts: tookFact(answered.took) }
  return BODIES[event.mark]?.(event, told, limit)
}

/** `→ fix, because outcome = "fail"   also open: ship`: where a node that did something goes on, if it had a choice. */
export function wayOn(event: StoryEvent): readonly string[] {
  const { route } = event.facts ?? {}
  const { edge } = choiceOf(event)
  if (edge === '' || typeof route !== 'string') return []
  const others = alsoOpen(event)
  return [`→ ${edge}, because ${route}${others.length === 0 ? '' : `   also\u00a0open: ${others.join(', ')}`}`]
}

function decided(event: StoryEvent, { took, spent }: Told): Body {
  const others = alsoOpen(event)
  const open = others.length === 0 ? 'only this was open' : `also\u00a0open: ${others.join(', ')}`
  if (byModel(event)) {
    const { by = '' } = who(event)
    const because = (event.text ?? '') === '' ? '' : `“${event.text}”  `
    return {
      mark: 'decided',
      text: `${by} → ${choiceOf(event).edge}`,
      facts: [...tookFact(took), ...spentFacts(spent)],
      more: [`${because}${open}`],
    }
  }
  return { mark: 'decided', text: decisionText(event), facts: [...(who(event).by === 'rules' ? [] : tookFact(took)), open] }
}

function seen(event: StoryEvent): readonly string[] {
  const saw = sawText(event)
  return saw === undefined ? [] : [saw]
}

function verboseLines(event: StoryEvent, { limit }: RowOptions): string[] {
  if (event.mark !== 'done' && event.mark !== 'decide' && event.mark !== 'fail') return []
  const wrote = wroteText(event, limit)
  const { closed } = choiceOf(event)
  return [
    ...(wrote === '' || deed(event, limit).endsWith(wroteText(event, limit)) ? [] : [`+ ${wrote}`]),
    ...closed.map((text) => `closed: ${text}`),
    ...seen(event),
  ]
}
