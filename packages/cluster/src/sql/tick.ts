import { type Names, TURN } from './names.ts'

/** The most waiting turns of a queue that one bite admits. */
const MOST_ADMITTED = 64
/** The most turns of each list that is returned. */
const MOST_LISTED = 500
/** Milliseconds that two ticks overlap: a release that began before a tick may be visible only after it. */
const OVERLAP_MS = 30_000
/** Milliseconds after which a place of a run that was never created is forgotten, and a worker that is gone. */
const FORGET_MS = 3_600_000
/** Milliseconds after which a turn is lost that a worker has taken and does not begin. */
const LOST_MS = 60_000

/**
 * The function `tick`: what nobody's transaction does. One worker at a time does it, every quarter of a second; the others find the lock
 * taken and get null. `looked_at` is the time of the last one.
 *
 * It makes runs due whose time has come or whose owner died, forgets the calls of dead workers, and looks at all runs if `whole`: a safety
 * net, and how a cluster finds the runs that were there before it. It works in bites, so that it has no lock for long. `from_place` is where
 * the bite begins and `position` where the next one does, null if there is none: in the first pass a time, a run and the time of this bite, in
 * the second a run and the time of this bite. What became due since the last bite comes first: it does not wait for 100,000 others that were
 * due before. `more`: other turns can be admitted at once.
 *
 * It returns the workers that died in the last half minute, or all if `whole`, and `strand`: the turns that no living worker of their queue can take
 * any more.
 */
export function tick({ own }: Names): string {
  return `
create or replace function ${own}.tick(looked_at bigint, whole boolean, from_place bigint[] default null) returns json
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  at bigint := ${own}.now_ms(); next_timed bigint[]; next_left bigint; next bigint[]; more boolean; of_queue text; result json;
begin
  if not pg_try_advisory_xact_lock(hashtext('reflex cluster tick'), hashtext('${own}')) then return null; end if;
  if from_place is not null then perform ${own}.mark_timed(from_place[cardinality(from_place)], -1, at); end if;
  if from_place is null then
    next_timed := ${own}.mark_timed(case when whole then 0 else looked_at - ${OVERLAP_MS} end, -1, at);
  elsif cardinality(from_place) = 3 then
    next_timed := ${own}.mark_timed(from_place[1], from_place[2], at);
  end if;
  if next_timed is not null then
    next := next_timed || at;
  else
    next_left := ${own}.mark_left(case when cardinality(from_place) = 2 then from_place[1] else -1 end,
      case when not whole then looked_at - ${OVERLAP_MS} end, at);
    if next_left is not null then next := array[next_left, at]; end if;
  end if;
  delete from ${own}.call where worker not in (select id from ${own}.worker where seen + ttl > at);
  delete from ${own}.line where worker not in (select id from ${own}.worker where seen + ttl > at);
  if whole and next is null then
    delete from ${own}.tenant using ${own}.queue where name = tenant.queue
      and (tenant_most is null or tenant.refilled < at - tenant_per);
    delete from ${own}.place where place.at < ${own}.now_ms() - ${FORGET_MS};
    delete from ${own}.worker where seen + ttl < at - ${FORGET_MS}
      and not exists (select from ${own}.turn where turn.worker = worker.id and state = 'begun');
  end if;
  perform ${own}.tidy_load();
  more := ${own}.unpark(whole and next is null, at);
  for of_queue in select name from ${own}.queue where strpos(name, ':') = 0 and not paused order by name loop
    more := ${own}.admit_next(of_queue, coalesce((select tenant from ${own}.load where queue = of_queue order by random() limit 1), ''), at,
      ${MOST_ADMITTED}) >= ${MOST_ADMITTED} or more;
  end loop;
  select json_build_object(
    'at', at, 'position', next, 'more', more,
    'dead', coalesce((select json_agg(id) from ${own}.worker where seen + ttl <= at and (whole or seen + ttl > at - ${OVERLAP_MS})), '[]'::json),
    'strand', coalesce((select json_agg(json_build_array(id, number)) from (
      select id, number from ${own}.turn join (
        select queue, version from ${own}.load group by queue, version having sum(turns) <> 0 and not ${own}.is_served(queue, version, at)
      ) as unserved using (queue, version)
        where state = 'admitted' or (state = 'begun' and worker in (select id from ${own}.worker where seen + ttl <= at)) limit ${MOST_LISTED}
      ) as stranded), '[]'::json)
  ) into result;
  return result;
end $$;`
}

/**
 * The functions about turns whose worker is gone.
 *
 * - `is_served`: a living worker of a version takes turns of a queue.
 * - `recoverable`: those of the given turns that such a worker can take over, and their queues.
 * - `over`: workflows that DBOS has queued although their turn has ended: a worker that was taken for dead ended it, after it was handed to others.
 * - `lost`: turns that wait for a worker, or whose worker died, and that DBOS gives to nobody: it has ended their workflows, because a worker could not
 *   begin them or found that another had, or it has forgotten them in a crash of the server.
 * - `strand`: turns that were admitted for a worker wait again, for any other. They keep their place among those that wait.
 */
export function strand({ own, store, engine }: Names): string {
  return `
create or replace function ${own}.over() returns table (id text, number bigint) language plpgsql stable
  security definer set search_path = pg_catalog, pg_temp as $$
begin
  return query select regexp_replace(workflow_uuid, ':\\d+$', ''), substring(workflow_uuid from '\\d+$')::bigint from ${engine}.workflow_status
    where status = 'ENQUEUED' and name = '${TURN}' and not exists (
      select from ${own}.turn where state in ('admitted', 'begun') and turn.id || ':' || turn.number = workflow_uuid) limit ${MOST_LISTED};
end $$;

create or replace function ${own}.lost() returns table (id text, number bigint) language plpgsql stable
  security definer set search_path = pg_catalog, pg_temp as $$
declare
  at bigint := ${own}.now_ms();
begin
  return query select turn.id::text, turn.number from ${own}.turn
    left join ${engine}.workflow_status as workflow on workflow_uuid = turn.id || ':' || turn.number
    where (state = 'admitted' or (state = 'begun' and worker in (select worker.id from ${own}.worker where seen + ttl <= at)))
      and (workflow.status is null or workflow.status not in ('ENQUEUED', 'PENDING')
        or (state = 'admitted' and workflow.status = 'PENDING' and workflow.started_at_epoch_ms < at - ${LOST_MS})) limit ${MOST_LISTED};
end $$;

create or replace function ${own}.is_served(of_queue text, of_version text, at bigint) returns boolean language sql stable
  security definer set search_path = pg_catalog, pg_temp as $$
  select exists (select from ${own}.worker where version = of_version and seen + ttl > at and not drains
    and (queues is null or of_queue = any(queues)))
$$;

create or replace function ${own}.recoverable(wanted text[], numbers bigint[]) returns table (id text, number bigint, queue text)
  language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select turn.id, turn.number, turn.queue from unnest(wanted, numbers) as given (id, number) join ${store}.run on run.id = given.id
    join ${own}.turn on turn.run = run.seq and turn.number = given.number
    where state in ('admitted', 'begun') and ${own}.is_served(turn.queue, turn.version, ${own}.now_ms())
$$;

create or replace function ${own}.strand(wanted text[], numbers bigint[]) returns integer language plpgsql volatile
  security definer set search_path = pg_catalog, pg_temp as $$
declare
  candidate record; done integer := 0; at bigint := ${own}.now_ms();
begin
  for candidate in select turn.run, turn.state, turn.since from unnest(wanted, numbers) as given (id, number)
    join ${store}.run on run.id = given.id join ${own}.turn on turn.run = run.seq
    where turn.number = given.number and state in ('admitted', 'begun') order by turn.run for update of turn
  loop
    done := done + 1;
    if candidate.state = 'begun' and ${own}.count_death(candidate.run, at) then continue; end if;
    perform ${own}.wait_again(candidate.run, candidate.since, 0);
    perform ${own}.admit(candidate.run, at);
  end loop;
  return done;
end $$;`
}
