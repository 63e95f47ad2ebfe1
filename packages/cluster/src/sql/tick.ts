import type { Names } from './names.ts'

/** The most runs that one tick makes due, and the most waiting turns of a queue that it admits. */
const MOST_DUE = 2000
const MOST_ADMITTED = 512
/** Milliseconds that two ticks overlap: a release that began before a tick may be visible only after it. */
const OVERLAP_MS = 30_000
/** Milliseconds after which a place of a run that was never created is forgotten, and a worker that is gone. */
const FORGET_MS = 3_600_000
/** Milliseconds after which an admitted turn that DBOS does not begin is lost: the server crashed, or the worker could not begin it. */
const LOST_MS = 60_000

/**
 * The function `tick`: what nobody's transaction does. One worker at a time does it, every quarter of a second; the others find the lock
 * taken and get null. `looked_at` is the time of the last one.
 *
 * It makes runs due whose time has come or whose owner died, forgets the calls of dead workers, and looks at all runs if `whole`: a safety net, and how a cluster finds
 * the runs that were there before it. It returns the workflows of DBOS to deal with: `recover` those whose worker died, `strand` those
 * that no living worker can take any more, and `lost` those that DBOS will never begin.
 */
export function tick({ own, store, engine }: Names): string {
  return `
create or replace function ${own}.tick(looked_at bigint, whole boolean) returns json language plpgsql volatile
  security definer set search_path = pg_catalog, pg_temp as $$
declare
  at bigint := ${own}.now_ms(); r ${store}.run; candidate record; found_due integer := 0; result json;
begin
  if not pg_try_advisory_xact_lock(hashtext('reflex cluster tick'), hashtext('${own}')) then return null; end if;
  for r in select run.* from ${store}.run left join ${own}.turn on turn.run = run.seq
    where run.status in ('running', 'suspended') and run.due <= at and (whole or run.due > looked_at - ${OVERLAP_MS})
      and coalesce(turn.state, 'rests') = 'rests' and not ${own}.is_owned(run.owner, at) order by run.due limit ${MOST_DUE}
  loop
    perform ${own}.make_due(r.seq, at);
    found_due := found_due + 1;
  end loop;
  for r in select run.* from ${store}.run left join ${own}.turn on turn.run = run.seq
    where (whole or run.owner in (select id from ${store}.worker where seen + ttl <= at))
      and (run.status = 'running' or run.seq in (select run from ${store}.inbox where taken is null))
      and coalesce(turn.state, 'rests') = 'rests' limit ${MOST_DUE}
  loop
    if ${own}.due(r, at) then
      perform ${own}.make_due(r.seq, at);
      found_due := found_due + 1;
    end if;
  end loop;
  delete from ${own}.call where worker not in (select id from ${own}.worker where seen + ttl > at);
  delete from ${own}.line where worker not in (select id from ${own}.worker where seen + ttl > at);
  if whole then
    delete from ${own}.place where place.at < ${own}.now_ms() - ${FORGET_MS};
    delete from ${own}.worker where seen + ttl < at - ${FORGET_MS} and not exists (select from ${own}.turn where turn.worker = worker.id);
  end if;
  for candidate in select queue as name from ${own}.turn where state = 'waits' group by queue loop
    perform ${own}.admit_next(candidate.name, at, ${MOST_ADMITTED});
  end loop;
  select json_build_object(
    'at', at, 'due', found_due, 'more', found_due >= ${MOST_DUE},
    'dead', coalesce((select json_agg(id) from ${own}.worker where seen + ttl <= at), '[]'::json),
    'strand', coalesce((select json_agg(json_build_array(id, number)) from ${own}.turn
      where (state = 'admitted' or (state = 'begun' and worker in (select id from ${own}.worker where seen + ttl <= at)))
        and version not in (select version from ${own}.worker where seen + ttl > at)), '[]'::json),
    'lost', case when not whole then '[]'::json else coalesce((select json_agg(json_build_array(id, number)) from ${own}.turn
      left join ${engine}.workflow_status as workflow on workflow_uuid = id || ':' || number
      where state = 'admitted' and turn.since < at - ${LOST_MS} and (workflow.status is null or workflow.status not in ('ENQUEUED', 'PENDING')
        or (workflow.status = 'PENDING' and workflow.started_at_epoch_ms < at - ${LOST_MS}))), '[]'::json) end
  ) into result;
  return result;
end $$;`
}

/** The function `strand`: turns that were admitted for a worker wait again, for any other. */
export function strand({ own }: Names): string {
  return `
create or replace function ${own}.strand(wanted text[], numbers bigint[]) returns integer language plpgsql volatile
  security definer set search_path = pg_catalog, pg_temp as $$
declare
  candidate record; done integer := 0; at bigint := ${own}.now_ms();
begin
  for candidate in select turn.run from ${own}.turn join unnest(wanted, numbers) as given (id, number) on given.id = turn.id
    where turn.number = given.number and state in ('admitted', 'begun') order by turn.run for update of turn
  loop
    perform ${own}.wait_again(candidate.run, at, 0);
    done := done + 1;
  end loop;
  return done;
end $$;`
}
