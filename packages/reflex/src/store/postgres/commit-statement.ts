import { lockNumber, SWEEP_LOCK } from './locks.ts'

/**
 * Returns the statement of a whole commit; `held` is the fence, and `current` the condition of every writing statement. It
 * locks the rows of the runs that stand exactly where their writer expects them, in one order for all processes, so that no
 * deadlock occurs; everything else depends on those rows. A commit that brings programs or values waits for a sweep that removes some, before it checks which of
 * its own exist.
 */
export function commitStatement(at: string, schema: string, current: string): string {
  return `with moving as (
      select * from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[],
        $9::text[], $10::text[], $11::text[], $34::text[])
        as moving (run, token, before, last, chain, sum, updated, due, status, waits, value, used)
    ), held as materialized (
      select run.seq from ${at}.run join moving on moving.run = run.seq
      where run.token = moving.token and run.last = moving.before and ${current} order by run.seq for update of run
    ), moved as (
      update ${at}.run set last = moving.last, chain = moving.chain, sum = moving.sum, updated = moving.updated, due = moving.due,
        status = moving.status, waits = moving.waits, value = moving.value, used = moving.used
      from held join moving on moving.run = held.seq where run.seq = held.seq returning run.seq
    ), records as (
      insert into ${at}.journal (run, first, count, version, sum, body) select given.*
      from unnest($12::bigint[], $13::bigint[], $14::bigint[], $15::bigint[], $16::bigint[], $17::text[])
        as given (run, first, count, version, sum, body) join moved on moved.seq = given.run
    ), snapshots as (
      insert into ${at}.snapshot (run, at, sum, body) select given.*
      from unnest($18::bigint[], $19::bigint[], $20::bigint[], $21::text[]) as given (run, at, sum, body) join moved on moved.seq = given.run
    ), swept as materialized (
      select pg_advisory_xact_lock_shared(${SWEEP_LOCK}, ${lockNumber(schema)}) where cardinality($23::text[]) + cardinality($28::text[]) > 0
    ), programs as (
      insert into ${at}.program (hash, kind, sum, source) select hash, kind, sum, source
      from unnest($22::bigint[], $23::text[], $24::text[], $25::bigint[], $26::text[]) as given (run, hash, kind, sum, source)
      join moved on moved.seq = given.run where (select count(*) from swept) > 0 order by hash on conflict (hash) do nothing
    ), blobs as (
      insert into ${at}.blob (hash, sum, body) select hash, sum, body
      from unnest($27::bigint[], $28::text[], $29::bigint[], $30::text[]) as given (run, hash, sum, body)
      join moved on moved.seq = given.run where (select count(*) from swept) > 0 order by hash on conflict (hash) do nothing
    ), messages as (
      update ${at}.inbox set taken = given.at from unnest($31::bigint[], $32::bigint[], $33::bigint[]) as given (run, at, message)
      join moved on moved.seq = given.run where inbox.seq = given.message and inbox.run = given.run and inbox.taken is null
    ), delivered as (
      insert into ${at}.inbox (run, taken, id, type, target, sender, at, sum, body) select given.*
      from unnest($35::bigint[], $36::bigint[], $37::text[], $38::text[], $39::text[], $40::text[], $41::bigint[], $42::bigint[], $43::text[])
        as given (run, taken, id, type, target, sender, at, sum, body) join moved on moved.seq = given.run
      on conflict (run, id) do update set taken = excluded.taken where inbox.taken is null
    ), seals as (
      insert into ${at}.segment (run, number, first, last, version, chain, sum) select given.*
      from unnest($44::bigint[], $45::bigint[], $46::bigint[], $47::bigint[], $48::bigint[], $49::bigint[], $50::bigint[])
        as given (run, number, first, last, version, chain, sum) join moved on moved.seq = given.run
    ), forgotten as (
      delete from ${at}.inbox using unnest($44::bigint[], $46::bigint[]) as given (run, first) join moved on moved.seq = given.run
        cross join lateral (select max(seq) as seq from ${at}.inbox where inbox.run = given.run) as newest
      where inbox.run = given.run and inbox.taken < given.first and inbox.seq < newest.seq
    )
    select seq from moved`
}
