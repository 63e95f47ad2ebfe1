import { DatabaseSync } from 'node:sqlite'

/** The mark "Rflx" in the header of every store file. It distinguishes a store from any other database. */
export const APPLICATION = 0x52666c78

/** The size in bytes of the pages of a new store: a commit of a few small rows writes a few whole pages. A store keeps its size. */
export const PAGE_BYTES = 2048

/**
 * The first layout. `seq` and `row` are in order of arrival. Each row of a table that only grows has a checksum.
 * `journal.sum` depends on the row before it (see checksums.ts); `run.chain` is the checksum of the run's last batch,
 * `run.sum` that of its row. The index by run and record is separate from the journal, so the rows of a hundred runs
 * that commit together lie on a few pages.
 */
const FIRST_LAYOUT = `
create table run (
  seq integer primary key, id text not null unique, trace text not null, program text not null, status text not null,
  token integer not null, owner text, last integer not null, chain integer not null, sum integer not null,
  started integer not null, updated integer not null, due integer, waits text not null, value text
) strict;
create index run_by_start on run (started);
create index run_by_trace on run (trace);
create index run_open on run (seq) where status in ('running', 'suspended');
create table journal (
  row integer primary key, run integer not null, first integer not null, count integer not null,
  version integer not null, sum integer not null, body text not null, unique (run, first)
) strict;
create table snapshot (
  row integer primary key, run integer not null, at integer not null, sum integer not null, body text not null, unique (run, at)
) strict;
create table program (hash text primary key, kind text not null, sum integer not null, source text not null) strict;
create table blob (hash text primary key, sum integer not null, body text not null) strict;
create table inbox (
  row integer primary key, run integer not null, id text not null, type text not null, target text not null,
  sender text, at integer not null, taken integer, sum integer not null, body text not null, unique (run, id)
) strict;
create index inbox_waiting on inbox (run, row) where taken is null;
create table worker (
  id text primary key, host text not null, pid integer not null, place text not null, began text not null,
  seen integer not null, ttl integer not null
) strict;
create table ledger (
  row integer primary key, name text not null, seq integer not null, key text not null, at integer not null,
  sum integer not null, value text not null, unique (name, seq), unique (name, key)
) strict;
`

/** The identity of a store. A copy of the file has the same identity; a new file gets a new one. */
const IDENTITY_LAYOUT = 'create table identity (one integer primary key check (one = 1), id text not null) strict;'

/** Adds the usage of runs, for lists. */
const ADD_USAGE = 'alter table run add column used text;'

/**
 * The sealed segments of runs. `body` has the compressed records of a packed one, and `crc` its checksum. Number 0 marks
 * the end of the records before the first one of a run that began with a snapshot (segments.ts).
 */
const SEGMENT_LAYOUT = `
create table segment (
  run integer not null, number integer not null, first integer not null, last integer not null, version integer not null,
  chain integer not null, parent text, archive text, needs text, crc integer, sum integer not null, body blob,
  primary key (run, number)
) strict;
create index segment_by_end on segment (run, last);
create index segment_parent on segment (run) where parent is not null;
`

/** The name that an entry of a ledger gives a value or deletes. An entry without a value has an empty text. */
const ADD_ENTRY_NAMES = `
alter table ledger add column entry_name text;
create index ledger_by_entry_name on ledger (name, entry_name, seq) where entry_name is not null;
`

/** The retention of a ledger, and what compactions have removed from it (ledger-rows.ts). */
const LEDGER_FACTS = `
create table ledger_facts (
  name text primary key, keep integer, through integer not null, floor integer not null, removed integer not null, sum integer not null
) strict;
`

/** The statements that each layout adds to the one before. */
const LAYOUTS: readonly string[] = [FIRST_LAYOUT, IDENTITY_LAYOUT, ADD_USAGE, SEGMENT_LAYOUT, ADD_ENTRY_NAMES + LEDGER_FACTS]
/** The first layout whose runs have a usage. */
export const USAGE_LAYOUT = LAYOUTS.indexOf(ADD_USAGE) + 1
/** The first layout whose entries have names. */
export const ENTRY_NAME_LAYOUT = LAYOUTS.length

/**
 * The layout of this release; its number is also in the header. A release that changes the layout adds to the list
 * above and checkpoints the change immediately: older releases read the number from the header of the main file before
 * they open it.
 */
export const LAYOUT = LAYOUTS.length

/** Creates the tables that a store of an older layout lacks, inside the caller's transaction. Layout 0 has no tables. */
export function createTables(db: DatabaseSync, from: number, identity: string): void {
  if (from === LAYOUT) return
  db.exec(`${LAYOUTS.slice(from).join('')} pragma application_id = ${APPLICATION}; pragma user_version = ${LAYOUT};`)
  db.prepare('insert or ignore into identity (one, id) values (1, ?)').run(identity)
}

/**
 * Gives a store of an older layout, which is only read, the tables that the statements expect: they exist only in this
 * connection and are empty.
 */
export function addMissingTables(db: DatabaseSync): void {
  const layout = layoutOf(db)
  const missing = `${layout > LAYOUTS.indexOf(SEGMENT_LAYOUT) ? '' : SEGMENT_LAYOUT}${layout >= ENTRY_NAME_LAYOUT ? '' : LEDGER_FACTS}`
  db.exec(missing.replaceAll('create table', 'create temp table').replaceAll('create index ', 'create index temp.'))
}

/** Returns the identity of a store, or undefined if its layout has none. */
export function identityOf(db: DatabaseSync): string | undefined {
  if (layoutOf(db) <= LAYOUTS.indexOf(IDENTITY_LAYOUT)) return undefined
  const id = db.prepare('select id from identity').get()?.['id']
  return typeof id === 'string' ? id : undefined
}

/**
 * True if the store has all tables and indexes of a layout, with exactly these definitions: SQLite trusts the
 * definitions in the file.
 */
export function layoutOf(db: DatabaseSync): number {
  return Number(db.prepare('pragma user_version').get()?.['user_version'])
}

/** Returns a definition from the name on: SQLite keeps this part as it was written. */
export function hasTables(db: DatabaseSync, layout: number): boolean {
  const made = new DatabaseSync(':memory:')
  try {
    made.exec(LAYOUTS.slice(0, layout).join(''))
    const found = new Set(definitionsIn(db))
    return definitionsIn(made).every((sql) => found.has(sql))
  } finally {
    made.close()
  }
}

function definitionsIn(db: DatabaseSync): string[] {
  return db
    .prepare('select sql from sqlite_schema where sql is not null')
    .all()
    .map(({ sql }) => String(sql))
}
