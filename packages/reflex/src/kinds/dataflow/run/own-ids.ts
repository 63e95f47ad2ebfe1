import type { Fault } from '../../../kernel/index.ts'
import type { EventSource } from './args.ts'
import { unreadable } from './read-event.ts'

/** True for an id that events of the run itself have: of a timer, of the end of a program, or of a deferred item that is due. */
export function isOwnId(id: string, sources: readonly EventSource[]): boolean {
  // An imported capture has the events that its run made.
  if (sources.some(({ from }) => from === 'capture')) return false
  const slash = id.lastIndexOf('/')
  if (slash < 0) return false
  if (id.startsWith('pump/') || (id.startsWith('eid1:') && id.endsWith('/end'))) return true
  return sources.some(({ from, name }) => from === 'timer' && name === id.slice(0, slash))
}

/** Returns the refusal of an event from outside with an id that the run gives to events of its own. */
export function ownIdTaken(id: string): Fault {
  return unreadable(`event_id ${id} is kept for events of the run itself`)
}
