import { crc32 } from 'node:zlib'
import type { SummedBatch } from '../checksums.ts'
import { commitStatement } from './commit-statement.ts'
import { LAYOUT } from './layouts.ts'
import { listStatements } from './list-statements.ts'
import { ledgerStatements } from './ledger-statements.ts'
import { lockNumber } from './locks.ts'
import { sweepStatements } from './sweep-statements.ts'
import { segmentStatements } from './segment-statements.ts'
import type { Head, OpenRun, OwnerColumns, OwnerlessRow, Rows, StoredRunRow } from '../rows.ts'
import type { SegmentRow } from '../segments.ts'
import { SEGMENT_FIELDS } from '../statements.ts'

const ROW = 'run.seq, run.id, trace, program, status, last, started, updated, run.due, waits, value, run.used, token, chain, run.sum'

/** A row, and what there is to read beside its batches: most runs have nothing. */
export interface FoundRun extends StoredRunRow {
  /** 1 or 0. */
  readonly has_snapshots: number
  readonly has_segments: number
}

/** The type of the rows that each statement returns. */
export interface PostgresRows extends Pick<Rows, 'inbox' | 'unread' | 'program' | 'blob' | 'entries' | 'ledgerFacts' | 'keptLedgers'> {
  readonly hello: never
  readonly create: { readonly seq: number }
  readonly run: FoundRun
  readonly takeFree: OwnerlessRow
  readonly take: Omit<StoredRunRow, Exclude<keyof OwnerColumns, 'owner'> | 'base' | 'base_row'>
  readonly release: never
  readonly heads: Head
  readonly commit: { readonly seq: number }
  readonly snapshot: Rows['snapshots']
  readonly batches: Rows['batches']
  readonly segments: SegmentRow
  readonly segmentsIn: SegmentRow
  readonly segmentsNumbered: SegmentRow
  readonly lastSegments: SegmentRow & { readonly run: number }
  readonly segmentBodies: { readonly number: number; readonly body: string }
  readonly lastVersion: { readonly version: number }
  readonly pack: { readonly number: number }
  readonly forget: never
  readonly parents: Rows['parents']
  readonly sealedRuns: { readonly run: number }
  readonly runs: StoredRunRow
  readonly committed: OrderFacts & { readonly [Column in keyof CommittedRow]: CommittedRow[Column] | null }
  readonly posted: { readonly row: number }
  readonly post: { readonly row: number }
  readonly obstacle: {
    readonly status: StoredRunRow['status']
    readonly sum: number | null
    readonly answered: number
    readonly waiting: number
  }
  readonly open: OpenRun
  readonly ledgerEnd: { readonly known: number | null; readonly last: number }
  readonly append: { readonly seq: number }
  readonly appendAll: { readonly seq: number }
  readonly newestEntries: Rows['newestEntry']
  /** Every row has the last number; without entries, the other columns of the only row are null. */
  readonly latest: { readonly last: number } & (Rows['newestEntry'] | { readonly [Column in keyof Rows['newestEntry']]: null })
  readonly setLedgerFacts: { readonly name: string }
  readonly dropEntries: { readonly seq: number }
  readonly openRuns: Rows['openRun']
  readonly begin: never
  readonly hold: never
  readonly holdLedger: never
  readonly keep: never
  readonly undo: never
  readonly all: StoredRunRow
  readonly grown: StoredRunRow
  readonly journals: SummedBatch & { readonly run: number }
  readonly forks: Rows['forks']
  readonly ledgers: { readonly name: string; readonly seq: number; readonly value: string }
  readonly programs: Rows['programs']
  readonly blobs: Rows['blobs']
  readonly still: { readonly seq: number }
  readonly dropRuns: { readonly seq: number }
  readonly dropPrograms: never
  readonly dropBlobs: never
}

/** The facts that every row of an order has. */
interface OrderFacts {
  /** The snapshot up to which batches were read, and that of this statement. */
  readonly taken: string
  readonly now: string
  /** The greatest transaction of a packed batch. */
  readonly packed: number | null
}

/** A batch with the transaction that committed it. */
interface CommittedRow {
  readonly moved: number
  readonly seq: number
  readonly first: number
  readonly count: number
  readonly id: string
}

/**
 * Returns the channel on which the server announces posts to a store. It contains a hash of the schema's name: a
 * channel name has at most 63 bytes.
 */
export function channelOf(schema: string): string {
  return `reflex_${(crc32(schema) >>> 0).toString(16)}`
}

/** Counts the unread messages of a topic. */
function waiting(at: string, run: string, topic: string): string {
  return `select count(*) from ${at}.inbox where inbox.run = ${run} and taken is null and type = 'message' and target = ${topic}`
}

/**
 * Returns the statements of a store. Each is a transaction of its own, with the isolation READ COMMITTED. That is
 * enough: a statement selects the rows that it changes by conditions, and Postgres checks these again on the newest
 * version of a row after waiting for another writer; an index enforces what must be unique. A statement relies on an
 * earlier read only if it repeats that read as a condition (the token of a lease, the number of the last record).
 */
export function postgresStatements(schema: string): Readonly<Record<keyof PostgresRows, string>> {
  const at = `"${schema}"`
  const current = currentLayout(at)
  const base = `(select last from ${at}.segment where segment.run = run.seq and number = 0) as base`
  const baseRow = `(select json_build_object(${SEGMENT_FIELDS})::text from ${at}.segment where segment.run = run.seq and number = 0) as base_row`
  const columns = `${ROW}, ${base}, ${baseRow}`
  const owned = `${columns}, owner, worker.id as worker, host, pid, place, began, seen, ttl`
  const from = `from ${at}.run left join ${at}.worker on worker.id = run.owner`
  const RUN = `select ${owned} ${from}`
  const hasRows = (table: string): string => `(exists (select from ${at}.${table} where ${table}.run = run.seq))::integer as has_${table}s`
  return {
    // The runs of a worker that is forgotten have no owner, so nobody has to look for them among all runs.
    hello: `with forgotten as (delete from ${at}.worker where seen + ttl < $8 and id <> $1)
      insert into ${at}.worker (id, host, pid, place, began, seen, ttl) select $1, $2, $3, $4, $5, $6, $7 where ${current}
      on conflict (id) do update set place = excluded.place, began = excluded.began, ttl = excluded.ttl,
        seen = case when worker.seen - excluded.seen between 0 and excluded.ttl then worker.seen else excluded.seen end`,
    create: `with made as (
        insert into ${at}.run (id, trace, program, status, token, owner, chain, sum, started, updated, due, waits, value, used, last)
        select $1, $2, $3, $4, 1, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14::bigint where ${current} on conflict (id) do nothing returning seq
      ), based as (
        insert into ${at}.segment (run, number, first, last, version, chain, parent, sum)
        select seq, 0, 0, $14::bigint, 0, $6, $15::text, $16::bigint from made where $14::bigint > 0
      ), opened as (
        insert into ${at}.snapshot (run, at, sum, body) select seq, $14::bigint, $17::bigint, $18::text from made where $14::bigint > 0
      )
      select seq from made`,
    run: `select ${owned}, ${hasRows('snapshot')}, ${hasRows('segment')} ${from} where run.id = $1`,
    takeFree: `update ${at}.run set owner = $2, token = token + 1 where id = $1 and owner is null and ${current} returning ${columns}`,
    // A heartbeat of the owner and this statement wait for each other: either the owner is as silent as before, or
    // nothing is taken.
    take: `with silent as materialized (select id from ${at}.worker where id = $4 and seen = $5 for update)
      update ${at}.run set owner = $3, token = token + 1 where seq = $1 and token = $2 and ${current}
        and ($4::text is null or exists (select from silent)) returning ${ROW}, owner`,
    release: `update ${at}.run set owner = null, token = token + 1 where id = $1 and token = $2 and ${current}`,
    heads: `select seq, id, token, status, last, chain, trace, program, started from ${at}.run where id = any($1)`,
    commit: commitStatement(at, schema, current),

    snapshot: `select at, sum, body from ${at}.snapshot where run = $1 and at <= $2 order by at desc limit 1`,
    // The batches with these records, and the one before.
    batches: `with start as (select coalesce(max(first), $2) as first from ${at}.journal where run = $1 and first <= $2)
      select journal.first, count, version, sum, body from ${at}.journal, start where run = $1 and journal.first >= start.first and journal.first <= $3
      union all (select journal.first, count, version, sum, '' from ${at}.journal, start
        where run = $1 and journal.first < start.first order by journal.first desc limit 1)
      order by first`,
    // Batches of transactions that the first snapshot does not include and the second one does. Those of a database that was restored
    // on another server can have higher numbers than all its transactions.
    committed: `with upto as (select coalesce($4::txid_snapshot, txid_current_snapshot()) as taken)
      select upto.taken::text as taken, txid_current_snapshot()::text as now,
        (select count from ${at}.journal where run = 0 and first = 0) as packed, found.moved, found.seq, found.first, found.count, found.id
      from upto left join lateral (
        select journal.moved, journal.run as seq, journal.first, journal.count, run.id from ${at}.journal join ${at}.run on run.seq = journal.run
        where (journal.moved >= $1 or journal.moved = any($2)) and (journal.moved, journal.run, journal.first) > ($5, $6, $7)
          and txid_visible_in_snapshot(journal.moved, upto.taken)
        order by journal.moved, journal.run, journal.first limit $3
      ) as found on true order by found.moved, found.seq, found.first`,
    program: `select hash, kind, sum, source from ${at}.program where hash = $1`,
    blob: `select sum, body from ${at}.blob where hash = $1`,

    // The lock is held until the row can be read, so the rows of a run appear in the order of their numbers: a reader that
    // asks for those after a number misses none.
    post: `with turn as materialized (
        select seq, pg_advisory_xact_lock(${lockNumber(`${schema} inbox`)}, (seq % 2147483647)::integer) as locked
        from ${at}.run where run.id = $1 and status in ('running', 'suspended') and ${current}
      ), posted as (
        insert into ${at}.inbox (run, id, type, target, sender, at, sum, body) select seq, $2, $3, $4, $5, $6, $7, $8
        from turn where locked is not null and ($9::bigint is null or (${waiting(at, 'turn.seq', '$4')}) < $9)
        on conflict do nothing returning inbox.seq as "row"
      ) select "row", pg_notify('${channelOf(schema)}', '') from posted`,
    obstacle: `select status, (select sum from ${at}.inbox where inbox.run = run.seq and inbox.id = $2) as sum,
      (exists (select from ${at}.inbox where inbox.run = run.seq and taken is null and type = 'answer' and target = $3))::integer as answered,
      (${waiting(at, 'run.seq', '$3')}) as waiting from ${at}.run where run.id = $1`,
    posted: `select inbox.seq as "row" from ${at}.inbox join ${at}.run on run.seq = inbox.run where run.id = $1 and inbox.id = $2`,
    inbox: `select inbox.seq as "row", inbox.id, type, target, sender, at, inbox.sum, body from ${at}.inbox join ${at}.run on run.seq = inbox.run
      where run.id = $1 and taken is null and inbox.seq > $2 order by inbox.seq limit $3`,

    ...listStatements(at, RUN, base),
    ...ledgerStatements(at, current),
    ...segmentStatements(at, current),
    ...sweepStatements(at, RUN, schema, current),
  }
}

/** The text before the layout number in the error that Postgres reports. */
const NEWER_LAYOUT = 'a layout newer than this release: '

/**
 * Returns a condition of every writing statement: the layout is one that this release knows. Otherwise the statement
 * fails, because Postgres cannot convert the text to a boolean. A condition that was merely false would look like a
 * lost lease.
 */
function currentLayout(at: string): string {
  return `(select case when layout <= ${LAYOUT} then true else ('${NEWER_LAYOUT}' || layout)::boolean end from ${at}.header) is not false`
}

/** Returns the layout that a failed statement found, if the layout is the reason for the failure. */
export function foundLayout(thrown: Error): string | undefined {
  const at = thrown.message.indexOf(NEWER_LAYOUT)
  return at < 0 ? undefined : /^\d+/.exec(thrown.message.slice(at + NEWER_LAYOUT.length))?.[0]
}
