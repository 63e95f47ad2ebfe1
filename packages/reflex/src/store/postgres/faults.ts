import { defineFaults, type Fault } from '../../kernel/index.ts'

/** The fixes that several faults share. */
export const WRITE_ADDRESS =
  'write postgres://USER:PASSWORD@HOST:PORT/DATABASE?schema=NAME; in a password, % @ : / ? # are written %25 %40 %3A %2F %3F %23'
export const RESTORE_SCHEMA = 'restore the schema from a copy, or name another schema with ?schema=NAME'

/**
 * The catalogue's part for stores in Postgres. Faults that apply to every store have the codes of the kernel and of the
 * store.
 */
export const postgresFaults = defineFaults({
  R5060: {
    title: 'The package pg is not installed',
    verdict: 'fail',
    when: 'when a store is first used',
    means: 'A store in Postgres needs the package pg, which Reflex does not install.',
    fix: 'npm install pg',
  },
  R5061: {
    title: 'The address of a Postgres store cannot be read',
    verdict: 'fail',
    when: 'when a store is opened',
    means:
      'The address is not postgres://USER:PASSWORD@HOST:PORT/DATABASE, or it has a setting that is unknown or that the pooler in front of the server refuses. Nothing was written.',
    often: 'a password with a character such as @ or / that is not written as %40 or %2F, a misspelt setting after the question mark',
    fix: 'Write the address in this form; ?schema=NAME names the schema in lowercase letters, digits and _; ?connections=N is from 3 to 100.',
  },
  R5062: {
    title: 'The Postgres server does not answer',
    verdict: 'retry',
    when: 'when a store is first used',
    means: 'No server answers at this address, or the answer is not that of a usable Postgres server. Nothing was written.',
    often: 'a server that is not running, a wrong host or port, a firewall, a server that requires TLS or does not offer it',
    fix: 'Read the cause, start the server or correct the address, then try again.',
  },
  R5063: {
    title: 'Postgres refuses the user',
    verdict: 'fail',
    when: 'when a store is first used, or after its connection was lost',
    means: 'The server does not know the user, or the password is wrong, or its rules do not allow connections from this machine.',
    often: 'a wrong password, no password where one is required, a missing line in pg_hba.conf',
    fix: 'Correct the user and the password in the address, or set PGPASSWORD.',
  },
  R5064: {
    title: 'The database does not exist',
    verdict: 'fail',
    when: 'when a store is first used, or after its connection was lost',
    means: 'The server has no database of this name. Reflex creates its schema, but never a database.',
    often: 'a misspelt name, a database that was dropped',
    fix: 'createdb NAME, or name another database.',
  },
  R5065: {
    title: 'The user has no permission to write to the store',
    verdict: 'fail',
    when: 'at any time',
    means: 'The server refused the statement because the user lacks a permission. Nothing was written.',
    often: 'a user without permissions on the schema, a missing schema that the user may not create',
    fix: 'Grant the permission (create on the database once, later select, insert, update and delete on the tables), or name another user.',
  },
  R5066: {
    title: 'The schema is not a store of Reflex',
    verdict: 'fail',
    when: 'when a store is first used',
    means:
      'The schema contains tables of another application, or it belongs to another user who is not a superuser and does not own the database: objects of that user would run with your permissions. It was not changed.',
    often: 'the schema of an application after ?schema=, such as public; a schema that another user created first',
    fix: 'Name another schema with ?schema=NAME; a missing or empty schema becomes a store.',
  },
  R5067: {
    title: 'The schema was made by a newer release',
    verdict: 'fail',
    when: 'when a store is first used, or when it is written after a newer release has raised its layout',
    means:
      'The layout number of the schema is higher than this release knows. Nothing was written. This process stops its runs; in the store they stay unchanged.',
    often: 'a newer release on another machine that opened the same store',
    fix: 'Use the release that made it, or a later one, and resume the runs there.',
  },
  R5068: {
    title: 'The schema is damaged',
    verdict: 'fail',
    when: 'at any time',
    means: 'A table or a column of the store is missing, or the server found its files damaged. Nothing was written.',
    often: 'a schema that was dropped or changed by hand, an incomplete restore, a failing disk',
    fix: 'Restore the schema from a copy.',
  },
  R5069: {
    title: 'The connection to Postgres was lost',
    verdict: 'retry',
    when: 'at any time',
    means: 'The server was lost and did not return in time. The call wrote nothing; the next call connects again.',
    often: 'a restart of the server, a network failure, an administrator who ended the connection',
    fix: 'Wait until the server is back, then resume.',
  },
  R5070: {
    title: 'The outcome of the last write is unknown',
    verdict: 'wait',
    when: 'during a run',
    means:
      'The connection was lost between the request to write and its answer, and the server could not be asked afterwards. Either all of it was written or none of it; no effect that waited for it was performed.',
    often: 'a server that crashed and did not return, a network failure',
    fix: 'Wait until the server is back, then resume: the run continues from the records in the store.',
  },
  R5071: {
    title: 'The database cannot be a store',
    verdict: 'fail',
    when: 'when a store is first used',
    means: 'A store needs Postgres 12 or later, and a database with the encoding UTF8. Nothing was changed.',
    fix: "Use a newer server, or create database NAME encoding 'UTF8' template template0.",
  },
  R5072: {
    title: 'The Postgres server has no free resources',
    verdict: 'retry',
    when: 'at any time',
    means: 'The server has too many connections, too little memory, or took too long. Nothing was written.',
    often: 'more workers than max_connections allows, a server under heavy load',
    fix: 'Try again later; if the error remains, give the server more connections or memory.',
  },
  R5073: {
    title: 'Postgres refused a statement',
    verdict: 'fail',
    when: 'at any time',
    means: 'The server answered with an error that has no code of its own here. Nothing was written.',
    often: 'a name of thousands of characters, a setting of the server that forbids what a store does',
    fix: 'Read the cause.',
  },
  R5074: {
    title: 'A pooler in front of Postgres shares its sessions',
    verdict: 'fail',
    when: 'when a store is first used',
    means:
      'A pooler such as PgBouncer in transaction mode gives each transaction of a client another session of the server. Settings, prepared statements and announcements belong to a session, so a store cannot use it. Nothing was written.',
    often: 'pool_mode = transaction or statement in PgBouncer, the port of a hosted pooler such as 6543 in place of 5432',
    fix: 'Name the port of the server itself or a pool with pool_mode = session; ?connections=N limits the connections of each process.',
  },
  R5075: {
    title: 'The Postgres server is read-only',
    verdict: 'wait',
    when: 'at any time',
    means:
      'The server accepts no writes: it is a standby, or default_transaction_read_only is on. Nothing was written. Runs, traces and questions can still be read.',
    often: 'an address of a standby, a former primary after a failover, a provider that stops writes because the disk is nearly full',
    fix: 'Name the primary server or wait until this one accepts writes, then resume.',
  },
})

/** Returns the fault `R5074` for sessions that several clients share. */
export function sharedSessions(store: string, cause?: unknown): Fault {
  return postgresFaults.make('R5074', `the address of ${store} leads to a pooler that shares its sessions among clients`, {
    ...(cause === undefined ? {} : { cause }),
    fix: 'name the port of the server itself, or a pool with pool_mode = session',
  })
}
