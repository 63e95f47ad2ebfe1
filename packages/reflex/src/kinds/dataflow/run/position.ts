import { isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import type { EffectIntent } from '../model/effect.ts'
import type { ReadPlace } from './read-place.ts'

/** An intent that is not acknowledged yet, with the episode of the pass that asked for it. */
export interface PendingIntent extends EffectIntent {
  readonly episode: number
}

/** The position of a graph: all that it remembers between passes, besides its context. */
export interface GraphPosition {
  /** The number of the next episode. */
  readonly episode: number
  /** The largest time of an event so far: seconds, nanoseconds. Null before the first event. */
  readonly clock: readonly [secs: number, nanos: number] | null
  /** The passes that counted for the rate, and the deferred items. */
  readonly invoked: number
  readonly deferred: number
  /** Events taken, refused, and passes that failed. */
  readonly taken: number
  readonly refused: number
  readonly failed: number
  /** Acknowledged intents by kind. */
  readonly sent: Readonly<Record<string, number>>
  /** The intents that are not acknowledged yet, in their order; the first one is under way. */
  readonly pending: readonly PendingIntent[]
  /** Events that were taken and wait for the acknowledgements of intents before them. */
  readonly held: readonly Json[]
  /** How far each source of events has been taken. */
  readonly read: Readonly<Record<string, ReadPlace>>
  /** Programs that were started and have not ended, by their strands. */
  readonly started: Readonly<Record<string, readonly [kind: string, intent: string]>>
  /** True once no event follows: the graph ends after what is pending. */
  readonly isClosing: boolean
}

export const START: GraphPosition = {
  episode: 0,
  clock: null,
  invoked: 0,
  deferred: 0,
  taken: 0,
  refused: 0,
  failed: 0,
  sent: {},
  pending: [],
  held: [],
  read: {},
  started: {},
  isClosing: false,
}

/** The names of the parts in the journal, where each byte counts. */
const NAMES: Readonly<Record<keyof GraphPosition, string>> = {
  episode: 'e',
  clock: 'c',
  invoked: 'i',
  deferred: 'd',
  taken: 'n',
  refused: 'r',
  failed: 'f',
  sent: 's',
  pending: 'p',
  held: 'h',
  read: 'o',
  started: 't',
  isClosing: 'z',
}

/** Reads a position from the journal. */
export function readPosition(position: Json | undefined): GraphPosition {
  const stored: JsonObject = isObject(position) ? position : {}
  return Object.fromEntries(
    Object.entries(NAMES).map(([name, short]) => [name, stored[short] ?? START[name as keyof GraphPosition]]),
  ) as unknown as GraphPosition
}

/** Returns what a step changes of a position; undefined if nothing. A part that is as at the start is deleted. */
export function positionPatch(before: GraphPosition, after: GraphPosition): JsonObject | undefined {
  const patch: Record<string, Json> = {}
  for (const name of Object.keys(NAMES) as (keyof GraphPosition)[]) {
    const value: Json = after[name] as never
    if (before[name] !== value) patch[NAMES[name]] = JSON.stringify(value) === JSON.stringify(START[name]) ? null : value
  }
  return Object.keys(patch).length === 0 ? undefined : patch
}
