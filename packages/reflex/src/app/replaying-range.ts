import { faults } from '../runs/faults.ts'
import { type Fault, type Journals, type RunRow, State, type Store } from '../kernel/index.ts'

/** The records of a run that are replayed. */
export interface ReplayRange {
  readonly first: number
  readonly last: number
  /** The state before the first of them. */
  readonly state: State
  /** The segment that they are. Absent: they are the whole run. */
  readonly segment?: number | undefined
}

/** Returns the range of a segment, or of the whole run. Throws `R5048` if there is no such segment. */
export async function rangeOf(journals: Journals, { id, last }: RunRow, wanted: number | undefined): Promise<ReplayRange> {
  const segments = (await journals.segments(id)).filter(({ first }) => first <= last)
  const found = wanted === undefined ? segments[0] : segments.find(({ number }) => number === wanted)
  if (found === undefined && wanted !== undefined) throw noSegment(id, segments.length, wanted)
  const { first = 1, opens = 0 } = found ?? {}
  return {
    first,
    last: wanted === undefined ? last : Math.min(last, found?.last ?? last),
    state: opens === 0 ? new State() : (await journals.peek(id, opens)).state,
    segment: wanted,
  }
}

function noSegment(run: string, count: number, wanted: number): Fault {
  const known = count === 1 ? 'one segment' : `segments 1 to ${count}`
  return faults.make('R5048', `${run} has ${known}, not ${wanted}`, { run, fix: `reflex replay ${run} --segment ${count}` })
}

/** Returns the numbers of the records of a range after which there are snapshots, in order. */
export async function snapshotsIn(store: Store, run: string, { first, last }: ReplayRange): Promise<number[]> {
  const found: number[] = []
  for (let until = last; until >= first; ) {
    const at = (await store.read(run, until))?.snapshot?.at ?? 0
    if (at >= first) found.push(at)
    until = at - 1
  }
  return found.reverse()
}
