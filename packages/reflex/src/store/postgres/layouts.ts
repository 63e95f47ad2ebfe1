/** The facts on which the statements of a layout depend. */
export interface LayoutPlan {
  /** The quoted name of the schema. */
  readonly schema: string
  /** The partitions of the journal of a new schema; 1 for one that exists. */
  readonly partitions: number
  /** The first number of the version of the server. */
  readonly version: number
}

/** The first server with autovacuum for tables into which rows are only inserted. */
const FIRST_INSERT_VACUUM = 13

/** Returns the tables that contain the rows of the journal. */
function journalTables(schema: string, partitions: number): string[] {
  return partitions > 1 ? Array.from({ length: partitions }, (_, n) => `${schema}.journal_${n}`) : [`${schema}.journal`]
}

function partitionsOf(schema: string, partitions: number): string {
  if (partitions === 1) return ''
  const values = (n: number) => `for values with (modulus ${partitions}, remainder ${n})`
  return journalTables(schema, partitions)
    .map((table, n) => `create table ${table} partition of ${schema}.journal ${values(n)};`)
    .join('\n')
}

/**
 * The tables, as for SQLite (store/schema.ts); `seq` is in order of arrival in both. Names given by people are compared
 * by code point, whatever the language of the database. Half of each page of runs stays free, so that a commit changes
 * a row in its place.
 */
const firstLayout = ({ schema, partitions }: LayoutPlan) => `
create table ${schema}.header (one boolean primary key default true check (one), application text not null, layout integer not null);
create table ${schema}.run (
  seq bigint generated always as identity primary key, id text collate "C" not null unique, trace text not null, program text not null,
  status text not null, token bigint not null, owner text, last bigint not null, chain bigint not null, sum bigint not null,
  started bigint not null, updated bigint not null, due bigint, waits text not null, value text
) with (fillfactor = 50);
create index run_by_start on ${schema}.run (started desc, seq desc);
create index run_by_trace on ${schema}.run (trace);
create index run_open on ${schema}.run (seq) where status in ('running', 'suspended');
create table ${schema}.journal (
  run bigint not null, first bigint not null, count bigint not null, version bigint not null, sum bigint not null, body text not null,
  primary key (run, first)
)${partitions > 1 ? ' partition by hash (run)' : ''};
${partitionsOf(schema, partitions)}
create table ${schema}.snapshot (run bigint not null, at bigint not null, sum bigint not null, body text not null, primary key (run, at));
create table ${schema}.program (hash text primary key, kind text not null, sum bigint not null, source text not null);
create table ${schema}.blob (hash text primary key, sum bigint not null, body text not null);
create table ${schema}.inbox (
  seq bigint generated always as identity primary key, run bigint not null, id text not null, type text not null, target text not null,
  sender text, at bigint not null, taken bigint, sum bigint not null, body text not null, unique (run, id)
);
create index inbox_waiting on ${schema}.inbox (run, seq) where taken is null;
create unique index inbox_answer on ${schema}.inbox (run, target) where taken is null and type = 'answer';
create table ${schema}.worker (
  id text primary key, host text not null, pid bigint not null, place text not null, began text not null,
  seen bigint not null, ttl bigint not null
);
create table ${schema}.ledger (
  name text not null, seq bigint not null, key text not null, at bigint not null, sum bigint not null, value text not null,
  primary key (name, seq), unique (name, key)
);`

/** Adds the usage of runs, for lists. */
const addUsage = ({ schema }: LayoutPlan) => `alter table ${schema}.run add column used text;`

/** The sealed segments of runs, as for SQLite (store/schema.ts). */
const addSegments = ({ schema }: LayoutPlan) => `
create table ${schema}.segment (
  run bigint not null, number bigint not null, first bigint not null, last bigint not null, version bigint not null, chain bigint not null,
  parent text, archive text, needs text, crc bigint, sum bigint not null, body bytea, primary key (run, number)
);
create index segment_by_end on ${schema}.segment (run, last);
create index segment_parent on ${schema}.segment (run) where parent is not null;`

/** The names of entries, and the retention of ledgers with what compactions have removed, as for SQLite (store/schema.ts). */
const addEntryNames = ({ schema }: LayoutPlan) => `
alter table ${schema}.ledger add column entry_name text collate "C";
create index ledger_by_entry_name on ${schema}.ledger (name, entry_name, seq) where entry_name is not null;
create table ${schema}.ledger_facts (
  name text primary key, keep bigint, through bigint not null, floor bigint not null, removed bigint not null, sum bigint not null
);`

/**
 * The transaction that committed a batch: which batches a reader has not seen can be told from a snapshot of the transactions. Batches of
 * older layouts have none. The transaction numbers of a server never go back, but those of another server may be lower.
 */
const addTransactions = ({ schema }: LayoutPlan) => `
alter table ${schema}.journal add column moved bigint;
alter table ${schema}.journal alter column moved set default txid_current();
create index journal_by_transaction on ${schema}.journal (moved, run, first);`

/**
 * Indexes that lead to few runs among millions: those with a due time (in order of it), those that run, and those that are open or
 * went wrong (in the order of lists). A cluster may have made the first two before. The index of all open runs by number is no
 * longer needed. The status is part of all these indexes: a commit that changes neither it nor the due time still changes the row in
 * its place.
 */
const addDue = ({ schema }: LayoutPlan) => `
create index if not exists run_due on ${schema}.run (due, seq) where status in ('running', 'suspended') and due is not null;
create index if not exists run_running on ${schema}.run (seq) where status = 'running';
create index run_open_by_start on ${schema}.run (started desc, seq desc) where status in ('running', 'suspended');
create index run_stopped_by_start on ${schema}.run (started desc, seq desc) where status in ('failed', 'cancelled');
drop index ${schema}.run_open;`

/** The settings of a table into which rows are only inserted: frozen soon and in small parts, not all of them at once after months. */
function insertedOnly(version: number): string {
  const often = version < FIRST_INSERT_VACUUM ? '' : 'autovacuum_vacuum_insert_scale_factor = 0.02, '
  return `(${often}autovacuum_freeze_min_age = 0)`
}

/**
 * Vacuum in time. Of a million runs only a few change, and their dead versions, which the indexes of what runs and what is due would keep,
 * are removed after some thousands, not after a fifth of the table. The same for messages, which are read once.
 */
const addVacuum = ({ schema, partitions, version }: LayoutPlan) => `
alter table ${schema}.run set (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 2000, autovacuum_analyze_scale_factor = 0.02);
alter table ${schema}.inbox set (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 2000, autovacuum_analyze_scale_factor = 0.02);
${journalTables(schema, partitions)
  .map((table) => `alter table ${table} set ${insertedOnly(version)};`)
  .join('\n')}`

/** The statements from each layout to the next one, beginning without tables. A release that changes the layout adds to them. */
export const MIGRATIONS: readonly ((plan: LayoutPlan) => string)[] = [
  firstLayout,
  addUsage,
  addSegments,
  addEntryNames,
  addTransactions,
  addDue,
  addVacuum,
]
export const LAYOUT = MIGRATIONS.length
export const FIRST_TABLES = ['header', 'run', 'journal', 'snapshot', 'program', 'blob', 'inbox', 'worker', 'ledger']
export const TABLES = [...FIRST_TABLES, 'segment', 'ledger_facts']
