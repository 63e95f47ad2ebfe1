import { serveFaults } from '../protocol/faults.ts'

/**
 * A position in a stream of many runs: a place in the order in which the store's batches became durable, and the last record that was
 * sent of the batch after it.
 */
export interface StreamPosition {
  readonly place: string
  readonly sent?: { readonly run: string; readonly record: number }
}

/** Returns a position as the id of an event: an address and a place, `otter-2m9q@21~4f`. */
export function streamId({ place, sent }: StreamPosition): string {
  return `${sent === undefined ? '' : `${sent.run}@${sent.record}`}~${place}`
}

/** Reads the id of an event. Throws `R6030`. */
export function readStreamId(id: string): StreamPosition {
  const [, run, record, place] = /^(?:([^@~\s]{1,200})@(\d{1,9}))?~([0-9a-z._]{1,4000})$/.exec(id) ?? []
  if (place === undefined) throw notContinued(id, 'it is not an id of such a stream')
  return run === undefined ? { place } : { place, sent: { run, record: Number(record) } }
}

/** Returns the fault `R6030`. */
export function notContinued(id: string, why: string): Error {
  return serveFaults.make('R6030', `the stream cannot continue after ${id.length > 80 ? `${id.slice(0, 79)}…` : id}: ${why}`)
}
