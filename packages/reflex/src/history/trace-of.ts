import { type KeptRecords, keptRecords, readPart, type RunRow, type Runtime, type State, type Store } from '../kernel/index.ts'
import type { ProgramViewer } from '../programs/kinds.ts'
import { plainEvents } from './plain-events.ts'
import { linesOfPart, type StoryLine } from './trace.ts'

/** The part of a run that is traced. Absent: everything that the store has. */
export interface TraceOptions {
  /** The first record. */
  readonly from?: number | undefined
  /** The number of records at the end. */
  readonly tail?: number | undefined
}

/** The story of a run, or of a part of it. */
export interface TracedRun {
  readonly row: RunRow
  readonly lines: readonly StoryLine[]
  /** The state after the last record of the story. */
  readonly state: State
  /** The first record of the story. */
  readonly first: number
  /** For records that are no longer in the store: the last one of them, and the hash of the archive that has them, if it is known. */
  readonly gone?: { readonly last: number; readonly archive?: string }
}

/** The parts that a trace needs. */
export interface TraceWorld extends ProgramViewer {
  readonly store: Store
  readonly runtime: Runtime
}

/** Returns the first record of a trace up to record `until`. */
export function firstTraced({ first }: KeptRecords, until: number, { from, tail }: TraceOptions): number {
  return from ?? (tail === undefined ? first : Math.max(first, until - tail + 1))
}

/** Returns the story of a run up to record `until`. Throws `R5054` if `from` is no longer in the store. */
export async function traceOf(world: TraceWorld, { id }: RunRow, until: number, options: TraceOptions): Promise<TracedRun> {
  const { store, runtime } = world
  const { row, state } = await runtime.peek(id, until)
  const kept = await keptRecords(store, id)
  const wanted = firstTraced(kept, until, options)
  const lines: StoryLine[] = []
  const part = await readPart(store, id, wanted, until)
  const more = plainEvents(await store.segments(id))
  for await (const line of linesOfPart(part, (one) => world.programsOf(one), more)) if (line.n >= wanted) lines.push(line)
  const { first, ...archive } = kept
  return { row, state, lines, first: wanted, ...(first === 1 ? {} : { gone: { last: first - 1, ...archive } }) }
}
