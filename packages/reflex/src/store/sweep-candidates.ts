import { decodeBatch, type StoredBatch } from '../kernel/index.ts'
import { isAbandoned } from './known-worker.ts'
import { isOpen, type RunColumns } from './columns.ts'
import { addHashes } from './hashes.ts'
import { baseOf, ownerOf, type StoredRunRow } from './rows.ts'

/** A run as a sweep sees it. */
export interface SweptRow extends Pick<RunColumns, 'id' | 'status' | 'last' | 'updated'> {
  /** True if the run never began and its creator is gone. */
  readonly abandoned: boolean
}

/**
 * Returns the runs that a sweep removes: those that never began, and those that ended at `before` or earlier, except
 * for the ancestors of forks that remain. `parents` maps each fork to the run that it was forked from.
 */
export function unneededRuns(
  rows: readonly SweptRow[],
  parents: ReadonlyMap<string, string>,
  before: number = Number.NEGATIVE_INFINITY,
): Set<string> {
  const goneRuns = new Set(
    rows
      .filter(({ status, last, updated, abandoned }) => abandoned || (last > 0 && !isOpen(status) && updated <= before))
      .map(({ id }) => id),
  )
  for (const { id } of rows) if (!goneRuns.has(id)) keepAncestors(goneRuns, parents, id)
  return goneRuns
}

/** Keeps the ancestors of a run: its history includes their journals. */
function keepAncestors(goneRuns: Set<string>, parents: ReadonlyMap<string, string>, id: string): void {
  for (let parent = parents.get(id); parent !== undefined && goneRuns.delete(parent); parent = parents.get(parent));
}

/** The runs to remove, among those that a sweep of an SQL store has read. */
export class Candidates<Row extends StoredRunRow> {
  readonly #rows: readonly Row[]
  readonly #parents: Map<string, string>
  readonly #goneRuns: Set<string>
  readonly #removed = new Set<string>()
  readonly #byName: ReadonlyMap<string, Row>
  readonly #count: number

  constructor(rows: readonly Row[], parents: ReadonlyMap<string, string>, now: number, before?: number) {
    const swept = rows.map((row) => ({ ...row, abandoned: isAbandoned({ last: row.last, base: baseOf(row) }, ownerOf(row), now) }))
    this.#rows = rows
    this.#parents = new Map(parents)
    this.#goneRuns = unneededRuns(swept, parents, before)
    this.#count = this.#goneRuns.size
    this.#byName = new Map(this.goneRows.map((row) => [row.id, row]))
  }

  /** The runs that are still to be removed. */
  get goneRows(): readonly Row[] {
    return this.stillGone(this.#rows)
  }

  /** True if a run that was to be removed is kept. */
  get hasKept(): boolean {
    return this.#goneRuns.size < this.#count
  }

  /** Leaves a run out of `goneRows`: it is removed. */
  forget(id: string): void {
    this.#removed.add(id)
  }

  /** True if a run is, or was, one to remove. Another run may have its name by now. */
  isGone({ id, seq, trace }: StoredRunRow): boolean {
    const known = this.#goneRuns.has(id) ? this.#byName.get(id) : undefined
    return known?.seq === seq && known.trace === trace
  }

  /** Returns those of the rows that are still to be removed. */
  stillGone(rows: readonly Row[]): readonly Row[] {
    return rows.filter(({ id }) => this.#goneRuns.has(id) && !this.#removed.has(id))
  }

  keep(id: string): void {
    this.#goneRuns.delete(id)
    keepAncestors(this.#goneRuns, this.#parents, id)
  }

  /** Adds forks that were created after the read, and keeps the runs that they descend from. */
  keepParents(parents: ReadonlyMap<string, string>): void {
    for (const [id, parent] of parents) this.#parents.set(id, parent)
    for (const id of parents.keys()) if (!this.#goneRuns.has(id) || this.#removed.has(id)) keepAncestors(this.#goneRuns, this.#parents, id)
  }
}

/** Yields a list in parts of at most `size` items. */
export function* chunksOf<T>(list: readonly T[], size: number): Generator<readonly T[]> {
  for (let i = 0; i < list.length; i += size) yield list.slice(i, i + size)
}

/** Marks the first batches that may start a fork; a sweep reads no others. */
export const FORK_MARK = '"fork":'

/**
 * Returns the run that each fork was forked from, read from its first batch. Throws `R5003` and `R5004` for a batch
 * that cannot be read.
 */
export function parentsOf(firstBatches: readonly (Pick<StoredBatch, 'version' | 'body'> & { readonly id: string })[]): Map<string, string> {
  const parents = new Map<string, string>()
  for (const { id, version, body } of firstBatches) {
    const parent = decodeBatch(version, body, () => 'null')[0]?.more?.start?.fork?.[0]
    if (parent !== undefined) parents.set(id, parent)
  }
  return parents
}

/** Returns the run that a run was forked from, if this batch begins with its first record and says so. */
export function parentIn(id: string, first: StoredBatch | undefined): string | null {
  return first?.first === 1 && first.body.includes(FORK_MARK) ? (parentsOf([{ ...first, id }]).get(id) ?? null) : null
}

type RunEnd = Pick<RunColumns, 'id' | 'trace' | 'last' | 'program'>

/** The hashes that remaining data names, and the last record of each run that was searched for them. */
export class NeededHashes {
  readonly hashes = new Set<string>()
  /** Keyed by id and trace: another run can take the id of a removed one. */
  readonly #read = new Map<string, number>()

  /** Returns the number of a run's first unread record, or undefined if there is none. */
  firstUnread({ id, trace, last, program }: RunEnd): number | undefined {
    addHashes(program, this.hashes)
    const next = (this.#read.get(`${id} ${trace}`) ?? 0) + 1
    return next > last ? undefined : next
  }

  /** Adds the hashes in the unread records of a run up to `until`. */
  addRecords({ id, trace, last }: RunEnd, texts: readonly { readonly body: string }[], until = last): void {
    for (const { body } of texts) addHashes(body, this.hashes)
    this.#read.set(`${id} ${trace}`, until)
  }

  /** Returns the given hashes that nothing names. */
  unneeded(hashes: Iterable<string>): string[] {
    return Array.from(hashes).filter((hash) => !this.hashes.has(hash))
  }
}

/** Unread records of a run. */
export interface UnreadPart {
  readonly run: StoredRunRow
  readonly from: number
  readonly until: number
}

/** Yields the unread records of runs in pages of at most `most` records, each page from one or more runs. */
export function* unreadPages(runs: readonly StoredRunRow[], needed: NeededHashes, most: number): Generator<readonly UnreadPart[]> {
  let page: UnreadPart[] = []
  let left = most
  for (const run of runs) {
    const first = needed.firstUnread(run)
    // The records before a base are not here; its snapshot counts as its last one.
    for (let from = first === undefined ? run.last + 1 : Math.max(first, baseOf(run)); from <= run.last; ) {
      const until = Math.min(run.last, from + left - 1)
      page.push({ run, from, until })
      left -= until - from + 1
      from = until + 1
      if (left > 0) continue
      yield page
      page = []
      left = most
    }
  }
  if (page.length > 0) yield page
}
