import { defineFaults } from '../../kernel/journal/fault.ts'

/** What to do about several of them, as a line beside the message. */
export const WRITE_ADDRESS =
  'write postgres://USER:PASSWORD@HOST:PORT/DATABASE?schema=NAME; in a password, % @ : / ? # are written %25 %40 %3A %2F %3F %23'
export const RESTORE_SCHEMA = 'restore the schema from a copy, or name another one with ?schema=NAME'

/** The part of the catalogue for stores in Postgres. What holds for every store has the codes of the kernel and of the store. */
export const postgresFaults = defineFaults({
  R5060: {
    title: 'The package pg is not installed',
    verdict: 'fail',
    when: 'when a store is used first',
    means: 'A store in Postgres needs the package pg, which Reflex does not bring along.',
    fix: 'npm install pg',
  },
  R5061: {
    title: 'The address of a Postgres store cannot be read',
    verdict: 'fail',
    when: 'when a store is opened',
    means: 'The address is not postgres://USER:PASSWORD@HOST:PORT/DATABASE, or it has a setting that is not known. Nothing was connected.',
    often: 'a password with a character such as @ or / that is not written as %40 or %2F, a misspelt setting after the question mark',
    fix: 'Write the address as above; ?schema=NAME names the schema, small letters, digits and _.',
  },
  R5062: {
    title: 'The Postgres server does not answer',
    verdict: 'retry',
    when: 'when a store is used first',
    means: 'Nobody answers at this address, or what answers cannot be talked to. Nothing was written.',
    often: 'a server that is not running, a wrong host or port, a firewall, a server that wants TLS or does not offer it',
    fix: 'Read the cause, start the server or correct the address, then try again.',
  },
  R5063: {
    title: 'Postgres refuses the user',
    verdict: 'fail',
    when: 'when a store is used first, or after its connection was lost',
    means: 'The server does not know the user, or the password is wrong, or its rules let nobody in from here.',
    often: 'a wrong password, no password where one is asked for, a missing line in pg_hba.conf',
    fix: 'Correct the user and the password in the address, or set PGPASSWORD.',
  },
  R5064: {
    title: 'The database does not exist',
    verdict: 'fail',
    when: 'when a store is used first, or after its connection was lost',
    means: 'The server has no database of this name. Reflex makes its schema by itself, and never a database.',
    often: 'a misspelt name, a database that was dropped',
    fix: 'createdb NAME, or name another one.',
  },
  R5065: {
    title: 'The user may not write to the store',
    verdict: 'fail',
    when: 'at any time',
    means: 'The server refused the statement: the user lacks a right, or the server may only be read. Nothing was written.',
    often: 'a user without rights on the schema, a schema that does not exist yet and may not be made, a standby server',
    fix: 'Grant the right (create on the database once, later select, insert, update and delete on the tables), or name another user.',
  },
  R5066: {
    title: 'The schema is not a store of Reflex',
    verdict: 'fail',
    when: 'when a store is used first',
    means:
      'The schema holds tables of something else, or belongs to another user, who is no superuser and does not own the database: what that user puts there would run with your rights. It was not changed.',
    often: 'the schema of an application after ?schema=, such as public; a schema that another user has made first',
    fix: 'Name another schema with ?schema=NAME; one that does not exist yet, or is empty, is made a store.',
  },
  R5067: {
    title: 'The schema was made by a newer release',
    verdict: 'fail',
    when: 'when a store is used first, or when it is written after a newer release has raised its layout',
    means:
      'The layout of the schema has a higher number than this release knows. Nothing was written. Runs of this process end here and stay as they are in the store.',
    often: 'a newer release on another machine that opened the same store',
    fix: 'Use the release that made it, or a later one, and resume the runs there.',
  },
  R5068: {
    title: 'The schema is damaged',
    verdict: 'fail',
    when: 'at any time',
    means: 'A table or a column of the store is missing, or the server found its files damaged. Nothing was written.',
    often: 'a schema that was dropped or changed by hand, a restore that was not complete, a failing disk',
    fix: 'Restore the schema from a copy.',
  },
  R5069: {
    title: 'The connection to Postgres was lost',
    verdict: 'retry',
    when: 'at any time',
    means: 'The server went away and did not come back in time. The call wrote nothing; the next one connects again.',
    often: 'a restart of the server, a network that went down, an administrator who ended the connection',
    fix: 'Wait until the server is back, then resume.',
  },
  R5070: {
    title: 'It is not known whether the store has written',
    verdict: 'wait',
    when: 'during a run',
    means:
      'The connection was lost between the request to write and its answer, and the server could not be asked afterwards. Either all of it was written or nothing; no effect that waited for it was performed.',
    often: 'a server that crashed and stays away, a network that went down',
    fix: 'Wait until the server is back, then resume: the run goes on from what the store holds.',
  },
  R5071: {
    title: 'The database cannot be a store',
    verdict: 'fail',
    when: 'when a store is used first',
    means: 'A store needs Postgres 12 or later, and a database with the encoding UTF8. Nothing was changed.',
    fix: "Use a newer server, or create database NAME encoding 'UTF8' template template0.",
  },
  R5072: {
    title: 'The Postgres server has no room for this',
    verdict: 'retry',
    when: 'at any time',
    means: 'The server has too many connections, too little memory, or took too long. Nothing was written.',
    often: 'more workers than max_connections allows, a server under heavy load',
    fix: 'Try again later; if it stays so, give the server more room.',
  },
  R5073: {
    title: 'Postgres refused a statement',
    verdict: 'fail',
    when: 'at any time',
    means: 'The server answered with an error that is none of the others. Nothing was written.',
    often: 'a name of thousands of characters, a setting of the server that forbids what a store does',
    fix: 'Read the cause.',
  },
})
