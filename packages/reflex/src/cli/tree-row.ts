import { programName } from '../protocol/plain.ts'
import type { StoryEvent } from '../programs/kind-view.ts'
import type { StoryLine } from '../history/trace.ts'
import { attemptText, isRetry, nameOf, type EventContext } from './follower.ts'
import type { Row } from './layout.ts'
import { isByModel, promptKeysText, usageFacts } from './model-usage.ts'
import {
  otherOpenEdges,
  answerText,
  isDetail,
  choiceOf,
  decisionText,
  actionText,
  failureText,
  returnedText,
  durationFact,
  waitText,
  decider,
  writesText,
} from './event-text.ts'

export interface RowOptions {
  /** The most characters of a value before it is cut. */
  readonly limit: number
  /** Shows writes, and the edges that were closed at a decision. */
  readonly verbose: boolean
}

/** Returns a line of the story as a finished row of the tree; undefined if the line has no row. */
export function treeRow(line: StoryLine, context: EventContext, options: RowOptions): Row | undefined {
  const { event, depth } = line
  const row = rowBody(event, context, options)
  if (row === undefined || isRetry(line) || (isDetail(event) && !options.verbose)) return undefined
  const more = [...(row.more ?? []), ...(options.verbose ? verboseLines(event, options) : [])]
  return { depth, node: nameOf(line), ...row, ...(more.length === 0 ? {} : { more }) }
}

type RowBody = Pick<Row, 'mark' | 'text' | 'facts' | 'more'>

/** The row of each event; events that are not listed have none. */
const BODIES: Readonly<Partial<Record<StoryEvent['mark'], (event: StoryEvent, told: EventContext, limit: number) => RowBody | undefined>>> =
  {
    done(event, context, limit) {
      if (context.hasReturned && (event.text ?? '') === '' && event.facts?.wrote === undefined) return undefined
      return {
        mark: 'done',
        text: actionText(event, limit),
        more: takenEdgeLines(event),
        facts: [...durationFact(context.took), ...usageFacts(context.spent)],
      }
    },
    decide: (event, context) => decisionBody(event, context),
    skip: ({ text }) => ({ mark: 'skipped', text }),
    fork: ({ text }) => ({ mark: 'into', text }),
    fail: (event, context) => ({
      mark: 'failed',
      text: failureText(event),
      more: takenEdgeLines(event),
      facts: [...durationFact(context.took), ...usageFacts(context.spent)],
    }),
    push: ({ text = '' }) => ({ mark: 'into', text: `into ${programName(text)}` }),
    pop: (event, _, limit) => ({ mark: 'out', text: returnedText(event, limit) }),
    wait: (event) => ({ mark: 'waits', text: waitText(event) }),
    warn: (event) => ({ mark: 'warns', text: event.text, facts: event.facts?.attempt === undefined ? [] : [attemptText(event)] }),
    note: ({ text }) => ({ mark: 'note', text }),
  }

function rowBody(event: StoryEvent, context: EventContext, { limit }: RowOptions): RowBody | undefined {
  const { answered } = context
  if (answered !== undefined && decider(event).person && (event.mark === 'done' || event.mark === 'decide')) {
    return { mark: 'done', text: answerText(answered), facts: durationFact(answered.took) }
  }
  if (answered !== undefined && context.isUnknownOutcome && event.mark === 'answer')
    return { mark: 'done', text: answerText(answered), facts: durationFact(answered.took) }
  return BODIES[event.mark]?.(event, context, limit)
}

/** Returns the edge that a node with several edges took: `→ fix, because outcome = "fail"   also open: ship`. */
export function takenEdgeLines(event: StoryEvent): readonly string[] {
  const { route } = event.facts ?? {}
  const { edge } = choiceOf(event)
  if (edge === '' || typeof route !== 'string') return []
  const others = otherOpenEdges(event)
  return [`→ ${edge}, because ${route}${others.length === 0 ? '' : `   also\u00a0open: ${others.join(', ')}`}`]
}

function decisionBody(event: StoryEvent, { took, spent }: EventContext): RowBody {
  const others = otherOpenEdges(event)
  const open = others.length === 0 ? 'no other edge was open' : `also\u00a0open: ${others.join(', ')}`
  if (isByModel(event)) {
    const { by = '' } = decider(event)
    const because = (event.text ?? '') === '' ? '' : `“${event.text}”  `
    return {
      mark: 'decided',
      text: `${by} → ${choiceOf(event).edge}`,
      facts: [...durationFact(took), ...usageFacts(spent)],
      more: [`${because}${open}`],
    }
  }
  return { mark: 'decided', text: decisionText(event), facts: [...(decider(event).by === 'rules' ? [] : durationFact(took)), open] }
}

function promptKeyLines(event: StoryEvent): readonly string[] {
  const saw = promptKeysText(event)
  return saw === undefined ? [] : [saw]
}

function verboseLines(event: StoryEvent, { limit }: RowOptions): string[] {
  if (event.mark !== 'done' && event.mark !== 'decide' && event.mark !== 'fail') return []
  const wrote = writesText(event, limit)
  const { closed } = choiceOf(event)
  return [
    ...(wrote === '' || actionText(event, limit).endsWith(writesText(event, limit)) ? [] : [`+ ${wrote}`]),
    ...closed.map((text) => `closed: ${text}`),
    ...promptKeyLines(event),
  ]
}
