import { postgresFaults, WRITE_ADDRESS } from './faults.ts'

/** The parts of the address of a store in Postgres. */
export interface PostgresAddress {
  /** The address without the password, for display. */
  readonly name: string
  /** A plain identifier that can be part of a statement. */
  readonly schema: string
  /** The connection string for `pg`. It may contain a password. */
  readonly connection: string
  /** The most connections that a store keeps at the same time. */
  readonly connections: number
}

const DEFAULT_SCHEMA = 'reflex'
/** Four for commits, messages and readers, two for heartbeats, one for announcements. */
const DEFAULT_CONNECTIONS = 7
/** One of each. */
const FEWEST_CONNECTIONS = 3
const MOST_CONNECTIONS = 100
/** The settings that are part of the displayed name. */
const SHOWN_SETTINGS = ['host', 'port', 'user', 'schema']
/** The settings of `pg`, and those that `pg` ignores but addresses of hosted servers contain. */
const SETTINGS = [
  ...SHOWN_SETTINGS,
  'connections',
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
 * Parses an address: `postgres://USER:PASSWORD@HOST:PORT/DATABASE?schema=NAME&connections=N`. Everything but the scheme is optional.
 * Throws `R5061`; its message repeats no part that could belong to a password.
 */
export function parsePostgresAddress(address: string): PostgresAddress {
  const url = parseUrl(address)
  const unknown = [...url.searchParams.keys()].find((setting) => !SETTINGS.includes(setting))
  if (unknown !== undefined) {
    throw postgresFaults.make('R5061', `"${unknown}" is not a setting of a Postgres address`, {
      fix: `known settings are ${SETTINGS.join(', ')}`,
    })
  }
  const schema = url.searchParams.get('schema') ?? DEFAULT_SCHEMA
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema) || schema.startsWith('pg_') || schema === 'information_schema') {
    throw postgresFaults.make('R5061', `"${schema}" cannot be the schema of a store`, {
      fix: 'write at most 63 lowercase letters, digits and _; names of Postgres itself are not allowed',
    })
  }
  const name = nameOf(url, schema)
  const connections = parseConnections(url.searchParams.get('connections'))
  url.searchParams.delete('schema')
  url.searchParams.delete('connections')
  return { name, schema, connection: url.href, connections }
}

function parseConnections(text: string | null): number {
  if (text === null) return DEFAULT_CONNECTIONS
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (count >= FEWEST_CONNECTIONS && count <= MOST_CONNECTIONS) return count
  throw postgresFaults.make('R5061', `"${text}" cannot be the number of connections of a store`, {
    fix: `write a number from ${FEWEST_CONNECTIONS} to ${MOST_CONNECTIONS}`,
  })
}

function parseUrl(address: string): URL {
  const url = URL.canParse(address) && /^[a-z]+:\/\//i.test(address) ? new URL(address) : undefined
  // If a second @ follows the host, the text before it is the rest of a password.
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
