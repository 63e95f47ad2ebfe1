import { isAble } from './able.ts'
import type { Names } from './names.ts'

/** The most runs that are looked at in one bite. */
const MOST_DUE = 200
/** The most parked turns that wait again in one bite. */
const MOST_UNPARKED = 2000

const BODY = 'security definer set search_path = pg_catalog, pg_temp'

/**
 * The functions by which the tick finds what is due. Each looks at a few runs, and returns where the next look begins, or null if there is
 * nothing more.
 *
 * - `mark_due`: makes a run wait for its turn, unless another transaction uses the row of the turn: that one may wait for what this one has.
 * - `mark_timed`: those whose time has come, in the order of times; the position is a time and a run.
 * - `mark_left`: those whose owner died since a time, or, without one, all that run or have a message; the position is a run.
 * - `unpark`: lets parked turns wait again that a living worker can take, if `whole` or if the living workers are others than at the last look.
 *   True if there are more.
 */
export function marking(names: Names): string {
  return [timed(names), left(names), unparking(names)].join('\n')
}

function timed({ own, store }: Names): string {
  return `
create or replace function ${own}.mark_due(wanted bigint, at bigint) returns void language plpgsql volatile ${BODY} as $$
begin
  perform from ${own}.turn where run = wanted for update skip locked;
  if found or not exists (select from ${own}.turn where run = wanted) then perform ${own}.make_wait(wanted, at); end if;
end $$;

create or replace function ${own}.mark_timed(after_due bigint, after_run bigint, at bigint) returns bigint[]
  language plpgsql volatile ${BODY} as $$
declare
  r ${store}.run; seen integer := 0;
begin
  for r in select run.* from ${store}.run left join ${own}.turn on turn.run = run.seq
    where run.status in ('running', 'suspended') and run.due <= at and (run.due, run.seq) > (after_due, after_run)
      and coalesce(turn.state, 'rests') = 'rests' and not ${own}.is_owned(run.owner, at) order by run.due, run.seq limit ${MOST_DUE}
  loop
    perform ${own}.mark_due(r.seq, at);
    seen := seen + 1;
  end loop;
  return case when seen = ${MOST_DUE} then array[r.due, r.seq] end;
end $$;`
}

function left({ own, store }: Names): string {
  return `
create or replace function ${own}.mark_left(after_run bigint, died_since bigint, at bigint) returns bigint
  language plpgsql volatile ${BODY} as $$
declare
  candidates refcursor; r ${store}.run; seen integer := 0; dead text[];
begin
  if died_since is null then
    open candidates for select run.* from ${store}.run left join ${own}.turn on turn.run = run.seq
      where run.seq in (select seq from ${store}.run where status = 'running' union select run from ${store}.inbox where taken is null)
        and run.seq > after_run and coalesce(turn.state, 'rests') = 'rests' order by run.seq limit ${MOST_DUE};
  else
    select array_agg(id) into dead from ${store}.worker where worker.seen + ttl <= at and worker.seen + ttl > died_since;
    if dead is null then return null; end if;
    open candidates for select run.* from ${store}.run left join ${own}.turn on turn.run = run.seq
      where run.owner = any(dead)
        and run.seq in (select seq from ${store}.run where status = 'running' union select run from ${store}.inbox where taken is null)
        and run.seq > after_run and coalesce(turn.state, 'rests') = 'rests' order by run.seq limit ${MOST_DUE};
  end if;
  loop
    fetch candidates into r;
    exit when not found;
    if ${own}.due(r, at) then perform ${own}.mark_due(r.seq, at); end if;
    after_run := r.seq;
    seen := seen + 1;
  end loop;
  close candidates;
  return case when seen = ${MOST_DUE} then after_run end;
end $$;`
}

function unparking({ own }: Names): string {
  return `
create or replace function ${own}.unpark(whole boolean, at bigint) returns boolean language plpgsql volatile ${BODY} as $$
declare
  now_living text; done integer;
begin
  select coalesce(string_agg(word, ';' order by word), '') into now_living from (
    select concat_ws(' ', version, queues, max(began)) as word from ${own}.worker where seen + ttl > at and not drains group by version, queues) as words;
  if not whole and exists (select from ${own}.header where living = now_living) then return false; end if;
  with able as (select distinct can, open, queues from ${own}.worker where seen + ttl > at and not drains)
  update ${own}.turn set parked = false where run in (select run from ${own}.turn where state = 'waits' and parked
    and exists (select from able where ${isAble(own, 'turn.needs')} and (queues is null or turn.queue = any(queues)))
    limit ${MOST_UNPARKED} for update skip locked);
  get diagnostics done = row_count;
  if done < ${MOST_UNPARKED} then update ${own}.header set living = now_living where living is distinct from now_living; end if;
  return done >= ${MOST_UNPARKED};
end $$;`
}
