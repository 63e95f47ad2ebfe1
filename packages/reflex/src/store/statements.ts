import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { Rows } from './rows.ts'
import { addMissingTables, ENTRY_NAME_LAYOUT, layoutOf, USAGE_LAYOUT } from './schema.ts'

const ROW = 'run.id, trace, program, status, last, started, updated, run.due, waits, value, run.used'
const OWNER = 'owner, token, chain, run.sum, worker.id as worker, host, pid, place, began, seen, ttl'
/** The last record before the first one of a run that began with a snapshot. */
const BASE = '(select last from segment where segment.run = run.seq and number = 0) as base'
const SEGMENT_COLUMNS = ['number', 'first', 'last', 'version', 'chain', 'parent', 'archive', 'needs', 'crc', 'sum'] as const
const SEGMENT = SEGMENT_COLUMNS.join(', ')
/** The arguments of a function of SQL that makes a JSON object of a segment. */
export const SEGMENT_FIELDS = SEGMENT_COLUMNS.map((column) => `'${column}', segment.${column}`).join(', ')
const BASE_ROW = `(select json_object(${SEGMENT_FIELDS}) from segment where segment.run = run.seq and number = 0) as base_row`
const RUN = `select run.seq, ${ROW}, ${OWNER}, ${BASE}, ${BASE_ROW} from run left join worker on worker.id = run.owner`

const ENTRY = 'seq, key, at, sum, value, entry_name'

const SQL = {
  beginWrite: 'begin immediate',
  beginRead: 'begin',
  commit: 'commit',
  version: 'pragma data_version',
  layout: 'pragma user_version',

  hello: `insert into worker (id, host, pid, place, began, seen, ttl) values (?, ?, ?, ?, ?, ?, ?)
    on conflict (id) do update set place = excluded.place, began = excluded.began, ttl = excluded.ttl,
      seen = case when worker.seen - excluded.seen between 0 and excluded.ttl then worker.seen else excluded.seen end`,
  forget: `delete from worker where seen < ?
    and id not in (select owner from run where status in ('running', 'suspended') and owner is not null)`,

  create: `insert into run (id, trace, program, status, token, owner, last, chain, sum, started, updated, due, waits, value, used)
    values (?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (id) do nothing`,
  run: `${RUN} where run.id = ?`,
  take: 'update run set owner = ?, token = ? where seq = ?',
  release: 'update run set owner = null, token = token + 1 where id = ? and token = ?',

  head: 'select seq, id, token, status, last, chain, trace, program, started from run where id = ?',
  record: 'insert into journal (run, first, count, version, sum, body) values (?, ?, ?, ?, ?, ?)',
  // An unchanged status is not written: the write would touch the index of open runs. The `seq` of a removed run can
  // belong to another run now, a trace never does.
  advance: `update run set last = ?, chain = ?, sum = ?, updated = ?, due = ?, waits = ?, value = ?, used = ?
    where seq = ? and trace = ? and token = ? and last = ?`,
  advanceStatus: `update run set last = ?, chain = ?, sum = ?, updated = ?, due = ?, waits = ?, value = ?, used = ?, status = ?
    where seq = ? and trace = ? and token = ? and last = ?`,
  addSnapshot: 'insert into snapshot (run, at, sum, body) values (?, ?, ?, ?)',
  addProgram: 'insert into program (hash, kind, sum, source) values (?, ?, ?, ?) on conflict (hash) do nothing',
  addBlob: 'insert into blob (hash, sum, body) values (?, ?, ?) on conflict (hash) do nothing',
  addTaken: `insert into inbox (run, id, type, target, sender, at, taken, sum, body) values (?, ?, ?, ?, ?, ?, ?, ?, ?)
    on conflict (run, id) do update set taken = excluded.taken where taken is null`,
  markTaken: 'update inbox set taken = ? where row = ? and run = ? and taken is null',

  addSegment: `insert into segment (run, number, first, last, version, chain, parent, archive, needs, crc, sum)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  lastSegment: `select ${SEGMENT} from segment where run = ? order by number desc limit 1`,
  segments: `select ${SEGMENT} from segment where run = ? and last >= ? order by last`,
  segment: `select ${SEGMENT} from segment where run = ? and number = ?`,
  // These two, and the last one.
  segmentsNumbered: `select ${SEGMENT} from segment
    where run = ? and number in (?, ?, (select max(number) from segment where run = ?)) order by number`,
  segmentBefore: `select ${SEGMENT} from segment where run = ? and last < ? order by last desc limit 1`,
  lastVersion: 'select version from journal where run = ? order by first desc limit 1',
  segmentBody: 'select body from segment where run = ? and number = ?',
  changeSegment: `update segment set parent = ?, archive = ?, needs = ?, crc = ?, sum = ?, body = ?
    where run = ? and number = ? and chain = ? and last = ? and sum = ?`,
  dropRecords: 'delete from journal where run = ? and first >= ? and first <= ?',
  dropSnapshotsIn: 'delete from snapshot where run = ? and at >= ? and at < ?',
  // SQLite gives the number after the greatest one that is there. A run reads its inbox by a cursor, so its greatest row stays.
  dropTaken: 'delete from inbox where run = ? and taken <= ? and row < (select max(row) from inbox where run = ?)',
  parents: `select run.id, parent from segment join run on run.seq = segment.run where parent is not null`,

  snapshots: 'select at, sum, body from snapshot where run = ? and at <= ? order by at desc',
  before: 'select first, count, version, sum, body from journal where run = ? and first < ? order by first desc limit 1',
  batches: 'select first, count, version, sum, body from journal where run = ? and first >= ? and first <= ? order by first',
  holding: 'select max(first) as first from journal where run = ? and first <= ?',
  // The row of run 0 is the mark of packed rows: `count` is the greatest of them. It is written before rows are removed and is then the
  // last one, so the number of a removed row is never given again.
  lastRow: 'select max(row) as row from journal',
  packedRows: 'select count as last from journal where run = 0 and first = 0',
  rowsAfter: `select journal.row, id, first, count from journal join run on run.seq = journal.run where journal.row > ?
    order by journal.row limit ?`,
  markPacked: `insert or replace into journal (run, first, count, version, sum, body) select 0, 0,
    max(coalesce((select max(row) from journal where run = ? and first >= ? and first <= ?), 0),
      coalesce((select count from journal where run = 0 and first = 0), 0)), 0, 0, ''`,
  markRemoved: `insert or replace into journal (run, first, count, version, sum, body)
    select 0, 0, coalesce((select count from journal where run = 0 and first = 0), 0), 0, 0, ''
    where (select run from journal order by row desc limit 1) = ?`,
  // Each parameter is repeated where it is used: Node 22 does not count numbered parameters.
  runs: `${RUN} where (? is null or status in (select value from json_each(?)))
    and (? is null or trace = ? or (run.id >= ? and run.id < ?))
    and (? is null or iif(json_valid(program), json_extract(program, '$[1]'), null) is ?)
    and (? is null or iif(json_valid(program), json_extract(program, '$[0]'), null) is ?)
    and updated >= ? and updated < ? and (started, run.seq) < (?, ?) order by started desc, run.seq desc`,
  program: 'select hash, kind, sum, source from program where hash = ?',
  blob: 'select sum, body from blob where hash = ?',

  post: `insert into inbox (run, id, type, target, sender, at, taken, sum, body) values (?, ?, ?, ?, ?, ?, null, ?, ?)
    on conflict (run, id) do nothing`,
  posted: 'select row from inbox where run = ? and id = ?',
  postedTo: 'select inbox.row from inbox join run on run.seq = inbox.run where run.id = ? and inbox.id = ?',
  answered: "select row from inbox where run = ? and taken is null and type = 'answer' and target = ? limit 1",
  inbox: `select inbox.row, inbox.id, type, target, sender, at, inbox.sum, body from inbox join run on run.seq = inbox.run
    where run.id = ? and taken is null and inbox.row > ? order by inbox.row limit ?`,
  waiting: "select count(*) as count from inbox where run = ? and taken is null and type = 'message' and target = ?",
  // Row numbers grow with each post. The index leads from run to run, past the messages between them.
  unread: `with recursive unread (seq) as (select min(run) from inbox where taken is null
      union all select (select min(run) from inbox where taken is null and run > seq) from unread where seq is not null)
    select run.id as run, cast((select max(row) from inbox where run = seq and taken is null) as text) as mark
    from unread join run using (seq) where run.owner = ?`,
  open: `with told as (select run, min(at) filter (where type <> 'message') as told,
      min(at) filter (where type = 'message') as heard, json_group_array(target) filter (where type = 'message') as topics
      from inbox where taken is null group by run)
    select run.id, run.owner, status, last, ${BASE}, updated, run.due, told.told, told.heard, told.topics, iif(told.topics is null, null, waits) as waits,
    worker.id as worker, host, pid, place, began, seen, ttl
    from run left join worker on worker.id = run.owner left join told on told.run = run.seq where status in ('running', 'suspended')
    and (status = 'running' or run.due <= ? or told.run is not null) order by run.seq`,

  entryOf: 'select seq from ledger where name = ? and key = ?',
  append: 'insert into ledger (name, seq, key, at, sum, value, entry_name) values (?, ?, ?, ?, ?, ?, ?)',
  lastEntry: 'select max(seq) as seq from ledger where name = ?',
  entries: `select ${ENTRY} from ledger where name = ? and seq > ? order by seq limit ?`,
  newestEntry: `select ${ENTRY} from ledger where name = ? and entry_name = ? order by seq desc limit 1`,
  // The index leads from name to name, past the older entries of each.
  entryNames: `with recursive names (entry) as (select min(entry_name) from ledger where name = ? and entry_name is not null
      union all select (select min(entry_name) from ledger where name = ? and entry_name > entry) from names where entry is not null)
    select entry as name from names where entry is not null`,
  ledgerFacts: 'select keep, through, floor, removed, sum from ledger_facts where name = ?',
  setLedgerFacts: `insert into ledger_facts (name, keep, through, floor, removed, sum) values (?, ?, ?, ?, ?, ?)
    on conflict (name) do update set keep = excluded.keep, through = excluded.through, floor = excluded.floor,
      removed = excluded.removed, sum = excluded.sum`,
  keptLedgers: 'select name, keep from ledger_facts where keep is not null',
  dropEntry: 'delete from ledger where name = ? and seq = ?',
  openRun: "select id from run where id = ? and status in ('running', 'suspended')",

  runsAfter: `${RUN} where run.seq > ? order by run.seq limit ?`,
  forks: `select id, version, body from run cross join journal on journal.run = run.seq and first = 1
    where run.seq > ? and run.seq <= ? and instr(body, ?) > 0`,
  lastBatch: 'select row, run, first, sum from journal where run > 0 order by row desc limit 1',
  batchAt: 'select row, run, first, sum from journal where row = ?',
  batchesAfter: `select journal.row, journal.run, first, count, version, journal.sum, body, id from journal left join run on run.seq = journal.run
    where journal.row > ? and journal.run > 0 order by journal.row limit ?`,
  lastSealed: 'select rowid as row, run, first, chain as sum from segment order by rowid desc limit 1',
  sealedAt: 'select rowid as row, run, first, chain as sum from segment where rowid = ?',
  sealedAfter: `select segment.rowid as row, segment.run, first, segment.chain as sum, id, segment.parent, number = 0 or crc is not null or archive is not null as without_rows
    from segment left join run on run.seq = segment.run where segment.rowid > ? order by segment.rowid`,
  ledgersAfter: 'select row, value from ledger where row > ? order by row limit ?',
  programs: 'select hash from program where hash > ? order by hash limit ?',
  blobs: 'select hash from blob where hash > ? order by hash limit ?',
  dropJournal: 'delete from journal where run = ?',
  dropSnapshots: 'delete from snapshot where run = ?',
  dropMessages: 'delete from inbox where run = ?',
  dropSegments: 'delete from segment where run = ?',
  dropRun: 'delete from run where seq = ? and trace = ? and token = ? and last = ?',
  // The number of rows of a run in all tables, at most so many.
  rowsOf: `select count(*) as count from (select 1 from journal where run = ? union all select 1 from snapshot where run = ?
    union all select 1 from inbox where run = ? union all select 1 from segment where run = ? limit ?)`,
  renameRun: `update run set id = ?, owner = null, token = token + 1, last = 0, chain = ?, sum = ?
    where seq = ? and trace = ? and token = ? and last = ?`,
  dropBase: 'delete from segment where run = ? and number = 0',
  dropJournalPart: 'delete from journal where row in (select row from journal where run = ? limit ?)',
  dropSnapshotsPart: 'delete from snapshot where row in (select row from snapshot where run = ? limit ?)',
  dropMessagesPart: 'delete from inbox where row in (select row from inbox where run = ? limit ?)',
  dropSegmentsPart: 'delete from segment where rowid in (select rowid from segment where run = ? limit ?)',
  dropProgram: 'delete from program where hash = ?',
  dropBlob: 'delete from blob where hash = ?',
} as const

/** A reading statement, with the type of its rows. */
interface Query<Row> {
  get(...values: SQLInputValue[]): Row | undefined
  all(...values: SQLInputValue[]): Row[]
  iterate(...values: SQLInputValue[]): Iterable<Row>
}

/** The prepared statements of a store, by name. */
export type Statements = {
  readonly [Name in keyof typeof SQL]: Name extends keyof Rows ? Query<Rows[Name]> : Pick<StatementSync, 'run'>
}

/** Prepares the statements. Throws the error of SQLite if a table or a column is missing. */
export function prepareStatements(db: DatabaseSync): Statements {
  addMissingTables(db)
  const layout = layoutOf(db)
  const entries = Object.entries(SQL).map(([name, sql]) => [name, db.prepare(forLayout(sql, layout))] as const)
  return Object.fromEntries(entries) as unknown as Statements
}

/** Returns a statement for a store of an older layout, which is only read: the statements that write are never performed. */
function forLayout(sql: string, layout: number): string {
  const statement = layout >= USAGE_LAYOUT ? sql : withoutUsage(sql)
  return layout >= ENTRY_NAME_LAYOUT ? statement : withoutEntryNames(statement)
}

function withoutUsage(sql: string): string {
  return sql
    .replace('run.used', 'null as used')
    .replace(', used = ?', '')
    .replace(/, used\)\s+values \(\?, /, ') values (')
}

function withoutEntryNames(sql: string): string {
  const statement = sql.replace(', entry_name) values (?, ', ') values (')
  return statement
    .split(ENTRY)
    .map((part) => part.replaceAll('entry_name', 'null'))
    .join(ENTRY.replace('entry_name', 'null as entry_name'))
}
