type Name = 'runs' | 'open' | 'unread'

/** Find the name and the kind in the JSON of a program: a cast to JSON would fail for a damaged one. */
const JSON_TEXT = String.raw`"(?:[^"\\]|\\.)*"`
const PIN_NAME = `'^\\[(${JSON_TEXT})'`
const PIN_KIND = `'^\\[${JSON_TEXT},(${JSON_TEXT})'`

/**
 * Returns the statements that look for runs among all runs: in a store with a million of them, each must find its few by an
 * index. `run` selects whole rows, and `base` is the column with the record before the first one.
 */
export function listStatements(at: string, run: string, base: string): Readonly<Record<Name, string>> {
  return {
    // The planner sees the wanted statuses, and uses the index of the open runs or of those that went wrong.
    runs: `${run} where ($1::text[] is null or status = any($1)) and ($2::text is null or trace = $2 or run.id ^@ $2)
      and ($3::text is null or ${isPart('$3', PIN_KIND)}) and ($4::text is null or ${isPart('$4', PIN_NAME)})
      and updated >= $5 and updated < $6 and (started, run.seq) < ($7, $8) order by started desc, run.seq desc limit $9`,
    // Each branch of the union has an index of its own, so runs that sleep are not read. A run with an owner that is certainly alive
    // is left out; $2 are the hosts whose processes the caller can check.
    open: `with told as (select run, min(at) filter (where type <> 'message') as told,
        min(at) filter (where type = 'message') as heard, json_agg(target) filter (where type = 'message') as topics
        from ${at}.inbox where taken is null group by run
      ), found as (
        select seq from ${at}.run where status = 'running'
        union select seq from ${at}.run where status in ('running', 'suspended') and due <= $1
        union select run from told
      )
      select run.id, status, last, ${base}, updated, run.due, told.told, told.heard, told.topics::text as topics,
      case when told.topics is null then null else waits end as waits, owner, worker.id as worker, host, pid, place, began, seen, ttl
      from found join ${at}.run on run.seq = found.seq left join ${at}.worker on worker.id = run.owner left join told on told.run = run.seq
      where status in ('running', 'suspended') and (worker.id is null or host = any($2) or $1 - seen >= ttl) order by run.seq`,
    // The index leads from run to run, past the messages between them. If more than $3 runs have messages, those that the caller
    // holds are looked at instead ($2).
    unread: `with recursive unread (run, nth) as ((select min(run), 1 from ${at}.inbox where taken is null)
        union all select (select min(run) from ${at}.inbox where taken is null and inbox.run > unread.run), nth + 1
          from unread where run is not null and nth <= $3),
      found (run) as (select run from unread where (select count(*) from unread) <= $3
        union all select unnest($2::bigint[]) where (select count(*) from unread) > $3)
      select run.id as run, newest.seq::text as mark from found join ${at}.run on run.seq = found.run
        cross join lateral (select max(inbox.seq) as seq from ${at}.inbox where inbox.run = found.run and taken is null) as newest
      where owner = $1 and newest.seq is not null`,
  }
}

/** The first condition is cheap, and false for nearly every other program. */
function isPart(wanted: string, pattern: string): string {
  return `case when position(${wanted} in program) > 0 then substring(program from ${pattern}) = ${wanted} else false end`
}
