import { isList, isObject, type Json } from '../../../kernel/index.ts'
import { NOTHING, type SourcedEvent } from './arrivals.ts'
import type { EventSource } from './args.ts'
import type { ReadPlace } from './read-place.ts'
import { MOST_EVENTS } from './topics.ts'

export type FileSource = Extract<EventSource, { from: 'file' }>

/** An effect that reads the next events of a file: those behind line `after`, which lie behind the offset of line `line`. */
export interface BatchRequest extends FileSource {
  readonly at: readonly [offset: number, line: number, after: number]
  readonly most: number
}

/** The events of a part of a file, in the order of their lines. A line that is not JSON is a text. */
export interface FileBatch extends Pick<BatchRequest, 'at'> {
  readonly source: string
  readonly events: readonly Json[]
  /** The numbers of the lines of the events; absent if no line is empty. */
  readonly lines?: readonly number[]
  /** The reasons why lines cannot be events, by their places among the events; absent if all can. */
  readonly problems?: readonly (readonly [index: number, problem: string])[]
  /** The place behind these events. */
  readonly to: readonly [offset: number, line: number]
  /** The file has ended. */
  readonly isEnd?: true
}

/** Returns the effect that reads a file on; undefined at its end. */
export function batchRequest(
  source: FileSource,
  [offset, line, taken = line, most = MOST_EVENTS]: ReadPlace = [0, 0],
): BatchRequest | undefined {
  return offset < 0 ? undefined : { ...source, at: [offset, line, taken], most }
}

/** Returns the result of an effect that has read a file; undefined for another result. */
export function fileBatchOf(result: Json | undefined): FileBatch | undefined {
  return isObject(result) && typeof result.source === 'string' && isList(result.events) ? (result as unknown as FileBatch) : undefined
}

/** Returns the events of a batch; behind the last one of a file comes an event that is nothing and ends the source. */
export function batchArrivals({
  source: name,
  at: [offset, line, after],
  events,
  lines,
  problems = [],
  to,
  isEnd,
}: FileBatch): SourcedEvent[] {
  const refused = new Map(problems)
  const arrivals = events.map((body, i): SourcedEvent => {
    const number = lines?.[i] ?? after + 1 + i
    const problem = refused.get(i)
    const arrived = { id: `${name}:${number}`, name, read: [offset, line, number] } as const
    return problem === undefined ? { ...arrived, body } : { ...arrived, body: NOTHING, problem }
  })
  if (isEnd === true) arrivals.push({ id: `${name}:end`, body: NOTHING, name, read: [-1, to[1]] })
  return arrivals
}

/**
 * Returns the place behind the events that a step has taken of a batch of at most `most`. After a pass that ended it early, the next batch is
 * twice as long as what was taken, so that no line is recorded more than about twice.
 */
export function placeAfter(batch: FileBatch, arrived: readonly SourcedEvent[], count: number, most: number): ReadPlace {
  if (count < arrived.length) {
    const [offset, line, after] = batch.at
    return [offset, line, arrived[count - 1]?.read[2] ?? after, Math.max(1, Math.min(MOST_EVENTS, 2 * count))]
  }
  const [offset, line] = batch.isEnd === true ? [-1, batch.to[1]] : batch.to
  return most >= MOST_EVENTS || batch.isEnd === true ? [offset, line] : [offset, line, line, Math.min(MOST_EVENTS, 2 * most)]
}
