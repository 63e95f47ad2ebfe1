import type { StoryEvent } from '../kernel/index.ts'
import type { StoryLine } from '../trace.ts'
import type { Row } from './layout.ts'
import { answerText, choiceOf, deed, isRetry, objectOf, programName, returnedText, type Told, who, wroteText } from './telling.ts'
import { duration } from './units.ts'

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
  if (row === undefined || isRetry(line)) return undefined
  const more = [...(row.more ?? []), ...(options.verbose ? verboseLines(event, options) : [])]
  return { depth, node: event.node ?? '', ...row, ...(more.length === 0 ? {} : { more }) }
}

type Body = Pick<Row, 'mark' | 'text' | 'facts' | 'more'>

function body(event: StoryEvent, told: Told, { limit }: RowOptions): Body | undefined {
  const took = told.took === undefined || told.took < 1 ? [] : [duration(told.took)]
  switch (event.mark) {
    case 'done':
    case 'decide':
      if (told.answered !== undefined && who(event).person)
        return { mark: 'done', text: answerText(told.answered), facts: told.answered.took < 1 ? [] : [duration(told.answered.took)] }
      if (event.mark === 'decide') return decided(event, took)
      if (told.returned && (event.text ?? '') === '' && event.facts?.wrote === undefined) return undefined
      return { mark: 'done', text: deed(event, limit), facts: took }
    case 'fail':
      return { mark: 'failed', text: failure(event), facts: took }
    case 'push':
      return { mark: 'into', text: `into ${programName(event.text ?? '')}` }
    case 'pop':
      return { mark: 'out', text: returnedText(event, limit) }
    case 'wait':
      return { mark: 'waits', text: event.text }
    case 'warn':
      return { mark: 'warns', text: event.text }
    case 'note':
      return { mark: 'note', text: event.text }
    case 'enter':
    case 'ask':
    case 'answer':
    case 'end':
      return undefined
  }
}

function decided(event: StoryEvent, took: readonly string[]): Body {
  const { edge, open } = choiceOf(event)
  const { by } = who(event)
  const because = (event.text ?? '') === '' ? '' : `, because ${event.text}`
  const others = open.filter((name) => name !== edge)
  const facts = [...(by === 'rules' ? [] : took), others.length === 0 ? 'only this was open' : `also open: ${others.join(', ')}`]
  return { mark: 'decided', text: `${by === undefined ? '' : `${by} → `}${edge}${because}`, facts }
}

function failure(event: StoryEvent): string {
  const { code } = objectOf(event.facts?.fault)
  return typeof code === 'string' ? `${code} ${event.text}` : (event.text ?? '')
}

function verboseLines(event: StoryEvent, { limit }: RowOptions): string[] {
  if (event.mark !== 'done' && event.mark !== 'decide') return []
  const wrote = wroteText(event, limit)
  const { closed } = choiceOf(event)
  return [
    ...(wrote === '' || deed(event, limit).endsWith(wroteText(event, limit)) ? [] : [`+ ${wrote}`]),
    ...closed.map((text) => `closed: ${text}`),
  ]
}
