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
  /** The partitions of the journal, if the schema is created. */
  readonly partitions: number
}

const DEFAULT_SCHEMA = 'reflex'
/** Four for commits, messages and readers, two for heartbeats, one for announcements; at least one of each. */
const CONNECTIONS = { name: 'connections', least: 3, most: 100, normal: 7 }
const PARTITIONS = { name: 'partitions', least: 1, most: 256, normal: 1 }
/** The settings that are part of the displayed name. */
const SHOWN_SETTINGS = ['host', 'port', 'user', 'schema']
/** The settings of `pg`, and those that `pg` ignores but addresses of hosted servers contain. */
const SETTINGS = [
  ...SHOWN_SETTINGS,
  'connections',
  'partitions',
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
 * Parses an address: `postgres://USER:PASSWORD@HOST:PORT/DATABASE?schema=NAME&connections=N&partitions=N`. Everything but the scheme is optional.
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
  const [connections, partitions] = [parseNumber(url, CONNECTIONS), parseNumber(url, PARTITIONS)]
  for (const setting of ['schema', 'connections', 'partitions']) url.searchParams.delete(setting)
  return { name, schema, connection: url.href, connections, partitions }
}

function parseNumber({ searchParams }: URL, { name, least, most, normal }: typeof CONNECTIONS): number {
  const text = searchParams.get(name)
  if (text === null) return normal
  const value = /^\d{1,3}$/.test(text) ? Number(text) : -1
  if (value >= least && value <= most) return value
  throw postgresFaults.make('R5061', `"${text}" cannot be the number of ${name} of a store`, {
    fix: `write a number from ${least} to ${most}`,
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
