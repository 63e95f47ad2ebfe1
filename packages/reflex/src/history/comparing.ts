import {
  encodeRecord,
  equalJson,
  isObject,
  type Json,
  keptRecords,
  type NumberedRecord,
  readPart,
  type Rec,
  readRecords,
  type RunRow,
  type RunStatus,
  type Runtime,
  type State,
  type Store,
} from '../kernel/index.ts'
import { edgeOf } from './record-text.ts'
import { memberOf } from './first-difference.ts'
import { linesOfPart, type StoryLine } from './trace.ts'
import type { ProgramViewer, ViewedPrograms } from '../programs/kinds.ts'

/** A run up to one of its records. */
export interface ComparedRun {
  readonly run: string
  /** The record up to which the run is compared; `last` is its last record. */
  readonly at: number
  readonly last: number
  readonly status: RunStatus
}

/** One side of a comparison: its state after its last compared record. */
interface Comparable extends ComparedRun {
  readonly state: State
  readonly definitions: ViewedPrograms
}

/** A difference between the two sides. A side without the value has no field for it. */
export interface RunDifference {
  /** `way`: a decision or an answer at a node. `node`: a node that only one side executed. `value`: a value on the board of the root. */
  readonly what: 'way' | 'node' | 'value' | 'status' | 'result'
  /** The path of a node, a key, or a place inside a value: `order.total`. */
  readonly name: string
  readonly one?: Json
  readonly other?: Json
  /** The records that caused the difference. */
  readonly at: { readonly one?: number; readonly other?: number }
}

/** The comparison of two runs, or of two records of one run. */
export interface Comparison {
  readonly one: ComparedRun
  readonly other: ComparedRun
  /** The last record of the equal beginning; 0 if the first records differ. Records that one of the stores no longer has count as equal. */
  readonly equal: number
  /** The differences: decisions first, then values. Empty if no visible part differs. */
  readonly differences: readonly RunDifference[]
}

/** The parts that a comparison needs. */
export interface CompareWorld extends ProgramViewer {
  readonly store: Store
  readonly runtime: Runtime
}

/** A run to be compared, and the record up to which it is compared; absent: its last one. */
export interface ComparedAddress {
  readonly row: RunRow
  readonly at?: number | undefined
}

/** Compares two stored runs, or two records of one run, after their last common record. Reads few of their records at a time. */
export async function compareRuns(world: CompareWorld, first: ComparedAddress, second: ComparedAddress): Promise<Comparison> {
  const [one, other] = [await comparableOf(world, first), await comparableOf(world, second)]
  const equal = one.run === other.run ? Math.min(one.at, other.at) : await equalRecords(world.store, one, other)
  const [visits, otherVisits] = [await visitsAfter(world, one, equal), await visitsAfter(world, other, equal)]
  const places = [...new Set([...visits.keys(), ...otherVisits.keys()])]
  const differences = [
    ...places.flatMap((name) => visitDifferences(name, visits.get(name) ?? [], otherVisits.get(name) ?? [])),
    ...boardDifferences(one, other),
    ...endDifferences(one, other),
  ]
  return { one: comparedRun(one), other: comparedRun(other), equal, differences }
}

async function comparableOf(world: CompareWorld, { row: { id: run, last, status }, at = last }: ComparedAddress): Promise<Comparable> {
  const { state } = await world.runtime.peek(run, at)
  return { run, at, last, status, state, definitions: world.programsOf(state) }
}

function comparedRun({ run, at, last, status }: Comparable): ComparedRun {
  return { run, at, last, status }
}

/** Returns the last record of the equal beginning, as far as both stores have the records. */
async function equalRecords(store: Store, one: Comparable, other: Comparable): Promise<number> {
  const begins = await Promise.all([one, other].map(async ({ run }) => (await keptRecords(store, run)).first))
  const from = Math.max(...begins)
  const [records, others] = [readRecords(store, one.run, from, one.at), readRecords(store, other.run, from, other.at)]
  let equal = from - 1
  try {
    for (;;) {
      const [next, another] = [await records.next(), await others.next()]
      if (next.done === true || another.done === true || !areEqual(next.value, another.value)) return equal
      equal++
    }
  } finally {
    await records.return(undefined)
    await others.return(undefined)
  }
}

function areEqual([, record]: NumberedRecord, [, another]: NumberedRecord): boolean {
  return encodeRecord(withoutIdentity(record)).text === encodeRecord(withoutIdentity(another)).text
}

/** Returns a record without the identity of its run. A fork begins with the same start under another name. */
function withoutIdentity(record: Rec): Rec {
  const { more } = record
  if (more?.start === undefined) return record
  const { by: _by, fork: _fork, origin: _origin, ...start } = more.start
  return { ...record, more: { ...more, start: { ...start, run: '', trace: '' } } }
}

interface NodeVisit {
  readonly record: number
  /** The edge that was taken, if several were open. */
  readonly edge: string | undefined
}

/** Returns every node that was left after a record, by its path and in order, and every answered question by its node. */
async function visitsAfter(world: CompareWorld, { run, at }: Comparable, record: number): Promise<Map<string, NodeVisit[]>> {
  const visits = new Map<string, NodeVisit[]>()
  if (record >= at) return visits
  for await (const line of linesOfPart(await readPart(world.store, run, record + 1, at), (state) => world.programsOf(state))) {
    if (line.n <= record) continue
    const visit = visitIn(line)
    if (visit === undefined) continue
    const earlier = visits.get(visit.name)
    if (earlier === undefined) visits.set(visit.name, [visit])
    else earlier.push(visit)
  }
  return visits
}

function visitIn({ n, place, event }: StoryLine): (NodeVisit & { readonly name: string }) | undefined {
  const { mark, text } = event
  if (!['decide', 'done', 'answer', 'fail'].includes(mark)) return undefined
  const edge = mark === 'answer' ? text : mark === 'fail' ? 'failed' : (edgeOf(event) ?? undefined)
  return { name: mark === 'answer' ? `${place}, the answer` : place, record: n, edge }
}

function visitDifferences(name: string, one: readonly NodeVisit[], other: readonly NodeVisit[]): RunDifference[] {
  const count = Math.max(one.length, other.length)
  return Array.from({ length: count }, (_, i): RunDifference[] => {
    const [a, b] = [one[i], other[i]]
    if (a !== undefined && b !== undefined && a.edge === b.edge) return []
    const at = { ...(a === undefined ? {} : { one: a.record }), ...(b === undefined ? {} : { other: b.record }) }
    const nth = count === 1 ? name : `${name}, time ${i + 1}`
    const hasEdge = a?.edge !== undefined || b?.edge !== undefined
    const edgeIn = (visit: NodeVisit | undefined): Json | undefined => (visit === undefined ? undefined : (visit.edge ?? 'done'))
    return [{ what: hasEdge ? 'way' : 'node', name: nth, ...values(edgeIn(a), edgeIn(b)), at }]
  }).flat()
}

function values(one: Json | undefined, other: Json | undefined): Pick<RunDifference, 'one' | 'other'> {
  return { ...(one === undefined ? {} : { one }), ...(other === undefined ? {} : { other }) }
}

/** Returns the board of the root without the internal keys of its kind. */
function boardOf({ state, definitions }: Comparable): Map<string, { readonly value: Json; readonly record: number }> {
  const reader = state.root.reader()
  const kind = definitions.kind(definitions.program(state.root.pin).kind)
  return new Map(
    reader.keys().flatMap((key) => {
      const entry = kind.isInternal?.(key) === true ? undefined : reader.entry(key)
      return entry?.value === undefined ? [] : [[key, { value: entry.value, record: entry.record }] as const]
    }),
  )
}

function boardDifferences(one: Comparable, other: Comparable): RunDifference[] {
  const [board, another] = [boardOf(one), boardOf(other)]
  return [...new Set([...board.keys(), ...another.keys()])].flatMap((key) => {
    const [a, b] = [board.get(key), another.get(key)]
    const at = { ...(a === undefined ? {} : { one: a.record }), ...(b === undefined ? {} : { other: b.record }) }
    return valueDifferences(key, a?.value, b?.value).map((part): RunDifference => ({ what: 'value', ...part, at }))
  })
}

/** Returns the differences of two values: by key inside objects, otherwise for the whole value. */
function valueDifferences(
  name: string,
  one: Json | undefined,
  other: Json | undefined,
): (Pick<RunDifference, 'one' | 'other'> & { name: string })[] {
  if (one !== undefined && other !== undefined && equalJson(one, other)) return []
  if (!isObject(one) || !isObject(other)) return [{ name, ...values(one, other) }]
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].flatMap((key) =>
    valueDifferences(`${name}.${key}`, memberOf(one, key), memberOf(other, key)),
  )
}

function endDifferences(one: Comparable, other: Comparable): RunDifference[] {
  const at = { one: one.at, other: other.at }
  const [ended, otherEnded] = [endedOf(one), endedOf(other)]
  // A record before the last one only shows that the run had not ended.
  const isSame = ended === otherEnded || (!hasEnded(one) && !hasEnded(other) && (ended === undefined || otherEnded === undefined))
  const status: RunDifference[] = isSame ? [] : [{ what: 'status', name: 'status', ...values(ended, otherEnded), at }]
  const [result, another] = [resultOf(one), resultOf(other)]
  if (result === undefined && another === undefined) return status
  // The values of the last node are also on the board.
  const onBoard = (side: Comparable, key: string, value: Json): boolean => equalJson(side.state.root.reader().get(key) ?? null, value)
  const parts = valueDifferences('result', result, another).filter(({ name, one: a = null, other: b = null }) => {
    const key = name.slice('result.'.length)
    return !(name !== 'result' && onBoard(one, key, a) && onBoard(other, key, b))
  })
  return [...status, ...parts.map((part): RunDifference => ({ what: 'result', ...part, at }))]
}

function endedOf({ at, last, status }: Comparable): RunStatus | undefined {
  return at === last ? status : undefined
}

function hasEnded({ state }: Comparable): boolean {
  return state.ended !== undefined
}

/** Returns the result of a run in the form of its kind. */
function resultOf({ state, definitions }: Comparable): Json | undefined {
  const value = state.ended?.value
  if (value === undefined || state.ended?.status !== 'done') return value
  const { kind, def } = definitions.program(state.root.pin)
  return definitions.view(kind).result?.(def, value, state.start?.args).value ?? value
}
