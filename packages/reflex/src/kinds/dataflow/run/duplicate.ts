import type { Fault } from '../../../kernel/index.ts'
import type { EventSource } from './args.ts'
import { faults } from './faults.ts'
import { lineIn } from './read-place.ts'
import type { Arrived } from './taken.ts'

/** Returns the refusal of an event whose id was taken before (HST-9). `place`: that of the earlier event, as `SeenIds` has it. */
export function duplicate(id: string, place: number, sources: readonly EventSource[]): Fault {
  const earlier = place > 0 ? `at ${onlyReader(sources)?.name ?? 'line'}:${place}` : `as event ${-place} of the run`
  return faults.finding('R1334', `event id ${id} was taken before, ${earlier}`, { rule: 'HST-9' })
}

/** Returns the line of an event; 0 for one that the only source of the run has not read. */
export function lineOf({ read }: Arrived, sources: readonly EventSource[]): number {
  return read === undefined || onlyReader(sources) === undefined ? 0 : lineIn(read)
}

/** Returns the source whose lines name events, unless there are several. */
function onlyReader(sources: readonly EventSource[]): EventSource | undefined {
  let reader: EventSource | undefined
  // A list for each event would cost more than the search.
  for (const source of sources) {
    if (source.from === 'timer') continue
    if (reader !== undefined) return undefined
    reader = source
  }
  return reader
}
