import type { Segment } from '../kernel/index.ts'
import { corruption } from './columns.ts'
import { checkedSegments, openSegment, placeOf, type SegmentEnd, segmentOf, type SegmentRow } from './segments.ts'

/** The sources of the hashes that a run needs because of some of its records. */
export interface NeedSources {
  /** The record whose snapshot stands for the records before the first ones here; undefined if it is not among these records. */
  readonly opens: number | undefined
  /** The hashes that packed segments name. */
  readonly packed: readonly { readonly body: string }[]
  /** The first and the last record of each range that is not packed. */
  readonly ranges: readonly (readonly [first: number, last: number])[]
}

/**
 * Returns the sources for the records from `from` to `until`. `rows` are the segments with the records from the one before `from`
 * to the one after `until`. Throws `R5003` if one of them is missing or not what was written.
 */
export function needSources(run: string, rows: readonly SegmentRow[], from: number, until: number): NeedSources {
  const inside = checkedRange(run, rows, from).filter(({ first, last }) => last >= from && first <= until)
  // The segments that are gone come first, and the row after the last of them is here.
  const opens = rows.findLast(isWithoutRecords)?.last
  return {
    opens: opens !== undefined && opens >= from && opens <= until ? opens : undefined,
    packed: inside.flatMap(({ needs }) => (needs === null ? [] : [{ body: needs }])),
    ranges: rangesBetween(
      inside.filter((row) => isWithoutRecords(row) || placeOf(row) === 'packed'),
      from,
      until,
    ),
  }
}

/** Returns the ranges of the records from `from` to `until` that are not in these segments. */
function rangesBetween(rows: readonly SegmentRow[], from: number, until: number): (readonly [number, number])[] {
  const ends = [...rows.map(({ first, last }) => ({ first, last })), { first: until + 1, last: until + 1 }]
  return ends
    .map(({ first }, i) => [Math.max(from, (ends[i - 1]?.last ?? 0) + 1), first - 1] as const)
    .filter(([first, last]) => first <= last)
}

/** True for a segment that is gone, and for the row before the first record of a run that began with a snapshot. */
export function isWithoutRecords(row: SegmentRow): boolean {
  return row.number === 0 || placeOf(row) === 'gone'
}

/** Returns the rows. Throws `R5003` unless they follow each other and, if none ends before `from`, begin with the first one of the run. */
function checkedRange(run: string, rows: readonly SegmentRow[], from: number): readonly SegmentRow[] {
  return checkedSegments(
    run,
    rows,
    rows.every(({ last }) => last >= from),
  )
}

/** A segment, and the row before it. */
export interface NumberedSegment {
  readonly segment: Segment
  readonly before: SegmentRow | undefined
}

/**
 * Returns the segment with this number, or undefined if there is none yet. `rows` are the one with this number, the one before it, and the
 * last one of the run. Throws `R5003` if one of them is missing or not what was written.
 */
export function numberedSegment(run: string, number: number, rows: readonly SegmentRow[], end: SegmentEnd): NumberedSegment | undefined {
  const newest = Math.max(0, ...rows.map((row) => row.number))
  if (number < 1 || number > newest + 1) return undefined
  const around = rows.filter((row) => row.number === number - 1 || row.number === number)
  checkedSegments(run, around, number === 1)
  const before = around.find((row) => row.number === number - 1)
  const row = around.find((found) => found.number === number)
  if ((before === undefined && number > 1) || (row === undefined && number <= newest)) throw corruption(`segment ${number} of ${run}`, run)
  // Another process may have sealed segments after the row of the run was read.
  if (before !== undefined && before.last >= end.last) return undefined
  const segment = row !== undefined && row.last <= end.last ? segmentOf(row) : openSegment(before, end)
  return segment === undefined ? undefined : { segment, before }
}

/**
 * Returns the first records of the first segment of a run and of the open one, unless they are packed or gone. No segment row has a
 * checksum of them: a list of segments is only right if they are here.
 */
export function recordsToCheck(segments: readonly Segment[]): Set<number> {
  const ends = [segments[0], segments.at(-1)].filter((segment) => segment !== undefined)
  return new Set(ends.filter(({ place }) => place === 'rows').map(({ first }) => first))
}
