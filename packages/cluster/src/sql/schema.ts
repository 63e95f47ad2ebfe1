import { clusterFaults } from 'reflex-runtime/store'
import type { Connection } from '../connection.ts'
import { calls } from './calls.ts'
import { functions } from './functions.ts'
import { marking } from './marking.ts'
import type { Names } from './names.ts'
import { tables } from './tables.ts'
import { strand, tick } from './tick.ts'

const APPLICATION = 'reflex-cluster'
/** The steps from each layout to the next one. A release that changes tables or functions adds a step, if need be an empty one. */
const MIGRATIONS: readonly ((names: Names) => string)[] = [tables]
const LAYOUT = MIGRATIONS.length

/**
 * Creates the schema of the cluster, or brings it up to this release, in one transaction. Throws `R5102` for a schema of something
 * else, and `R5103` for one of a newer release.
 */
export async function prepareSchema(connection: Connection, names: Names): Promise<void> {
  if ((await layoutOf(connection, names)) === LAYOUT) return
  await connection.transaction(async (query) => {
    await query("select pg_advisory_xact_lock(hashtext('reflex cluster schema'), hashtext($1))", [names.own])
    const layout = await layoutOf({ ...connection, query }, names)
    if (layout === LAYOUT) return
    await query(`create schema if not exists ${names.own}`)
    for (const step of MIGRATIONS.slice(layout)) await query(step(names))
    await query(
      `insert into ${names.own}.header (application, layout) values ($1, $2) on conflict (one) do update set layout = excluded.layout`,
      [APPLICATION, LAYOUT],
    )
    await query(functions(names))
    await query(marking(names))
    await query(tick(names))
    await query(strand(names))
    await query(calls(names))
  })
}

/** Returns the layout of a cluster's schema; 0 if it does not exist or is empty. */
export async function layoutOf({ query, shown }: Pick<Connection, 'query' | 'shown'>, { own }: Names): Promise<number> {
  const schema = own.slice(1, -1)
  const relations = await query<{ name: string }>(
    `select relname as name from pg_catalog.pg_class join pg_catalog.pg_namespace on pg_namespace.oid = relnamespace
      where nspname = $1 and relkind in ('r', 'p', 'v', 'm', 'f')`,
    [schema],
  )
  if (relations.length === 0) return 0
  if (!relations.some(({ name }) => name === 'header')) throw foreignSchema(schema, shown)
  const [header] = await query<{ application: string; layout: number }>(`select application, layout from ${own}.header`)
  if (header?.application !== APPLICATION) throw foreignSchema(schema, shown)
  if (header.layout <= LAYOUT) return header.layout
  throw clusterFaults.make('R5103', `the cluster of ${shown} has layout ${header.layout}; this release knows up to ${LAYOUT}`, {
    fix: 'use the release that made it, or a later one',
  })
}

function foreignSchema(schema: string, shown: string): Error {
  return clusterFaults.make('R5102', `the schema ${schema} of ${shown} contains other tables`, {
    fix: 'name another schema for the store with ?schema=NAME',
  })
}
