import type { Fault } from '../journal/fault.ts'
import { faults, noRecord } from '../journal/faults.ts'
import type { Journals } from './journals.ts'
import type { RunPrograms } from '../step/run-programs.ts'
import type { Rec } from '../journal/record.ts'
import { applyChecked } from '../state/apply-checked.ts'
import type { State } from '../state/state.ts'
import type { OpeningSnapshot, Segment } from '../ports/segment.ts'

/** The state of a run at a record, with the values that are set for the fork. */
export interface ForkSource {
  readonly run: string
  /** The last shared record. */
  readonly record: number
  readonly state: State
  readonly definitions: RunPrograms
}

export function noStart(run: string): Error {
  return faults.make('R5003', `${run} has no first record`, { run })
}

/** The source of a fork, and the records that the fork copies. */
export interface CopiedSource extends ForkSource {
  /** The state before these records. Absent: they begin with the first record of the run. */
  readonly snapshot: OpeningSnapshot | undefined
  /** The records up to the one at which the run is forked. */
  readonly records: readonly Rec[]
}

/** Returns a run at a record, by default the last one, with the records that a fork there copies. Throws as `Runtime.fork`. */
export async function sourceAt(journals: Journals, run: string, wanted: number | undefined): Promise<CopiedSource> {
  const segments = await journals.segments(run)
  const last = segments.at(-1)?.last ?? 0
  const at = wanted ?? last
  // Throws the right fault for a run that does not exist or never started.
  if (last === 0) await journals.peek(run)
  if (!Number.isInteger(at) || at < 1 || at > last) throw noRecord(run, last, at)
  const { opens = 0 } = segments[0] ?? {}
  if (at < opens) throw await beforeBase(journals, run, at)
  const { snapshot, records, state } = await copiedRecords(journals, run, segments, at)
  for (const record of records) applyChecked(state, record)
  await journals.requireSupportedRevision(state.pins, run)
  const definitions = await journals.definitions(state)
  journals.requireFunctions(state.pins, run)
  return { run, record: at, state, definitions, snapshot, records }
}

/** Returns the records of a segment up to record `at`: none where that record is a seal. */
async function copiedRecords(
  journals: Journals,
  run: string,
  segments: readonly Segment[],
  at: number,
): Promise<Pick<CopiedSource, 'snapshot' | 'records' | 'state'>> {
  const place = segments.find(({ opens, last }) => (opens > 0 && opens === at) || (opens < at && at <= last))
  const found = await (place?.sealed === true && place.last === at ? journals.seal(run, place) : undefined)
  if (found !== undefined) return { snapshot: found.snapshot, records: [], state: found.opening() }
  const segment = place === undefined ? undefined : await journals.segment(run, place.number)
  if (place === undefined || segment === undefined) throw noStart(run)
  return { snapshot: segment.snapshot, records: segment.records.slice(0, at - place.opens), state: segment.opening() }
}

/** Returns the fault for a record that only the source of a run has, which was forked from it after a seal. */
async function beforeBase(journals: Journals, run: string, at: number): Promise<Fault> {
  const { row, state } = await journals.peek(run)
  const [source] = state.start?.fork ?? []
  // Throws the fault of the store for a run that was not forked.
  if (source === undefined) await journals.peek(run, at)
  return faults.make('R2132', `${run} was forked after record ${at}, and has no copy of it`, {
    run,
    data: { record: at, last: row.last },
    fix: `reflex fork ${source}@${at}`,
  })
}
