import type { Batch, Lease } from '../../kernel/index.ts'
import { isOpen } from '../columns.ts'
import { type AdvancedRow, refusedRuns, rowAfter } from '../commit.ts'
import type { Ask, PostgresConnection } from './connection.ts'
import type { Value } from './driver.ts'
import type { Head } from '../rows.ts'
import { sumOf } from '../checksums.ts'
import { takenMessage } from '../inbox.ts'
import { requireSnapshots, sealedSegment, type SegmentRow } from '../segments.ts'

/** A run in a commit: the expected position of the run, and its row after the commit. */
interface Move {
  readonly from: Head
  readonly to: AdvancedRow
}

interface Plan {
  readonly moves: ReadonlyMap<string, Move>
  readonly refused: ReadonlySet<string>
  readonly values: readonly Value[]
}

/** Writes batches: one statement for all runs of a commit, after one that reads the unknown heads. */
export class Commits {
  readonly #connection: PostgresConnection
  /**
   * The last known state of this process's runs, so that most commits need no lookup. Each is a guess that the
   * statement checks.
   */
  readonly #heads = new Map<string, Head>()
  /** The last pending commit of each run. */
  readonly #pending = new Map<string, Promise<unknown>>()

  constructor(connection: PostgresConnection) {
    this.#connection = connection
  }

  /** Stores the head of a run that was just created or claimed. */
  remember(head: Head): void {
    this.#heads.set(head.id, head)
  }

  forget({ run }: Lease): void {
    this.#heads.delete(run)
  }

  /** Returns the numbers of the open runs that were created or claimed through this object. Some may have another owner by now. */
  get held(): number[] {
    return [...this.#heads.values()].map(({ seq }) => seq)
  }

  /** Commits the batches of each run in the order of the calls. Commits of other runs do not wait for them. */
  commit(batches: readonly Batch[]): Promise<readonly string[]> {
    const runs = new Set(batches.map(({ lease }) => lease.run))
    const earlier = [...runs].flatMap((run) => this.#pending.get(run) ?? [])
    const done = earlier.length === 0 ? this.#commit(batches) : Promise.all(earlier).then(() => this.#commit(batches))
    const finished = done
      .catch(() => undefined)
      .then(() => {
        for (const run of runs) if (this.#pending.get(run) === finished) this.#pending.delete(run)
      })
    for (const run of runs) this.#pending.set(run, finished)
    return done
  }

  async #commit(batches: readonly Batch[]): Promise<readonly string[]> {
    if (batches.length === 0) return []
    requireSnapshots(batches)
    let plan: Plan | undefined
    const { moves, refused } = await this.#connection.write(async (ask, unknownOutcome) => {
      plan ??= await this.#planOf(ask, batches)
      return { moves: plan.moves, refused: new Set([...plan.refused, ...(await perform(ask, plan, unknownOutcome))]) }
    })
    for (const run of refused) this.#heads.delete(run)
    for (const [run, { to }] of moves) {
      if (refused.has(run)) continue
      if (isOpen(to.status)) this.#heads.set(run, headOf(to))
      else this.#heads.delete(run)
    }
    return [...refused]
  }

  async #planOf(ask: Ask, batches: readonly Batch[]): Promise<Plan> {
    const heads = await this.#headsOf(ask, batches)
    const sealing = new Set(batches.filter(({ seal }) => seal === true).map(({ lease }) => heads.get(lease.run)?.seq))
    const seqs = [...sealing].filter((seq) => seq !== undefined)
    // Only the holder of a lease seals, and the statement checks that the run is still where its head says.
    const segments = seqs.length === 0 ? [] : await ask('lastSegments', [seqs])
    return planOf(batches, heads, new Map(segments.map((row) => [row.run, row])))
  }

  /** Returns the heads of the runs. Uses a known head only if it fits the batch: no run is refused without a lookup. */
  async #headsOf(ask: Ask, batches: readonly Batch[]): Promise<ReadonlyMap<string, Head>> {
    const heads = new Map<string, Head>()
    const unknownRuns = new Set<string>()
    for (const { lease, first } of batches) {
      if (heads.has(lease.run) || unknownRuns.has(lease.run)) continue
      const head = this.#heads.get(lease.run)
      if (head?.token === lease.token && head.last === first - 1) heads.set(lease.run, head)
      else unknownRuns.add(lease.run)
    }
    if (unknownRuns.size > 0) for (const head of await ask('heads', [[...unknownRuns]])) heads.set(head.id, head)
    return heads
  }
}

/**
 * Performs the statement. Returns the runs that did not stand where the plan starts.
 *
 * The batches are rows of arrays, not a COPY: up to 256 batches of 100 bytes both take the same time, and a COPY would need a transaction
 * of four statements with the rows of the runs locked between them. From about 4,000 such batches or 3 MB in one commit on, a COPY
 * takes half of the time, most of which `pg` spends on writing the arrays as text. The kernel shares a commit among far fewer.
 */
async function perform(ask: Ask, { moves, values }: Plan, unknownOutcome: boolean): Promise<readonly string[]> {
  if (moves.size === 0) return []
  const advanced = new Set((await ask('commit', values)).map(({ seq }) => seq))
  const refused = [...moves.values()].filter(({ to }) => !advanced.has(to.seq)).map(({ to }) => to.id)
  if (!unknownOutcome || refused.length === 0) return refused
  // The first attempt may have been performed although its answer was lost. It has ended by now: both attempts lock the
  // same rows.
  const current = new Map((await ask('heads', [refused])).map((head) => [head.id, head]))
  return refused.filter((run) => !isAt(current.get(run), moves.get(run)?.to))
}

/** True if the row advanced under this lease exactly to the end of the plan. */
function isAt(head: Head | undefined, to: AdvancedRow | undefined): boolean {
  return head?.token === to?.token && head?.last === to?.last && head?.chain === to?.chain
}

function planOf(batches: readonly Batch[], heads: ReadonlyMap<string, Head>, segments: Map<number, SegmentRow>): Plan {
  const refused = refusedRuns(heads, batches)
  const moves = new Map<string, Move>()
  const seals = emptyColumns(7)
  const columns = {
    records: emptyColumns(6),
    snapshots: emptyColumns(4),
    programs: emptyColumns(5),
    blobs: emptyColumns(4),
    messages: emptyColumns(3),
    delivered: emptyColumns(9),
  }
  for (const batch of batches) {
    const { run } = batch.lease
    const from = moves.get(run)?.from ?? heads.get(run)
    if (from === undefined || refused.has(run)) continue
    const to = rowAfter(moves.get(run)?.to ?? from, batch)
    moves.set(run, { from, to })
    addBatch(columns, to, batch)
    if (batch.seal === true) addSeal(seals, segments, to, batch.version)
  }
  const [runs, usages] = [emptyColumns(11), emptyColumns(1)]
  for (const { from, to } of moves.values()) {
    const { seq, token, last, chain, sum, updated, due, status, waits, value, used } = to
    addRow(runs, seq, token, from.last, last, chain, sum, updated, due, status, waits, value)
    addRow(usages, used)
  }
  const { records, snapshots, programs, blobs, messages, delivered } = columns
  return { moves, refused, values: [runs, records, snapshots, programs, blobs, messages, usages, delivered, seals].flat() }
}

/** The rows of a table, column by column: a statement takes many rows in this form. */
type Columns = (string | number | null)[][]

function addBatch(
  columns: Readonly<Record<'records' | 'snapshots' | 'programs' | 'blobs' | 'messages' | 'delivered', Columns>>,
  { seq, last, chain }: AdvancedRow,
  { first, count, version, body, snapshot, programs, blobs, taken, delivered }: Batch,
): void {
  addRow(columns.records, seq, first, count, version, chain, body)
  if (snapshot !== undefined) addRow(columns.snapshots, seq, last, sumOf(last, snapshot), snapshot)
  for (const { hash, kind, source } of programs ?? []) addRow(columns.programs, seq, hash, kind, sumOf(hash, kind, source), source)
  for (const [hash, body] of blobs ?? []) addRow(columns.blobs, seq, hash, sumOf(hash, body), body)
  for (const message of taken ?? []) addRow(columns.messages, seq, last, message)
  for (const message of delivered ?? []) {
    const { columns: told, sum } = takenMessage(message)
    addRow(columns.delivered, seq, last, told.id, told.type, told.target, told.sender, told.at, sum, told.body)
  }
}

function addSeal(seals: Columns, segments: Map<number, SegmentRow>, { seq, id, last, chain }: AdvancedRow, version: number): void {
  const row = sealedSegment(id, segments.get(seq), { last, version, chain })
  segments.set(seq, row)
  addRow(seals, seq, row.number, row.first, last, version, chain, row.sum)
}

function emptyColumns(columns: number): Columns {
  return Array.from({ length: columns }, () => [])
}

function addRow(columns: Columns, ...row: readonly (string | number | null)[]): void {
  for (const [i, value] of row.entries()) columns[i]?.push(value)
}

function headOf({ seq, id, token, status, last, chain, trace, program, started }: AdvancedRow): Head {
  return { seq, id, token, status, last, chain, trace, program, started }
}
