import type { Names } from './names.ts'

/** Milliseconds after which a call looks again for a free slot, and for a queue that is resumed. */
const SLOT_MS = 100
const PAUSE_MS = 1000

/**
 * The function `enter_call`: the first waiting call of a worker to a model provider or a tool begins, if its queue has room. It returns null if the
 * operator has set no limit for it, 0 if it has begun, or the milliseconds until it can be asked for again. Asked for again after a
 * connection was lost, a call has room only once. `behind`: the calls of the worker that wait behind it.
 */
export function calls({ own }: Names): string {
  return `
create or replace function ${own}.enter_call(wanted text, by_worker text, call_id text, behind integer) returns float8 language plpgsql volatile
  security definer set search_path = pg_catalog, pg_temp as $$
declare
  q ${own}.queue; at bigint; left_over double precision; wait double precision := 0; waits integer;
begin
  select * into q from ${own}.queue where name = wanted for update;
  if not found then return null; end if;
  at := ${own}.now_ms();
  if not exists (select from ${own}.call where id = call_id) then
    if q.paused then wait := ${PAUSE_MS};
    elsif q.slots is not null and (select count(*) from ${own}.call where queue = wanted) >= q.slots then wait := ${SLOT_MS};
    elsif q.most is not null then
      left_over := least(q.most, coalesce(q.tokens, q.most) + greatest(0, at - coalesce(q.refilled, at))::double precision * q.most / q.per);
      if left_over < 1 then wait := ceil((1 - left_over) * q.per / q.most);
      else update ${own}.queue set tokens = left_over - 1, refilled = at where name = wanted; end if;
    end if;
    if wait = 0 then insert into ${own}.call (id, queue, worker, since) values (call_id, wanted, by_worker, at); end if;
  end if;
  waits := behind + case when wait > 0 then 1 else 0 end;
  if waits > 0 then
    insert into ${own}.line (queue, worker, waiting) values (wanted, by_worker, waits)
      on conflict (queue, worker) do update set waiting = excluded.waiting where line.waiting <> excluded.waiting;
  end if;
  return wait;
end $$;`
}
