import {
  encodeRecord,
  equalJson,
  isObject,
  type Json,
  type Rec,
  RunPrograms,
  type RunRow,
  type RunStatus,
  type Runtime,
  type State,
} from '../kernel/index.ts'
import { edgeOf } from './words.ts'
import { memberOf } from './first-difference.ts'
import { linesOfHistory, type StoryLine } from './trace.ts'

/** A run as far as one of its records. */
export interface ComparedRun {
  readonly run: string
  /** The record up to which it is compared, and its last one. */
  readonly at: number
  readonly last: number
  readonly status: RunStatus
}

/** What a side of a comparison is made from. */
export interface Comparable extends ComparedRun {
  /** Up to that record. */
  readonly records: readonly Rec[]
  readonly lines: readonly StoryLine[]
  readonly state: State
  readonly definitions: RunPrograms
}

/** Something that is not the same on both sides; a side that lacks it has none. */
export interface ComparedPart {
  /** `way`: what was decided or answered at a node. `node`: it was done on one side alone. `value`: of the board of the root. */
  readonly what: 'way' | 'node' | 'value' | 'status' | 'result'
  /** The path of a node, a key, or a place inside its value: `order.total`. */
  readonly name: string
  readonly one?: Json
  readonly other?: Json
  /** The records that made it so. */
  readonly at: { readonly one?: number; readonly other?: number }
}

/** Two runs, or two records of one, compared. */
export interface Comparison {
  readonly one: ComparedRun
  readonly other: ComparedRun
  /** Records that both have, from the first on. */
  readonly equal: number
  /** Ways that were taken first, then values; none: nothing that can be told differs. */
  readonly differences: readonly ComparedPart[]
}

/** A stored run up to a record, its last one if none is named. */
export async function comparableOf(runtime: Runtime, { id: run, last, status }: RunRow, at: number = last): Promise<Comparable> {
  const records = (await runtime.journal(run)).slice(0, at)
  const { state, definitions } = await runtime.peek(run, at)
  const lines = linesOfHistory({ records }, (one) => new RunPrograms(runtime.programs, one))
  return { run, at, last, status, records, lines, state, definitions }
}

/** Compares what became of two sides since their last common record. */
export function compareRuns(one: Comparable, other: Comparable): Comparison {
  const equal = one.run === other.run ? Math.min(one.at, other.at) : equalRecords(one.records, other.records)
  const since = ({ lines }: Comparable): StoryLine[] => lines.filter(({ n }) => n > equal)
  const [passed, otherPassed] = [passedIn(since(one)), passedIn(since(other))]
  const places = [...new Set([...passed.keys(), ...otherPassed.keys()])]
  const differences = [
    ...places.flatMap((name) => passedParts(name, passed.get(name) ?? [], otherPassed.get(name) ?? [])),
    ...boardParts(one, other),
    ...endParts(one, other),
  ]
  return { one: sideOf(one), other: sideOf(other), equal, differences }
}

function sideOf({ run, at, last, status }: Comparable): ComparedRun {
  return { run, at, last, status }
}

function equalRecords(one: readonly Rec[], other: readonly Rec[]): number {
  let equal = 0
  for (const [i, record] of one.entries()) {
    const another = other[i]
    if (another === undefined || encodeRecord(nameless(record)).text !== encodeRecord(nameless(another)).text) break
    equal++
  }
  return equal
}

/** A record without whose it is: a fork begins with the same start under another name. */
function nameless(record: Rec): Rec {
  const { more } = record
  if (more?.start === undefined) return record
  const { by: _by, fork: _fork, ...start } = more.start
  return { ...record, more: { ...more, start: { ...start, run: '', trace: '' } } }
}

interface Passed {
  readonly record: number
  /** The way that was taken there, where there were several. */
  readonly way: string | undefined
}

/** Every node that was left, by its path, in order; questions that were answered by that of their node. */
function passedIn(lines: readonly StoryLine[]): Map<string, Passed[]> {
  const passed = new Map<string, Passed[]>()
  for (const { n, place, event } of lines) {
    const { mark, text } = event
    if (!['decide', 'done', 'answer', 'fail'].includes(mark)) continue
    const way = mark === 'answer' ? text : mark === 'fail' ? 'failed' : (edgeOf(event) ?? undefined)
    const name = mark === 'answer' ? `${place}, the answer` : place
    const times = passed.get(name)
    if (times === undefined) passed.set(name, [{ record: n, way }])
    else times.push({ record: n, way })
  }
  return passed
}

function passedParts(name: string, one: readonly Passed[], other: readonly Passed[]): ComparedPart[] {
  const times = Math.max(one.length, other.length)
  return Array.from({ length: times }, (_, i): ComparedPart[] => {
    const [a, b] = [one[i], other[i]]
    if (a !== undefined && b !== undefined && a.way === b.way) return []
    const at = { ...(a === undefined ? {} : { one: a.record }), ...(b === undefined ? {} : { other: b.record }) }
    const nth = times === 1 ? name : `${name}, time ${i + 1}`
    const isWay = a?.way !== undefined || b?.way !== undefined
    const said = (passed: Passed | undefined): Json | undefined => (passed === undefined ? undefined : (passed.way ?? 'done'))
    return [{ what: isWay ? 'way' : 'node', name: nth, ...values(said(a), said(b)), at }]
  }).flat()
}

function values(one: Json | undefined, other: Json | undefined): Pick<ComparedPart, 'one' | 'other'> {
  return { ...(one === undefined ? {} : { one }), ...(other === undefined ? {} : { other }) }
}

/** The board of the root, without the book-keeping of its kind. */
function boardOf({ state, definitions }: Comparable): Map<string, { readonly value: Json; readonly record: number }> {
  const reader = state.root.reader()
  const kind = definitions.kind(definitions.program(state.root.pin).kind)
  return new Map(
    reader.keys().flatMap((key) => {
      const entry = kind.own?.(key) === true ? undefined : reader.entry(key)
      return entry?.value === undefined ? [] : [[key, { value: entry.value, record: entry.record }] as const]
    }),
  )
}

function boardParts(one: Comparable, other: Comparable): ComparedPart[] {
  const [board, another] = [boardOf(one), boardOf(other)]
  return [...new Set([...board.keys(), ...another.keys()])].flatMap((key) => {
    const [a, b] = [board.get(key), another.get(key)]
    const at = { ...(a === undefined ? {} : { one: a.record }), ...(b === undefined ? {} : { other: b.record }) }
    return valueParts(key, a?.value, b?.value).map((part): ComparedPart => ({ what: 'value', ...part, at }))
  })
}

/** Where two values differ: inside objects by their keys, else as a whole. */
function valueParts(
  name: string,
  one: Json | undefined,
  other: Json | undefined,
): (Pick<ComparedPart, 'one' | 'other'> & { name: string })[] {
  if (one !== undefined && other !== undefined && equalJson(one, other)) return []
  if (!isObject(one) || !isObject(other)) return [{ name, ...values(one, other) }]
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].flatMap((key) =>
    valueParts(`${name}.${key}`, memberOf(one, key), memberOf(other, key)),
  )
}

function endParts(one: Comparable, other: Comparable): ComparedPart[] {
  const at = { one: one.at, other: other.at }
  const [ended, otherEnded] = [endedOf(one), endedOf(other)]
  // Of a record before the last one nobody can say more than that it was not the end.
  const isSame = ended === otherEnded || (!hasEnded(one) && !hasEnded(other) && (ended === undefined || otherEnded === undefined))
  const status: ComparedPart[] = isSame ? [] : [{ what: 'status', name: 'status', ...values(ended, otherEnded), at }]
  const [result, another] = [resultOf(one), resultOf(other)]
  if (result === undefined && another === undefined) return status
  // What the last node wrote stands on the board as well.
  const onBoard = (side: Comparable, key: string, value: Json): boolean => equalJson(side.state.root.reader().get(key) ?? null, value)
  const parts = valueParts('result', result, another).filter(({ name, one: a = null, other: b = null }) => {
    const key = name.slice('result.'.length)
    return !(name !== 'result' && onBoard(one, key, a) && onBoard(other, key, b))
  })
  return [...status, ...parts.map((part): ComparedPart => ({ what: 'result', ...part, at }))]
}

function endedOf({ at, last, status }: Comparable): RunStatus | undefined {
  return at === last ? status : undefined
}

function hasEnded({ state }: Comparable): boolean {
  return state.ended !== undefined
}

/** What a run came to, as its kind tells it. */
function resultOf({ state, definitions }: Comparable): Json | undefined {
  const value = state.ended?.value
  if (value === undefined || state.ended?.status !== 'done') return value
  const { kind, def } = definitions.program(state.root.pin)
  return definitions.kind(kind).came?.(def, value, state.start?.args).value ?? value
}
