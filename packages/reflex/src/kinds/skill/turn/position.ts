import { isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import type { HiddenRound } from '../model/turn.ts'

/** A request of the agent that is not answered yet. */
export interface OpenRequest {
  /** The rounds so far that the agent does not see. */
  readonly hidden: readonly HiddenRound[]
  /** Tokens and US dollars of these rounds. */
  readonly used: { readonly input: number; readonly output: number; readonly usd?: number }
  /** What the model said before the block that is decided now, and the calls that get its result. */
  readonly said?: string
  readonly callIds?: readonly string[]
}

/** The position of a turn. */
export interface TurnPosition {
  readonly phase: 'cards' | 'open'
  /** Requests that are not answered yet, by id. */
  readonly requests: Readonly<Record<string, OpenRequest>>
  /** The calls in flight: the id of the agent's call by effect or strand. */
  readonly flights: Readonly<Record<string, string>>
  /** Requests that wait for the bulletin. */
  readonly queue: readonly string[]
  /** Replies with a malformed block: two turn the protocol off. */
  readonly malformed: number
}

export const BEGINNING: TurnPosition = { phase: 'cards', requests: {}, flights: {}, queue: [], malformed: 0 }

export function readPosition(position: Json | undefined): TurnPosition {
  return isObject(position) ? (position as unknown as TurnPosition) : BEGINNING
}

/** Returns what differs of two positions, by key. */
export function positionPatch(before: TurnPosition, after: TurnPosition): JsonObject {
  const entries = Object.entries(after).filter(([key, value]) => before[key as keyof TurnPosition] !== value)
  return Object.fromEntries<Json>(entries)
}

/** Returns a record without a key. */
export function without<Value>(record: Readonly<Record<string, Value>>, key: string): Readonly<Record<string, Value>> {
  const { [key]: _, ...rest } = record
  return rest
}
