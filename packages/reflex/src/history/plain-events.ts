import type { Change, Segment } from '../kernel/index.ts'
import type { ViewedDefinitions } from '../programs/kinds.ts'
import type { StoryEvent } from '../programs/kind-view.ts'
import type { MoreEvents } from './trace.ts'

/** Returns the events that no kind describes: the seals of segments, and the records of kinds without a story. */
export function plainEvents(segments: readonly Segment[]): MoreEvents {
  return (change, definitions, events) => {
    const { frame, record } = change
    if (record.input?.[0] === 'kernel' && record.input[1] === 'seal') return [sealEvent(change, segments)]
    // The record before it says who cancelled and why.
    if (record.input?.[0] === 'cancel') return []
    const { kind } = definitions.program(frame.pin)
    return events.length > 0 || definitions.view(kind).story !== undefined ? [] : [plainEvent(change, definitions)]
  }
}

/** Names the segment by its number in this store: a run that was imported without its first segments has other numbers. */
function sealEvent({ n }: Change, segments: readonly Segment[]): StoryEvent {
  const segment = segments.find(({ sealed, last }) => sealed && last === n)
  if (segment === undefined) return { mark: 'note', text: 'sealed' }
  const { number, first } = segment
  const records = n - first + 1
  return { mark: 'note', text: `segment ${number} sealed: ${records} records, ${first} to ${n}`, facts: { segment: number, records } }
}

/** Names the input of a record: `ok 12`, `timer 4w`, `stalled`, or `step` if it has none. */
function plainEvent({ record: { input }, frame, def }: Change, definitions: ViewedDefinitions): StoryEvent {
  const node = definitions.kind(definitions.program(frame.pin).kind).node?.(def, frame.position)
  const [name, detail] = input ?? ['step']
  const text = name === 'kernel' ? detail : typeof detail === 'string' || typeof detail === 'number' ? `${name} ${detail}` : name
  return { mark: 'note', ...(node === undefined ? {} : { node }), text }
}
