import { lockNumber, SWEEP_LOCK } from './locks.ts'

type Name =
  | 'begin'
  | 'hold'
  | 'holdLedger'
  | 'keep'
  | 'undo'
  | 'all'
  | 'grown'
  | 'journals'
  | 'forks'
  | 'ledgers'
  | 'programs'
  | 'blobs'
  | 'still'
  | 'dropRuns'
  | 'dropPrograms'
  | 'dropBlobs'

/** The most runs that other sessions may be creating at the same time. */
export const OVERLAP = 1000

/**
 * Returns the statements of a sweep. Only a sweep runs several statements in one transaction. Meanwhile, a commit that
 * brings programs or values waits, and so does a new entry of a ledger.
 */
export function sweepStatements(at: string, run: string, schema: string, current: string): Readonly<Record<Name, string>> {
  return {
    begin: 'begin',
    hold: `select pg_advisory_xact_lock(${SWEEP_LOCK}, ${lockNumber(schema)})`,
    holdLedger: `lock table ${at}.ledger in share mode`,
    keep: 'commit',
    undo: 'rollback',
    all: `${run} order by run.seq`,
    // Numbers are assigned before a run is committed: a run with a slightly lower number may be new here.
    grown: `${run} left join unnest($1::bigint[], $2::bigint[]) as known (number, upto) on known.number = run.seq
      where (known.number is not null or run.seq > $3 - ${OVERLAP}) and run.last is distinct from known.upto`,
    journals: `select run, first, count, version, sum, body from ${at}.journal where run = any($1) order by run, first`,
    forks: `select id, version, body from ${at}.journal join ${at}.run on run.seq = journal.run
      where first = 1 and position($1 in body) > 0 and run.seq > $2 - ${OVERLAP}`,
    ledgers: `select name, seq, value from ${at}.ledger where seq > coalesce(($1::jsonb ->> name)::bigint, 0) order by name, seq`,
    programs: `select hash from ${at}.program`,
    blobs: `select hash from ${at}.blob`,
    still: `select seq from ${at}.run where seq = any($1)`,
    dropRuns: `with unchanged as materialized (
        select run.seq from ${at}.run join unnest($1::bigint[], $2::bigint[], $3::bigint[]) as given (seq, token, last) on given.seq = run.seq
        where run.token = given.token and run.last = given.last and ${current} order by run.seq for update of run
      ), journals as (delete from ${at}.journal where run in (select seq from unchanged)),
      snapshots as (delete from ${at}.snapshot where run in (select seq from unchanged)),
      messages as (delete from ${at}.inbox where run in (select seq from unchanged)),
      segments as (delete from ${at}.segment where run in (select seq from unchanged))
      delete from ${at}.run where seq in (select seq from unchanged) returning seq`,
    dropPrograms: `delete from ${at}.program where hash = any($1) and ${current}`,
    dropBlobs: `delete from ${at}.blob where hash = any($1) and ${current}`,
  }
}
