import { type Fault, isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import { didYouMean, quote, shortJson, suggest } from '../../../text/index.ts'
import { EVENT_KINDS, type EventKind, type HostedEvent } from '../model/event.ts'
import { faults } from './faults.ts'

/** The most characters of the JSON of an event. */
const MOST = 1_000_000
/** The problem of a line that is too long for an event. */
export const TOO_LARGE = 'too large'

/** The values of what an event may leave out. */
export interface EventDefaults {
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** The last second of the year 9999: a limit of passes adds to it what a number can still hold. */
const LAST = 253_402_300_799
/** The most levels of objects and lists in an event: a record can hold no more. */
const MOST_LEVELS = 500

const KEYS = ['event_id', 'kind', 'at', 'semantic_kind', 'payload']
const FIXTURE_KEYS = ['type', 'id', 'payload', 'semantic_kind', 'at']

/**
 * Reads an event as it arrives: an object with `event_id`, `kind`, `at`, `semantic_kind` and `payload`, of which each may be absent, or a
 * line of a fixture (reference 6.5). Undefined for the label of an episode, which is for readers only.
 */
export function readEvent(body: Json, defaults: EventDefaults): HostedEvent | Fault | undefined {
  if (!isObject(body))
    return wrong(typeof body === 'string' ? `it is not JSON: ${quote(body.slice(0, 80))}` : `it is ${shortJson(body, 80)}`)
  if (roomAfter(body, MOST) < 0) return unreadable(TOO_LARGE)
  if (body.kind === 'episode_start') return undefined
  if (body.kind === 'event' && isObject(body.event)) {
    const { type, id, ...rest } = body.event
    const unknown = unknownKey(body, ['kind', 'event']) ?? unknownKey(body.event, FIXTURE_KEYS)
    if (unknown !== undefined) return unknown
    return hosted({ ...rest, ...(id === undefined ? {} : { event_id: id }), ...(type === undefined ? {} : { kind: type }) }, defaults)
  }
  return unknownKey(body, KEYS) ?? hosted(body, defaults)
}

/** Returns the refusal of a line that cannot be an event. */
export function unreadable(problem: string): Fault {
  return problem === TOO_LARGE
    ? faults.finding('R1381', `the event has more than ${MOST} characters, or more than ${MOST_LEVELS} levels`)
    : wrong(problem)
}

/** Returns what is left of a number of characters after a value; below 0 once it is larger, or too deep. Looks no further than that. */
function roomAfter(value: Json, most: number, levels = MOST_LEVELS): number {
  if (typeof value === 'string') return most - value.length
  if (typeof value !== 'object' || value === null) return most - 8
  if (levels === 0) return -1
  let left = most
  for (const key of Object.keys(value)) {
    left = roomAfter((value as JsonObject)[key] as Json, left - key.length, levels - 1)
    if (left < 0) return left
  }
  return left
}

function hosted({ event_id: id, kind, at, semantic_kind: semantic, payload }: JsonObject, defaults: EventDefaults): HostedEvent | Fault {
  if (id !== undefined && (typeof id !== 'string' || id === '' || id.length > 200 || !id.isWellFormed()))
    return wrong(`event_id is ${shortJson(id, 80)}; it is a text of at most 200 characters`)
  const kindOf = kind === undefined ? 'DataAvailable' : kind === 'Tick' ? 'Pump' : EVENT_KINDS.find((known) => known === kind)
  if (kindOf === undefined) return wrong(`kind is ${shortJson(kind, 80)}; it is one of ${EVENT_KINDS.join(', ')}`)
  const time = timeOf(at ?? defaults.at / 1000)
  if (time === undefined)
    return wrong(`at is ${shortJson(at, 80)}; write {"secs": 12, "nanos": 0}, seconds, or "2026-01-31T09:00:00Z", from 1970 to 9999`)
  if (semantic !== undefined && typeof semantic !== 'string') return wrong('semantic_kind is not a text')
  if (payload !== undefined && payload !== null && !isObject(payload)) return wrong(`payload is ${shortJson(payload, 80)}; it is an object`)
  const event: { -readonly [Key in keyof HostedEvent]: HostedEvent[Key] } = {
    event_id: id ?? defaults.id,
    kind: kindOf satisfies EventKind,
    at: time,
  }
  if (semantic !== undefined) event.semantic_kind = semantic
  if (payload !== undefined && payload !== null) event.payload = payload
  return event
}

/** Reads a time: seconds and nanoseconds, seconds, or a date as text. */
function timeOf(at: Json): HostedEvent['at'] | undefined {
  if (typeof at === 'number') return secondsOf(at)
  if (typeof at === 'string') return /^\d{4}-\d\d-\d\dT/.test(at) ? secondsOf(Date.parse(at) / 1000) : undefined
  if (!isObject(at) || Object.keys(at).some((key) => key !== 'secs' && key !== 'nanos')) return undefined
  const { secs, nanos = 0 } = at
  return isCount(secs, LAST) && isCount(nanos, 999_999_999) ? { secs, nanos } : undefined
}

function secondsOf(seconds: number): HostedEvent['at'] | undefined {
  const secs = Math.floor(seconds)
  return isCount(secs, LAST) ? { secs, nanos: Math.min(999_999_999, Math.round((seconds - secs) * 1e9)) } : undefined
}

function isCount(value: Json | undefined, most: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= most
}

function unknownKey(body: JsonObject, known: readonly string[]): Fault | undefined {
  const key = Object.keys(body).find((name) => !known.includes(name))
  if (key === undefined) return undefined
  const hint = didYouMean(suggest(key, known))
  return wrong(`it has the unknown key ${quote(key)}${hint === undefined ? '' : `; ${hint}`}`, `put values of the event into "payload"`)
}

function wrong(why: string, fix?: string): Fault {
  return faults.finding('R1380', `the event cannot be read: ${why}`, fix === undefined ? {} : { fix })
}
