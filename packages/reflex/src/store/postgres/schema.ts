import { crc32 } from 'node:zlib'
import type { Fault } from '../../kernel/index.ts'
import { postgresFaults, RESTORE_SCHEMA } from './faults.ts'
import type { Client } from './driver.ts'

/** The mark in the header of a store's schema. It distinguishes a store from any other schema. */
const APPLICATION = 'reflex'
/** The first half of the number of the lock for processes that create a schema: "Rflx". */
const LOCK = 0x52666c78
const OLDEST_SERVER = 12

/**
 * The tables, as for SQLite (store/schema.ts); `seq` is in order of arrival in both. Names given by people are compared
 * by code point, whatever the language of the database. Half of each page of runs stays free, so that a commit changes
 * a row in its place.
 */
const firstLayout = (schema: string) => `
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
);
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
const addUsage = (schema: string) => `alter table ${schema}.run add column used text;`

/** The sealed segments of runs, as for SQLite (store/schema.ts). */
const addSegments = (schema: string) => `
create table ${schema}.segment (
  run bigint not null, number bigint not null, first bigint not null, last bigint not null, version bigint not null, chain bigint not null,
  parent text, archive text, needs text, crc bigint, sum bigint not null, body bytea, primary key (run, number)
);
create index segment_by_end on ${schema}.segment (run, last);
create index segment_parent on ${schema}.segment (run) where parent is not null;`

/** The names of entries, and the retention of ledgers with what compactions have removed, as for SQLite (store/schema.ts). */
const addEntryNames = (schema: string) => `
alter table ${schema}.ledger add column entry_name text collate "C";
create index ledger_by_entry_name on ${schema}.ledger (name, entry_name, seq) where entry_name is not null;
create table ${schema}.ledger_facts (
  name text primary key, keep bigint, through bigint not null, floor bigint not null, removed bigint not null, sum bigint not null
);`

/**
 * The transaction that committed a batch: which batches a reader has not seen can be told from a snapshot of the transactions. Batches of
 * older layouts have none. The transaction numbers of a server never go back, but those of another server may be lower.
 */
const addTransactions = (schema: string) => `
alter table ${schema}.journal add column moved bigint;
alter table ${schema}.journal alter column moved set default txid_current();
create index journal_by_transaction on ${schema}.journal (moved, run, first);`

/**
 * Indexes that lead to few runs among millions: those with a due time (in order of it), those that run, those that are open or went wrong
 * (in order of the lists). The index of all open runs by number is not needed any more. The status of a run is part of all these
 * indexes: a commit that changes neither it nor the due time still changes the row in its place.
 */
const addDue = (schema: string) => `
create index run_due on ${schema}.run (due) where status in ('running', 'suspended') and due is not null;
create index run_running on ${schema}.run (seq) where status = 'running';
create index run_open_by_start on ${schema}.run (started desc, seq desc) where status in ('running', 'suspended');
create index run_stopped_by_start on ${schema}.run (started desc, seq desc) where status in ('failed', 'cancelled');
drop index ${schema}.run_open;`

/** The statements from each layout to the next one, beginning without tables. A release that changes the layout adds to them. */
const MIGRATIONS: readonly ((schema: string) => string)[] = [firstLayout, addUsage, addSegments, addEntryNames, addTransactions, addDue]
export const LAYOUT = MIGRATIONS.length
const FIRST_TABLES = ['header', 'run', 'journal', 'snapshot', 'program', 'blob', 'inbox', 'worker', 'ledger']
const TABLES = [...FIRST_TABLES, 'segment', 'ledger_facts']

/** A schema, and the name of its store in faults. */
export interface SchemaPlace {
  readonly schema: string
  readonly name: string
}

/**
 * Ensures that the schema contains a store of this layout: creates it if it is missing, migrates an older one. If
 * several processes do this at once, one of them works, in one transaction, and the others wait. Throws `R5066` to
 * `R5068` and `R5071`.
 */
export async function prepareSchema(client: Client, place: SchemaPlace): Promise<void> {
  if ((await layoutOf(client, place)) === LAYOUT) return
  await client.query({ text: 'begin' })
  try {
    await client.query({ text: 'select pg_advisory_xact_lock($1, $2)', values: [LOCK, crc32(place.schema) | 0] })
    await migrate(client, place, await layoutOf(client, place))
    await client.query({ text: 'commit' })
  } catch (thrown) {
    // The first error is reported; a lost connection ends the transaction too.
    await client.query({ text: 'rollback' }).catch(() => undefined)
    throw thrown
  }
}

async function migrate(client: Client, { schema }: SchemaPlace, layout: number): Promise<void> {
  if (layout === LAYOUT) return
  const { rows } = await client.query({ text: 'select 1 from pg_catalog.pg_namespace where nspname = $1', values: [schema] })
  // `if not exists` requires the permission to create a schema even if it exists.
  if (rows.length === 0) await client.query({ text: `create schema "${schema}"` })
  // Pending writers finish first; later ones see the new layout and write nothing.
  if (layout > 0)
    await client.query({ text: `lock table ${FIRST_TABLES.map((table) => `"${schema}".${table}`).join(', ')} in share row exclusive mode` })
  for (const step of MIGRATIONS.slice(layout)) await client.query({ text: step(`"${schema}"`) })
  await client.query({
    text: `insert into "${schema}".header (application, layout) values ($1, $2) on conflict (one) do update set layout = excluded.layout`,
    values: [APPLICATION, LAYOUT],
  })
}

interface SchemaFacts {
  readonly version: number
  readonly encoding: string
  readonly relations: string
  /** The owner of the schema if it is another, untrusted user of the server. */
  readonly stranger: string | null
  /** The names of views and foreign tables: these compute their rows or rewrite writes. */
  readonly computed: string | null
}

const FACTS = `select current_setting('server_version_num')::integer / 10000 as version, current_setting('server_encoding') as encoding,
  coalesce((select string_agg(relname, ' ') from pg_catalog.pg_class join pg_catalog.pg_namespace on pg_namespace.oid = relnamespace
    where nspname = $1 and relkind in ('r', 'p', 'v', 'm', 'f')), '') as relations,
  (select rolname from pg_catalog.pg_namespace join pg_catalog.pg_roles on pg_roles.oid = nspowner
    where nspname = $1 and not rolsuper and not pg_has_role(current_user, nspowner, 'member')
      and nspowner <> (select datdba from pg_catalog.pg_database where datname = current_database())) as stranger,
  (select string_agg(relname, ', ') from pg_catalog.pg_class join pg_catalog.pg_namespace on pg_namespace.oid = relnamespace
    where nspname = $1 and relkind in ('v', 'm', 'f')) as computed`

/** Returns the layout of the store in a schema, 0 if the schema is empty. */
async function layoutOf(client: Client, { schema, name }: SchemaPlace): Promise<number> {
  const { rows } = await client.query({ text: FACTS, values: [schema] })
  const { version, encoding, relations, stranger, computed } = rows[0] as SchemaFacts
  if (version < OLDEST_SERVER || encoding !== 'UTF8') {
    throw postgresFaults.make(
      'R5071',
      `the database of ${name} cannot be a store: it is Postgres ${version} with the encoding ${encoding}`,
      {
        fix: `use Postgres ${OLDEST_SERVER} or later, and a database with the encoding UTF8`,
      },
    )
  }
  // Triggers, defaults and views of that user would run with the permissions of this one.
  if (stranger !== null) throw foreignSchema(name, `belongs to the user ${stranger}`)
  if (relations === '') return 0
  const tables = new Set(relations.split(' '))
  if (!tables.has('header')) throw foreignSchema(name, `contains other tables: ${[...tables].slice(0, 3).join(', ')}`)
  if (computed !== null) throw foreignSchema(name, `contains views: ${computed}`)
  const { rows: headers } = await client.query({ text: `select application, layout from "${schema}".header` })
  const [header] = headers as { readonly application: string; readonly layout: number }[]
  if (header?.application !== APPLICATION) throw foreignSchema(name, 'belongs to another program')
  return judgeLayout(header.layout, tables, name)
}

function judgeLayout(layout: number, tables: ReadonlySet<string>, name: string): number {
  if (layout > LAYOUT) throw newerLayout(String(layout), name)
  const missing = TABLES.filter((table) => !tables.has(table))
  if (layout === LAYOUT && missing.length > 0) {
    throw postgresFaults.make('R5068', `the store ${name} has no table ${missing.join(', ')}`, { fix: RESTORE_SCHEMA })
  }
  return layout
}

/** Returns the fault `R5067` for a layout of a newer release. */
export function newerLayout(layout: string, name: string): Fault {
  return postgresFaults.make('R5067', `the store ${name} has layout ${layout}; this release knows up to ${LAYOUT}`, {
    fix: 'use the release that made it, or a later one',
  })
}

function foreignSchema(name: string, what: string): Error {
  return postgresFaults.make('R5066', `the schema of ${name} ${what}`, { fix: 'name another schema with ?schema=NAME' })
}
