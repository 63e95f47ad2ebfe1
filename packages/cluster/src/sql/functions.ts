import { able } from './able.ts'
import { admission } from './admission.ts'
import { load } from './load.ts'
import type { Names } from './names.ts'

/** The most turns of one run in a row that end without a record, and the most workers in a row that die in its turn. */
const MOST_TRIES = 10
/** The most turns that are admitted in place of one that ended: one that did not get the lock of its queue left its place to the next. */
const AT_END = 4
/** The records of a turn that outweigh the death of one worker in it. Every attempt may leave a few, also one that gets nowhere. */
const RECORDS_PER_DEATH = 20

/**
 * The functions and triggers of a cluster. They run in the transaction of whoever makes a run due, with the rights of their owner, and
 * wait for locks in one order: the row of a run, then the row of its turn. What else they take they skip if it is locked.
 *
 * - `due`: true if there is something to do for a run that no living process holds, as `Store.due` says.
 * - `make_wait`: gives a run its next turn. `make_due`: also admits it if there is room.
 * - `begin_turn`, `end_turn`: what a worker says of a turn. `begin_turn` returns the queue of a turn that may begin, and null for one that is over
 *   or that another living worker has. A worker that did not hear the answer may ask again. A turn that lacks what it needed before it was
 *   admitted there has done nothing. `wait_again`: gives the run another turn, which waits among the others.
 * - `count_death`: counts that a worker died in a turn. True if the run is set aside, because too many did.
 */
export function functions(names: Names): string {
  return [helpers(names), able(names), dueOf(names), load(names), admission(names), making(names), turns(names), triggers(names)].join('\n')
}

const BODY = 'security definer set search_path = pg_catalog, pg_temp'

function helpers({ own, store }: Names): string {
  return `
create or replace function ${own}.now_ms() returns bigint language sql volatile set search_path = pg_catalog, pg_temp as
  $$ select (extract(epoch from clock_timestamp()) * 1000)::bigint $$;

create or replace function ${own}.need_of(program text) returns text[] language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  return array['kind:' || (program::json ->> 1) || '@' || (program::json ->> 2)];
exception when others then
  return '{}';
end $$;

create or replace function ${own}.awaits(waits text, target text) returns boolean language plpgsql immutable
  set search_path = pg_catalog, pg_temp as $$
begin
  return exists (select from json_array_elements(waits::json) as w
    where w ->> 'type' = 'message' and (w ->> 'name' = target or (w ->> 'name') || '@' || (w ->> 'frame') = target));
exception when others then
  return true;
end $$;

create or replace function ${own}.is_owned(held_by text, at bigint) returns boolean language sql stable ${BODY} as $$
  select held_by is not null and exists (select from ${store}.worker where id = held_by and seen + ttl > at)
$$;`
}

function dueOf({ own, store }: Names): string {
  return `
create or replace function ${own}.due(r ${store}.run, at bigint) returns boolean language sql stable ${BODY} as $$
  select r.status in ('running', 'suspended')
    and r.last > coalesce((select s.last from ${store}.segment s where s.run = r.seq and s.number = 0), 0)
    and not ${own}.is_owned(r.owner, at)
    and (r.status = 'running' or r.due <= at or exists (select from ${store}.inbox i
      where i.run = r.seq and i.taken is null and (i.type <> 'message' or ${own}.awaits(r.waits, i.target))))
$$;`
}

function making({ own, store }: Names): string {
  return `
create or replace function ${own}.make_wait(wanted bigint, at bigint) returns boolean language plpgsql volatile ${BODY} as $$
declare
  t ${own}.turn;
begin
  select * into t from ${own}.turn where run = wanted for update;
  if not found then
    -- The numbers begin with a time: DBOS may remember the turns of another run of this name, which is deleted.
    insert into ${own}.turn (run, id, queue, tenant, priority, needs, number)
      select r.seq, r.id, coalesce(p.queue, 'default'), coalesce(p.tenant, ''), coalesce(p.priority, 0),
        ${own}.need_of(r.program) || coalesce(p.needs, '{}'), make_wait.at
      from ${store}.run r left join ${own}.place p on p.run = r.id where r.seq = wanted on conflict do nothing;
    select * into t from ${own}.turn where run = wanted for update;
    if not found then return false; end if;
    delete from ${own}.place where run = t.id;
  end if;
  if t.state = 'begun' then
    update ${own}.turn set again = true where run = wanted and not again;
    return false;
  elsif t.state = 'waits' then
    update ${own}.turn set not_before = 0 where run = wanted and not_before > 0;
    return t.not_before > 0;
  elsif t.state in ('rests', 'stuck') then
    update ${own}.turn set state = 'waits', number = number + 1, since = at, not_before = 0, again = false, parked = false, fault = null,
      tries = 0, crashes = case when t.state = 'stuck' then 0 else crashes end where run = wanted;
    return true;
  end if;
  return false;
end $$;

create or replace function ${own}.make_due(wanted bigint, at bigint) returns void language plpgsql volatile ${BODY} as $$
begin
  if ${own}.make_wait(wanted, at) then perform ${own}.admit(wanted, at); end if;
end $$;`
}

function turns({ own, store }: Names): string {
  return `
create or replace function ${own}.count_death(wanted bigint, at bigint) returns boolean language plpgsql volatile ${BODY} as $$
declare
  t ${own}.turn; reached bigint;
begin
  select * into t from ${own}.turn where run = wanted;
  select last into reached from ${store}.run where seq = wanted;
  t.crashes := greatest(1, t.crashes + 1 - (reached - t.last) / ${RECORDS_PER_DEATH});
  if t.crashes < ${MOST_TRIES} then
    update ${own}.turn set crashes = t.crashes where run = wanted;
    return false;
  end if;
  update ${own}.turn set state = 'stuck', since = at, crashes = t.crashes, worker = null,
    fault = json_build_object('code', 'R5108', 'crashes', t.crashes)::text where run = wanted;
  return true;
end $$;

create or replace function ${own}.begin_turn(wanted text, turn_number bigint, by_worker text) returns text
  language plpgsql volatile ${BODY} as $$
declare
  t ${own}.turn; at bigint := ${own}.now_ms();
begin
  select * into t from ${own}.turn where run = (select seq from ${store}.run where id = wanted) and number = turn_number
    and state in ('admitted', 'begun') for update;
  if not found then return null; end if;
  if t.state = 'begun' and t.worker <> by_worker then
    if exists (select from ${own}.worker where id = t.worker and seen + ttl > at) then return null; end if;
    if ${own}.count_death(t.run, at) then return null; end if;
  end if;
  update ${own}.turn set state = 'begun', worker = by_worker, again = false,
    last = coalesce((select run.last from ${store}.run where seq = t.run), 0) where run = t.run;
  return t.queue;
end $$;

create or replace function ${own}.wait_again(wanted bigint, due_since bigint, later bigint) returns void language sql volatile ${BODY} as $$
  update ${own}.turn set state = 'waits', number = number + 1, since = due_since, not_before = later, again = false, parked = false,
    worker = null where run = wanted
$$;

create or replace function ${own}.end_turn(wanted text, turn_number bigint, by_worker text, outcome text, needed text[], problem text) returns void
  language plpgsql volatile ${BODY} as $$
declare
  t ${own}.turn; r ${store}.run; at bigint := ${own}.now_ms(); fruitless integer;
begin
  select * into t from ${own}.turn where run = (select seq from ${store}.run where id = wanted) and number = turn_number
    and state = 'begun' and worker = by_worker for update;
  if not found then return; end if;
  select * into r from ${store}.run where seq = t.run;
  fruitless := case when found and r.last > t.last then 0 else t.tries + 1 end;
  if r.seq is null or r.status not in ('running', 'suspended') then
    delete from ${own}.turn where run = t.run;
  elsif outcome = 'lacks' and not t.needs @> needed then
    update ${own}.turn set needs = (select array_agg(distinct need order by need) from unnest(needs || needed) as need) where run = t.run;
    perform ${own}.wait_again(t.run, at, 0);
  elsif outcome = 'failed' or (fruitless >= ${MOST_TRIES} and (outcome = 'lacks' or (outcome in ('rested', 'held') and ${own}.due(r, at)))) then
    update ${own}.turn set state = 'stuck', since = at, worker = null, tries = 0,
      fault = coalesce(problem, json_build_object('code', 'R5109', 'tries', fruitless)::text) where run = t.run;
  elsif outcome in ('again', 'lacks') or (outcome in ('rested', 'held') and ${own}.due(r, at)) then
    update ${own}.turn set tries = fruitless, crashes = 0, fault = problem where run = t.run;
    perform ${own}.wait_again(t.run, at, case when fruitless = 0 then 0 else at + least(30000, 250 * (2 ^ least(fruitless, 8))::bigint) end);
  else
    update ${own}.turn set state = 'rests', again = false, tries = 0, crashes = 0, fault = null,
      worker = case when r.owner is null then null else worker end where run = t.run;
  end if;
  perform ${own}.admit_next(t.queue, t.tenant, at, ${AT_END});
end $$;`
}

function triggers({ own, store }: Names): string {
  return `
create or replace function ${own}.on_released() returns trigger language plpgsql volatile ${BODY} as $$
declare
  at bigint := ${own}.now_ms();
begin
  if ${own}.due(new, at) then perform ${own}.make_due(new.seq, at); end if;
  return null;
end $$;
create or replace function ${own}.on_posted() returns trigger language plpgsql volatile ${BODY} as $$
begin
  perform ${own}.make_due(new.run, ${own}.now_ms());
  return null;
end $$;
create or replace function ${own}.on_ended() returns trigger language plpgsql volatile ${BODY} as $$
begin
  delete from ${own}.turn where run = new.seq and state <> 'begun';
  return null;
end $$;
create or replace function ${own}.on_removed() returns trigger language plpgsql volatile ${BODY} as $$
begin
  delete from ${own}.turn where run = old.seq;
  return null;
end $$;
drop trigger if exists cluster_released on ${store}.run;
create trigger cluster_released after update of owner on ${store}.run for each row
  when (old.owner is not null and new.owner is null and new.status in ('running', 'suspended')) execute function ${own}.on_released();
drop trigger if exists cluster_ended on ${store}.run;
create trigger cluster_ended after update of status on ${store}.run for each row
  when (old.status in ('running', 'suspended') and new.status not in ('running', 'suspended')) execute function ${own}.on_ended();
drop trigger if exists cluster_posted on ${store}.inbox;
create trigger cluster_posted after insert on ${store}.inbox for each row when (new.taken is null) execute function ${own}.on_posted();
drop trigger if exists cluster_removed on ${store}.run;
create trigger cluster_removed after delete on ${store}.run for each row execute function ${own}.on_removed();`
}
