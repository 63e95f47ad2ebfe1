import type { Base, Batch, PackResult, Segment, StoredBatch, StoredRun, StoredSegment } from '../kernel/index.ts'
import { checkChain, firstSum, nextSum } from './checksums.ts'
import {
  baseSegment,
  forgottenSegments,
  goneRecords,
  noSealedSegment,
  openSegment,
  packSegment,
  placeOf,
  recordsBeforeBase,
  sealedSegment,
  segmentOf,
  type SegmentRow,
  unpackSegment,
} from './segments.ts'
import { parentIn } from './sweep-candidates.ts'

/** The part of a row of the table `segment` that changes when it is packed or forgotten. */
interface MemorySegment {
  row: SegmentRow
  body: Uint8Array | null
}

/** The records of a run in a memory store, in segments. */
export class MemoryJournal {
  readonly #run: string
  /** The batches that are not packed, in order. */
  #batches: StoredBatch[] = []
  #snapshots: { readonly at: number; readonly body: string }[] = []
  readonly #sealed: MemorySegment[] = []
  /** The ids of the messages that each record took, until they are forgotten. */
  #taken: { readonly at: number; readonly id: string }[] = []

  constructor(run: string, base: Base | undefined) {
    this.#run = run
    if (base === undefined) return
    this.#sealed.push({ row: baseSegment(run, base), body: null })
    this.#snapshots.push({ at: base.at, body: base.snapshot })
  }

  /** The last record before the first one, if the run began with a snapshot. */
  get base(): number | null {
    const [first] = this.#sealed
    return first?.row.number === 0 ? first.row.last : null
  }

  /** The run that this one was forked from, where its first record does not tell. */
  get parent(): string | null {
    return this.#sealed[0]?.row.parent ?? null
  }

  /** The first batch, unless it is packed. */
  get firstBatch(): StoredBatch | undefined {
    return this.#batches[0]
  }

  get last(): number {
    const batch = this.#batches.at(-1)
    return Math.max(batch === undefined ? 0 : batch.first + batch.count - 1, this.#sealed.at(-1)?.row.last ?? 0)
  }

  append({ first, count, version, body, snapshot }: Batch): void {
    this.#batches.push({ first, count, version, body })
    if (snapshot !== undefined) this.#snapshots.push({ at: first + count - 1, body: snapshot })
  }

  addTaken(id: string): void {
    this.#taken.push({ at: this.last, id })
  }

  /**
   * Ends a segment. Returns the ids of the messages that are forgotten: records before this segment took them. The newest
   * message of the run is not forgotten.
   */
  seal(version: number, newest: string | undefined): string[] {
    const previous = this.#sealed.at(-1)?.row
    this.#sealed.push({ row: sealedSegment(this.#run, previous, { last: this.last, version, chain: this.#chain() }), body: null })
    const { forgotten = [], kept = [] } = Object.groupBy(this.#taken, ({ at, id }) =>
      at <= (previous?.last ?? 0) && id !== newest ? 'forgotten' : 'kept',
    )
    this.#taken = kept
    return forgotten.map(({ id }) => id)
  }

  #chain(): number {
    const previous = this.#sealed.at(-1)?.row
    const batches = this.#batches.filter(({ first }) => first > (previous?.last ?? 0))
    return batches.reduce(nextSum, previous?.chain ?? firstSum(this.#run))
  }

  segments(): Segment[] {
    const rows = this.#sealed.map(({ row }) => row)
    const open = openSegment(rows.at(-1), { last: this.last, version: this.#batches.at(-1)?.version ?? 0, chain: this.#chain() })
    return [...rows.filter(({ number }) => number > 0).map(segmentOf), ...(open === undefined ? [] : [open])]
  }

  segment(number: number): StoredSegment | undefined {
    const segment = this.segments().find((found) => found.number === number)
    if (segment === undefined) return undefined
    const snapshot = this.#snapshots.find(({ at }) => at === segment.opens)
    const { chain = 0 } = this.#sealed.find(({ row: { last } }) => last === segment.opens)?.row ?? {}
    const batches = this.batches(segment.first, segment.last)
    return { segment, ...(snapshot === undefined ? {} : { snapshot: { ...snapshot, chain } }), batches }
  }

  /** Returns the batches from the one with record `from` to the one with record `until`. Throws `R5054`. */
  batches(from: number, until: number): StoredBatch[] {
    const sealed = this.#sealed.filter(({ row: { number, first, last } }) => number > 0 && last >= from && first <= until)
    const gone = sealed.findLast(({ row }) => placeOf(row) === 'gone')
    if (gone !== undefined) throw goneRecords(this.#run, gone.row)
    const packed = sealed.filter(({ row }) => placeOf(row) === 'packed')
    const all = [...packed.flatMap(({ row, body }) => this.#unpack(row, body)), ...this.#batches]
    return all
      .filter(({ first, count }) => first + count > from && first <= until)
      .sort((a, b) => a.first - b.first)
      .map((batch) => ({ ...batch }))
  }

  #unpack(row: SegmentRow, body: Uint8Array | null): StoredBatch[] {
    const before = this.#sealed.find(({ row: { number } }) => number === row.number - 1)?.row
    const start = before === undefined ? undefined : { first: before.last, count: 1, version: 0, body: '', sum: before.chain }
    return checkChain({ id: this.#run, last: row.last, sum: row.chain }, start, unpackSegment(this.#run, row, body), row.last)
  }

  /** Returns the newest snapshot up to record `until`, and the batches after it. Throws `R5054`. */
  read(until: number): Omit<StoredRun, 'row'> {
    if (until < 1) return { batches: [] }
    const snapshot = this.#snapshots.findLast(({ at }) => at <= until)
    if (snapshot === undefined) {
      if (until < (this.base ?? 0)) throw recordsBeforeBase(this.#run, this.base ?? 0)
      const gone = this.#sealed.findLast(({ row }) => placeOf(row) === 'gone')
      if (gone !== undefined) throw goneRecords(this.#run, gone.row)
    }
    return { ...(snapshot === undefined ? {} : { snapshot: { ...snapshot } }), batches: this.batches((snapshot?.at ?? 0) + 1, until) }
  }

  async pack(number: number): Promise<PackResult> {
    const segment = this.#sealed.find(({ row }) => row.number === number && number > 0)
    if (segment === undefined) throw noSealedSegment(this.#run, number)
    if (placeOf(segment.row) !== 'rows') return { ...segmentOf(segment.row), saved: 0 }
    const { first, last } = segment.row
    const batches = this.batches(first, last)
    const { row, body, saved } = await packSegment(this.#run, segment.row, batches, parentIn(this.#run, batches[0]))
    const isFirst = placeOf(segment.row) === 'rows'
    if (isFirst) {
      segment.row = row
      segment.body = body
      this.#batches = this.#batches.filter((batch) => batch.first < first || batch.first > last)
      this.#dropSnapshots(first, last)
    }
    return { ...segmentOf(segment.row), saved: isFirst ? saved : 0 }
  }

  forget(through: number, archive: string): void {
    const rows = this.#sealed.map(({ row }) => row)
    for (const row of forgottenSegments(this.#run, rows, through, archive)) {
      const segment = this.#sealed.find(({ row: { number } }) => number === row.number)
      if (segment !== undefined) Object.assign(segment, { row, body: null })
      this.#dropSnapshots(0, row.last)
    }
  }

  #dropSnapshots(from: number, before: number): void {
    this.#snapshots = this.#snapshots.filter(({ at }) => at < from || at >= before)
  }

  /**
   * Returns the texts with the hashes that the run needs. The snapshot that opens the first segment here stands for the
   * records before it.
   */
  needs(): { readonly body: string }[] {
    const opens = this.#sealed.findLast(({ row }) => row.number === 0 || placeOf(row) === 'gone')?.row.last ?? 0
    const snapshot = this.#snapshots.find(({ at }) => opens > 0 && at === opens)
    const packed = this.#sealed.flatMap(({ row: { needs } }) => (needs === null ? [] : [{ body: needs }]))
    return [...(snapshot === undefined ? [] : [snapshot]), ...packed, ...this.#batches]
  }
}
