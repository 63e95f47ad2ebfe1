import type { Names } from './names.ts'

/** Milliseconds after which a call looks again for a free slot, and for a queue that is resumed. */
const SLOT_MS = 100
const PAUSE_MS = 1000

/**
 * The function `enter_call`: a call to a model provider or a tool begins, if its queue has room. It returns null if the operator has set
 * no limit for it, 0 if it has begun, or the milliseconds until it can be asked for again.
 */
export function calls({ own }: Names): string {
  return `
create or replace function ${own}.enter_call(wanted text, by_worker text, call_id text) returns float8 language plpgsql volatile
  security definer set search_path = pg_catalog, pg_temp as $$
declare
  q ${own}.queue; at bigint; left_over double precision;
begin
  select * into q from ${own}.queue where name = wanted for update;
  if not found then return null; end if;
  at := ${own}.now_ms();
  if q.paused then return ${PAUSE_MS}; end if;
  if q.slots is not null and (select count(*) from ${own}.call where queue = wanted) >= q.slots then return ${SLOT_MS}; end if;
  if q.most is not null then
    left_over := least(q.most, coalesce(q.tokens, q.most) + (at - coalesce(q.refilled, at))::double precision * q.most / q.per);
    if left_over < 1 then return ceil((1 - left_over) * q.per / q.most); end if;
    update ${own}.queue set tokens = left_over - 1, refilled = at where name = wanted;
  end if;
  insert into ${own}.call (id, queue, worker, since) values (call_id, wanted, by_worker, at) on conflict do nothing;
  return 0;
end $$;`
}
