import { isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import type { Proposal } from '../model/protocol.ts'
import type { AnsweredCall, HiddenRound, TurnInput } from '../model/turn.ts'

/** A request of the agent that is not answered yet. */
export interface OpenRequest {
  /** The rounds so far that the agent does not see. */
  readonly hidden: readonly HiddenRound[]
  /** Tokens and US dollars of these rounds. */
  readonly used: { readonly input: number; readonly output: number; readonly usd?: number }
  /** The visible text of the hidden rounds. */
  readonly visible: string
  readonly round?: OpenRound
}

/** A reply whose blocks are being decided, one after another. */
export interface OpenRound {
  /** The text of the assistant up to its block. */
  readonly assistant: string
  /** Its calls of tools of the protocol. */
  readonly calls: readonly Omit<AnsweredCall, 'result'>[]
  /** The proposals that are not decided yet; the first is being carried out. */
  readonly proposals: readonly Proposal[]
  readonly results: readonly { readonly callIds: readonly string[]; readonly text: string }[]
}

export const NEW_REQUEST: OpenRequest = { hidden: [], used: { input: 0, output: 0 }, visible: '' }

/** The position of a turn. */
export interface TurnPosition {
  readonly phase: 'cards' | 'open'
  /** Requests that are not answered yet, by id. */
  readonly requests: Readonly<Record<string, OpenRequest>>
  /** The calls in flight: the id of the agent's call by effect or strand. */
  readonly flights: Readonly<Record<string, string>>
  /** Requests that wait for the bulletin. */
  readonly queue: readonly string[]
  /** Calls that a person is asked about, by id. */
  readonly asked?: Readonly<Record<string, Extract<TurnInput, { readonly do: 'tool' | 'once' }>>>
  /** Replies with a malformed block: two turn the protocol off. */
  readonly malformed: number
}

export const BEGINNING: TurnPosition = { phase: 'cards', requests: {}, flights: {}, queue: [], malformed: 0 }

export function readPosition(position: Json | undefined): TurnPosition {
  return isObject(position) ? (position as unknown as TurnPosition) : BEGINNING
}

/** Returns what differs of two positions, by key. */
export function positionPatch(before: TurnPosition, after: TurnPosition): JsonObject {
  const entries = Object.entries(after as unknown as JsonObject).filter(([key, value]) => before[key as keyof TurnPosition] !== value)
  return Object.fromEntries(entries)
}

/** Returns a record without a key. */
export function without<Value>(record: Readonly<Record<string, Value>>, key: string): Readonly<Record<string, Value>> {
  const rest: Record<string, Value> = {}
  for (const [name, value] of Object.entries(record)) if (name !== key) rest[name] = value
  return rest
}
