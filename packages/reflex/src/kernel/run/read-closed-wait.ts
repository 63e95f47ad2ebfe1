import type { Rec } from '../journal/record.ts'
import type { Store } from '../ports/store.ts'
import type { ClosedWait } from '../state/closed-waits.ts'
import type { Wait } from '../state/frame.ts'
import { keptRecords, readPart } from './read-records.ts'

/**
 * Returns the record that closed the first matching wait of a stored run, as far as its store has the records. Undefined if no record
 * closed it.
 */
export async function readClosedWait(store: Store, run: string, matches: (wait: Wait) => boolean): Promise<ClosedWait | undefined> {
  const part = await readPart(store, run, (await keptRecords(store, run)).first)
  const state = part.opening()
  let open = [...state.waits.values()].find(matches)
  for await (const [n, record] of part.records()) {
    state.apply(record)
    state.droppedEffects.length = 0
    if (open !== undefined && !state.waits.has(open.id)) return closedBy(n, record, open)
    open ??= [...state.waits.values()].find(matches)
  }
  return undefined
}

function closedBy(record: number, { input }: Rec, { id }: Wait): ClosedWait {
  if (input?.[0] !== 'answer' || input[1] !== id) return { record }
  const [, , value, by] = input
  return { record, answer: { value, ...(by === undefined ? {} : { by }) } }
}
