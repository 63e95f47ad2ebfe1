import { crc32 } from 'node:zlib'
import type { Fault } from '../../kernel/index.ts'
import { postgresFaults, RESTORE_SCHEMA } from './faults.ts'
import type { Client } from './driver.ts'
import { FIRST_TABLES, LAYOUT, MIGRATIONS, TABLES } from './layouts.ts'

/** The mark in the header of a store's schema. It distinguishes a store from any other schema. */
const APPLICATION = 'reflex'
/** The first half of the number of the lock for processes that create a schema: "Rflx". */
const LOCK = 0x52666c78
const OLDEST_SERVER = 12

/** A schema, and the name of its store in faults. */
export interface SchemaPlace {
  readonly schema: string
  readonly name: string
  /** The partitions of the journal, if the schema is created. */
  readonly partitions: number
}

/**
 * Ensures that the schema contains a store of this layout: creates it if it is missing, migrates an older one. If
 * several processes do this at once, one of them works, in one transaction, and the others wait. Throws `R5066` to
 * `R5068` and `R5071`.
 */
export async function prepareSchema(client: Client, place: SchemaPlace): Promise<void> {
  if ((await layoutOf(client, place)).layout === LAYOUT) return
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

async function migrate(client: Client, { schema, partitions }: SchemaPlace, { layout, version }: FoundLayout): Promise<void> {
  if (layout === LAYOUT) return
  const { rows } = await client.query({ text: 'select 1 from pg_catalog.pg_namespace where nspname = $1', values: [schema] })
  // `if not exists` requires the permission to create a schema even if it exists.
  if (rows.length === 0) await client.query({ text: `create schema "${schema}"` })
  // Pending writers finish first; later ones see the new layout and write nothing.
  if (layout > 0)
    await client.query({ text: `lock table ${FIRST_TABLES.map((table) => `"${schema}".${table}`).join(', ')} in share row exclusive mode` })
  const plan = { schema: `"${schema}"`, partitions: layout === 0 ? partitions : 1, version }
  for (const step of MIGRATIONS.slice(layout)) await client.query({ text: step(plan) })
  await client.query({
    text: `insert into "${schema}".header (application, layout) values ($1, $2) on conflict (one) do update set layout = excluded.layout`,
    values: [APPLICATION, LAYOUT],
  })
}

/** The layout of a schema, 0 if it is empty, and the first number of the version of its server. */
interface FoundLayout {
  readonly layout: number
  readonly version: number
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

/** Returns the layout of the store in a schema. */
async function layoutOf(client: Client, { schema, name }: SchemaPlace): Promise<FoundLayout> {
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
  if (relations === '') return { layout: 0, version }
  const tables = new Set(relations.split(' '))
  if (!tables.has('header')) throw foreignSchema(name, `contains other tables: ${[...tables].slice(0, 3).join(', ')}`)
  if (computed !== null) throw foreignSchema(name, `contains views: ${computed}`)
  const { rows: headers } = await client.query({ text: `select application, layout from "${schema}".header` })
  const [header] = headers as { readonly application: string; readonly layout: number }[]
  if (header?.application !== APPLICATION) throw foreignSchema(name, 'belongs to another program')
  return { layout: judgeLayout(header.layout, tables, name), version }
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
