import { postgresFaults, WRITE_ADDRESS } from './faults.ts'

/** The address of a store in Postgres, taken apart. */
export interface PostgresAddress {
  /** As a person may see it: without the password. */
  readonly name: string
  /** A plain identifier, so that it can stand in a statement. */
  readonly schema: string
  /** What `pg` connects with. It may hold a password. */
  readonly connection: string
}

const DEFAULT_SCHEMA = 'reflex'
/** Settings of which the name may be seen. */
const SHOWN_SETTINGS = ['host', 'port', 'user', 'schema']
/** Those of `pg`, and those that addresses of hosted servers bear and `pg` passes over. */
const SETTINGS = [
  ...SHOWN_SETTINGS,
  'password',
  'application_name',
  'options',
  'sslmode',
  'sslcert',
  'sslkey',
  'sslrootcert',
  'sslnegotiation',
  'uselibpqcompat',
  'channel_binding',
  'connect_timeout',
]

/**
 * Takes an address apart: `postgres://USER:PASSWORD@HOST:PORT/DATABASE?schema=NAME`, all but the scheme optional.
 * Throws `R5061`, which repeats no part that could belong to a password.
 */
export function parsePostgresAddress(address: string): PostgresAddress {
  const url = parseUrl(address)
  const unknown = [...url.searchParams.keys()].find((setting) => !SETTINGS.includes(setting))
  if (unknown !== undefined) {
    throw postgresFaults.make('R5061', `"${unknown}" is no setting of a Postgres address`, { fix: `known are ${SETTINGS.join(', ')}` })
  }
  const schema = url.searchParams.get('schema') ?? DEFAULT_SCHEMA
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema) || schema.startsWith('pg_') || schema === 'information_schema') {
    throw postgresFaults.make('R5061', `"${schema}" cannot be the schema of a store`, {
      fix: 'write small letters, digits and _, at most 63, and nothing that belongs to Postgres',
    })
  }
  const name = nameOf(url, schema)
  url.searchParams.delete('schema')
  return { name, schema, connection: url.href }
}

function parseUrl(address: string): URL {
  const url = URL.canParse(address) && /^[a-z]+:\/\//i.test(address) ? new URL(address) : undefined
  // What follows the host is the rest of a password, if there is another @ in it.
  if (url === undefined || url.hash !== '' || `${url.pathname}${url.search}`.includes('@') || !isEncoded(url)) {
    throw postgresFaults.make('R5061', 'the address of the Postgres store cannot be read', { fix: WRITE_ADDRESS })
  }
  return url
}

function isEncoded({ username, password, hostname, pathname }: URL): boolean {
  try {
    return [username, password, hostname, pathname].map(decodeURIComponent).every((part) => !part.includes('\0'))
  } catch {
    return false
  }
}

function nameOf(url: URL, schema: string): string {
  const shown = new URL(url)
  shown.password = ''
  for (const setting of url.searchParams.keys()) if (!SHOWN_SETTINGS.includes(setting)) shown.searchParams.delete(setting)
  if (schema === DEFAULT_SCHEMA) shown.searchParams.delete('schema')
  return shown.href
}
