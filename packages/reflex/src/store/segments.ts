import { promisify } from 'node:util'
import { crc32, zstdCompress, zstdDecompressSync } from 'node:zlib'
import { type Base, type Batch, faults as kernelFaults, type Segment, type StoredBatch } from '../kernel/index.ts'
import { sumOf, type UncheckedBatch } from './checksums.ts'
import { corruption } from './columns.ts'
import { faults } from './faults.ts'
import { addHashes } from './hashes.ts'

/**
 * The columns of a sealed segment. Number 0 is no segment: it marks the end of the records before the first one of a run
 * that began with a snapshot.
 */
export interface SegmentColumns {
  readonly number: number
  readonly first: number
  readonly last: number
  readonly version: number
  readonly chain: number
  /** The run that this run was forked from, in the segment with its first record. */
  readonly parent: string | null
  /** The hash of the archive; null unless the segment is gone. */
  readonly archive: string | null
  /** The hashes that its records name, as a JSON list; null unless it is packed. */
  readonly needs: string | null
  /** The checksum of the compressed records; null unless it is packed. */
  readonly crc: number | null
}

/** A row of the table `segment`, without the compressed records. */
export interface SegmentRow extends SegmentColumns {
  readonly sum: number
}

/** The end of a segment: its last record, the format of that record, and the checksum of the records up to it. */
export type SegmentEnd = Pick<SegmentColumns, 'last' | 'version' | 'chain'>

/** The changes that pack a segment. */
export interface PackedSegment {
  readonly row: SegmentRow
  readonly body: Uint8Array
  /** The number of bytes by which it is smaller than its records. */
  readonly saved: number
}

/** Returns the row with its checksum. */
export function summedSegment(run: string, columns: SegmentColumns): SegmentRow {
  const { number, first, last, version, chain, parent, archive, needs, crc } = columns
  return {
    number,
    first,
    last,
    version,
    chain,
    parent,
    archive,
    needs,
    crc,
    sum: sumOf(run, number, first, last, version, chain, parent, archive, needs, crc),
  }
}

/** Returns the row. Throws `R5003` if it is not what was written. */
export function checkedSegment<Row extends SegmentRow>(run: string, row: Row): Row {
  if (summedSegment(run, row).sum !== row.sum) throw corruption(`segment ${row.number} of ${run}`, run)
  return row
}

/**
 * Returns segment rows of a run that follow each other, by default all of them. Throws `R5003` if one is missing or not what was
 * written. `fromFirst`: false if the first of them may have others before it.
 */
export function checkedSegments(run: string, rows: readonly SegmentRow[], fromFirst = true): readonly SegmentRow[] {
  for (const [i, row] of rows.entries()) {
    const before = rows[i - 1] ?? (row.number === 0 || !fromFirst ? undefined : { number: 0, last: 0 })
    checkedSegment(run, row)
    if (before !== undefined && (row.number !== before.number + 1 || row.first !== before.last + 1))
      throw corruption(`segment ${before.number + 1} of ${run}`, run)
  }
  return rows
}

/** Returns the row that a seal adds after the last segment, or after the base of the run. */
export function sealedSegment(run: string, previous: SegmentColumns | undefined, end: SegmentEnd): SegmentRow {
  const { last, version, chain } = end
  const columns = { last, version, chain, parent: null, archive: null, needs: null, crc: null }
  return summedSegment(run, { number: (previous?.number ?? 0) + 1, first: (previous?.last ?? 0) + 1, ...columns })
}

/** Returns the row that marks the end of the records before a run that begins with a snapshot. */
export function baseSegment(run: string, { at, chain, parent }: Base): SegmentRow {
  const unused = { version: 0, archive: null, needs: null, crc: null }
  return summedSegment(run, { number: 0, first: 0, last: at, chain, parent: parent ?? null, ...unused })
}

export function placeOf({ archive, crc }: Pick<SegmentColumns, 'archive' | 'crc'>): Segment['place'] {
  if (archive !== null) return 'gone'
  return crc === null ? 'rows' : 'packed'
}

/** Returns a sealed segment as the contract defines it. */
export function segmentOf({ number, first, last, version, chain, archive, needs, crc }: SegmentColumns): Segment {
  return {
    number,
    first,
    last,
    version,
    chain,
    opens: first - 1,
    sealed: true,
    needs: needs === null ? [] : (JSON.parse(needs) as string[]),
    place: placeOf({ archive, crc }),
    ...(archive === null ? {} : { archive }),
  }
}

/** Returns the segment after the last sealed one, or undefined if it has no record yet. */
export function openSegment(previous: SegmentColumns | undefined, end: SegmentEnd): Segment | undefined {
  const opens = previous?.last ?? 0
  const { last, version, chain } = end
  if (last === opens) return undefined
  return { number: (previous?.number ?? 0) + 1, first: opens + 1, last, version, chain, opens, sealed: false, needs: [], place: 'rows' }
}

const compress = promisify<Uint8Array, Buffer>(zstdCompress)

/** Returns the packed form of a segment with these batches. */
export async function packSegment(
  run: string,
  columns: SegmentColumns,
  batches: readonly StoredBatch[],
  parent: string | null,
): Promise<PackedSegment> {
  const hashes = new Set<string>()
  for (const { body } of batches) addHashes(body, hashes)
  const rows = batches.map(({ first, count, version, body }) => [first, count, version, body])
  const text = Buffer.from(JSON.stringify(rows))
  const body = await compress(text)
  const needs = JSON.stringify([...hashes])
  return {
    row: summedSegment(run, { ...columns, parent: columns.parent ?? parent, needs, crc: crc32(body) }),
    body,
    saved: text.length - body.length,
  }
}

/** Returns the batches of a packed segment. Throws `R5003` with the number of its first record if they are not what was written. */
export function unpackSegment(run: string, row: SegmentRow, body: Uint8Array | null): UncheckedBatch[] {
  const { first, last, chain, crc } = checkedSegment(run, row)
  const damaged = (cause?: unknown) =>
    kernelFaults.make('R5003', `${run}: the packed records ${first} to ${last} are not what was written`, {
      run,
      data: { record: first },
      fix: 'restore the store from a copy',
      cause,
    })
  if (body === null || crc32(body) !== crc) throw damaged()
  try {
    const rows = JSON.parse(zstdDecompressSync(body).toString()) as readonly (readonly [number, number, number, string])[]
    return rows.map(([first, count, version, body], i) => ({
      first,
      count,
      version,
      body,
      ...(i === rows.length - 1 ? { sum: chain } : {}),
    }))
  } catch (cause) {
    throw damaged(cause)
  }
}

/** Throws `R5053` for a batch that ends a segment without a snapshot. */
export function requireSnapshots(batches: readonly Batch[]): void {
  for (const { lease, seal, snapshot } of batches) {
    if (seal === true && snapshot === undefined)
      throw faults.make('R5053', `the batch that seals a segment of ${lease.run} has no snapshot`, { run: lease.run })
  }
}

/** Returns the fault `R5054` for records that are in an archive. */
export function goneRecords(run: string, { last, archive }: Pick<SegmentColumns, 'last' | 'archive'>): Error {
  return faults.make('R5054', `the records of ${run} up to ${last} are not in the store; they are in the archive ${archive ?? ''}`, {
    run,
    data: { record: last, archive },
    fix: 'import that archive under another name, and use the run that it contains',
  })
}

/** Returns the fault `R5054` for records before the first one of a run that began with a snapshot. */
export function recordsBeforeBase(run: string, at: number): Error {
  return faults.make('R5054', `${run} began with the state after record ${at}; it has no record up to ${at}`, {
    run,
    data: { record: at },
    fix: `choose a record from ${at} on, or read the run or archive that it was made from`,
  })
}

/** Returns the fault `R5051` for a number that is not the one of a sealed segment. */
export function noSealedSegment(run: string, number: number): Error {
  return faults.make('R5051', `${run} has no sealed segment ${number}`, { run, fix: 'choose a segment that the store lists as sealed' })
}

/** Returns the rows of the segments up to `through` that must be forgotten, changed. Throws `R5051` and `R5052`. */
export function forgottenSegments(run: string, rows: readonly SegmentRow[], through: number, archive: string): SegmentRow[] {
  if (!rows.some(({ number }) => number === through && number > 0)) throw noSealedSegment(run, through)
  const kept = rows.filter((row) => row.number > 0 && row.number <= through && placeOf(checkedSegment(run, row)) !== 'gone')
  const unpacked = kept.find((row) => placeOf(row) === 'rows')
  if (unpacked !== undefined)
    throw faults.make('R5052', `segment ${unpacked.number} of ${run} is not packed`, {
      run,
      fix: 'pack it, export the run, then forget it',
    })
  return kept.map((row) => summedSegment(run, { ...row, archive, needs: null, crc: null }))
}
