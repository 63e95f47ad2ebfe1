import { type Change, isObject, type Json } from '../../../kernel/index.ts'
import type { StoryEvent } from '../../../programs/kind-view.ts'
import { shortJson } from '../../../text/index.ts'
import { writtenValue } from '../debug/written-value.ts'
import { DEBUG_TOPIC } from '../tick/debug-state.ts'
import { textOf } from '../model/text-of.ts'
import { CLOSING_KEY } from '../tick/ending.ts'
import { QUEUE_KEY } from '../tick/queue.ts'
import { EVENT_KEY } from '../tick/ticking.ts'

/** The most characters of an event in a line. */
const MOST = 60

/** Returns the events that a tree handles or keeps with a record, and commands to it. */
export function inputStory(change: Change): StoryEvent[] {
  const { record } = change
  const { input } = record
  const body = input?.[0] === 'message' ? input[2] : undefined
  const event = writtenValue(record, EVENT_KEY)
  if (event !== undefined) return [eventNote(event, '')]
  if (input?.[0] === 'host') return commandNote(input[1])
  if (body === undefined) return []
  if (writtenValue(record, QUEUE_KEY) !== undefined) return [eventNote(body, ', handled after this tick')]
  if (writtenValue(record, CLOSING_KEY) !== undefined) return [{ mark: 'note', text: 'close: no more events' }]
  return isCommand(change) ? commandNote(body) : [{ mark: 'note', text: 'resume', facts: { token: body } }]
}

function eventNote(body: Json, more: string): StoryEvent {
  return { mark: 'note', text: `event ${shortJson(body, MOST)}${more}`, facts: { event: body } }
}

/** Commands that replace a tree are told by the nodes that differ. */
function commandNote(command: Json): StoryEvent[] {
  if (isObject(command) && (command.do === 'reload' || command.do === 'refused')) return []
  const text = isObject(command)
    ? Object.values(command)
        .filter((word) => typeof word === 'string')
        .join(' ')
    : textOf(command)
  return [{ mark: 'note', text: `command ${text}`, facts: { command } }]
}

/** A token that resumes a tree is a text with hyphens; a run that ends with a command has closed its topic. */
function isCommand({ record: { input }, state }: Change): boolean {
  if (input?.[0] !== 'message') return false
  const name = state.waits.get(input[1])?.name
  return name === DEBUG_TOPIC || (name === undefined && state.ended !== undefined)
}
