import { isList, isObject, type Json } from '../../kernel/journal/json.ts'
import type { Rec } from '../../kernel/journal/record.ts'
import { State } from '../../kernel/state/state.ts'
import type { KindSubject } from '../kind-suite/subject.ts'

/**
 * What of a run's end must be the same however it was disturbed: everything but times and the numbers of records,
 * which a question about an unknown outcome moves.
 */
export function essence(state: State, subject: KindSubject): Json {
  const { root, ended } = state
  const kind = subject.kinds.find(({ name }) => name === state.pins[root.pin]?.[1])
  const history = new Map<string, Json[]>()
  for (const { key, value, label } of root.scope.entries()) {
    const entry: Json = [label ?? null, value === undefined ? [] : [value]]
    if (kind?.board?.history === true) history.set(key, [...(history.get(key) ?? []), entry])
    else if (value === undefined) history.delete(key)
    else history.set(key, [value])
  }
  const whole: Json = {
    status: ended?.status ?? 'open',
    value: blankBugs(ended?.value ?? null),
    position: root.position ?? null,
    args: root.args ?? null,
    pins: state.pins.map(([name, , , hash]) => [name, hash]),
    board: Object.fromEntries(history),
    frames: state.frames.size,
    waits: state.waits.size,
    flights: [...state.flights()].length,
  }
  return subject.times === undefined ? whole : withoutTimes(whole, new Set(subject.times))
}

/** A value without the fields that hold times, however deep they are. */
function withoutTimes(value: Json, times: ReadonlySet<string>): Json {
  if (isList(value)) return value.map((item) => withoutTimes(item, times))
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([key]) => !times.has(key))
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutTimes(inner, times)]))
}

/** A fault names its run and no more that could differ; what it carries as data may hold record numbers. */
function blankBugs(value: Json): Json {
  return isObject(value) && typeof value.code === 'string' && 'verdict' in value
    ? { code: value.code, message: value.message ?? null }
    : value
}

const OUTSIDE: ReadonlySet<string> = new Set(['ok', 'err', 'part', 'answer', 'message'])

/** Which waits a time has met, by what they wait for, and after how much else came from outside. A clock that jumps may change that, and nothing else. */
export function deadlines(records: readonly Rec[]): readonly string[] {
  const state = new State()
  const met: string[] = []
  let told = 0
  for (const record of records) {
    const { input } = record
    if (input?.[0] === 'timer') met.push(`${state.waits.get(input[1])?.name ?? ''} after ${told}`)
    if (input !== undefined && OUTSIDE.has(input[0])) told++
    state.apply(record)
  }
  return met.sort()
}
