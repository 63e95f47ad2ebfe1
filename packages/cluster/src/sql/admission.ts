import { isAble } from './able.ts'
import { APPLICATION, type Names, TURN } from './names.ts'

/** The part of the slots that one tenant may take. The rest is kept for others. */
const SHARE = 0.8
/** The slots that a tenant leaves free for each of its turns above an equal part, until the others' part of the slots is free. */
const LEFT_FREE = 2
/** The most waiting turns that are parked at once, and the most that are tried for each one that is admitted. */
const MOST_PARKED = 500
const MOST_TRIED = 16
/** The first turns of a tenant among which one is looked for that a worker with a free slot can take. */
const MOST_HEADS = 100
/** The most tenants among which the next one is chosen. */
const MOST_TENANTS = 100

const BODY = 'security definer set search_path = pg_catalog, pg_temp'

/**
 * The functions that decide which turns begin. What they cost depends on the tenants of the queue and on the workers, and not on the turns.
 *
 * Locks of a queue are tried and never waited for. A queue with limits has one admission at a time: it holds the lock of the queue up to its
 * commit, so it counts every admission before it. Ends are not locked: one that is not counted yet makes the count too large. Queues
 * without limits share the lock, so that limits hold from the moment at which they are set. Whoever does not get a lock leaves the turn to the
 * next end, or to the tick.
 *
 * - `room_of`: the slots of the workers of a queue. `version_for`: the version with the most free slots among those that can take a turn.
 * - `left_of`: the turns that a rate leaves.
 * - `may_take`: the rule of fairness. A tenant with more than an equal part of the slots leaves some free for each turn above it, so that
 *   others find room at once, and not at the next end of a turn. Its equal part is that among the tenants that have turns, and one more.
 * - `admit`: hands a waiting turn to DBOS. It returns `admitted`, or what has no room: the `turn`, all with its `needs`, its `tenant`, or its
 *   `queue`. Turns that no living worker can take are parked: they are in nobody's way, and the tick finds them when workers have changed.
 * - `admit_next`: admits the next turns of a queue: those of the lowest priority, then of the tenant with the fewest turns, then the oldest.
 *   It looks at tenants in the order of their names after the given one, so that all have their turn however many there are.
 * - `first_of_others`: the first turn of a tenant that needs something else than the turns before it, however many these are.
 */
export function admission(names: Names): string {
  return [room(names), rates(names), admit(names), others(names), admitNext(names)].join('\n')
}

function room({ own }: Names): string {
  return `
create or replace function ${own}.room_of(of_queue text, at bigint) returns bigint language sql stable ${BODY} as $$
  select coalesce(sum(slots), 0)::bigint from ${own}.worker where seen + ttl > at and (queues is null or of_queue = any(queues))
$$;

create or replace function ${own}.version_for(of_queue text, wanted text[], at bigint) returns text language sql stable ${BODY} as $$
  select able.version from (
    select version, sum(slots) as slots from ${own}.worker
      where seen + ttl > at and not drains and ${isAble(own, 'wanted')} and (queues is null or of_queue = any(queues)) group by version
  ) as able left join (
    select version, sum(turns) as turns from ${own}.load where queue = of_queue group by version
  ) as used using (version)
  where able.slots > coalesce(used.turns, 0) order by able.slots - coalesce(used.turns, 0) desc, version limit 1
$$;

create or replace function ${own}.may_take(tenant text, of_tenant bigint, others bigint, taken bigint, room bigint, share double precision)
  returns boolean language sql immutable as $$
  select (tenant = '' and others = 0) or taken < room - least(
    room - greatest(1, floor(room * coalesce(share, ${SHARE}) + 1e-9)),
    ${LEFT_FREE} * greatest(0, of_tenant + 1 - room / (others + 2.0))
  )
$$;`
}

/** A rate fills up evenly: after its period without a turn, all of its turns may begin at once. */
function rates({ own }: Names): string {
  return `
create or replace function ${own}.left_of(most integer, per bigint, tokens double precision, refilled bigint, at bigint)
  returns double precision language sql immutable as $$
  select least(most, coalesce(tokens, most) + greatest(0, at - coalesce(refilled, at))::double precision * most / per)
$$;

create or replace function ${own}.is_limited(q ${own}.queue) returns boolean language sql immutable as $$
  select q.slots is not null or q.tenant_slots is not null or q.most is not null or q.tenant_most is not null
$$;`
}

function admit({ own, engine }: Names): string {
  return `
create or replace function ${own}.admit(wanted bigint, at bigint) returns text language plpgsql volatile ${BODY} as $$
declare
  t ${own}.turn; q ${own}.queue; chosen text; room bigint; taken bigint; of_tenant bigint; others bigint; left_over double precision;
  of_tenant_left double precision; is_limited boolean;
begin
  select * into t from ${own}.turn where run = wanted and state = 'waits' and not parked for update;
  if not found or t.not_before > at then return 'turn'; end if;
  select * into q from ${own}.queue where name = t.queue;
  if q.paused then return 'queue'; end if;
  chosen := ${own}.version_for(t.queue, t.needs, at);
  if chosen is null then
    if exists (select from ${own}.worker where seen + ttl > at and not drains and ${isAble(own, 't.needs')} and (queues is null or t.queue = any(queues)))
      then return 'needs'; end if;
    update ${own}.turn set parked = true where run in (select run from ${own}.turn where queue = t.queue and tenant = t.tenant
      and state = 'waits' and not parked and needs = t.needs limit ${MOST_PARKED} for update skip locked);
    return 'turn';
  end if;
  -- A start that finds a full queue must not hold the lock that an end needs.
  if (select sum(turns) from ${own}.load where queue = t.queue) >= q.slots then return 'queue'; end if;
  is_limited := ${own}.is_limited(q);
  if is_limited then
    if not pg_try_advisory_xact_lock(hashtext('reflex cluster queue'), hashtext('${own}' || t.queue)) then return 'queue'; end if;
  elsif not pg_try_advisory_xact_lock_shared(hashtext('reflex cluster queue'), hashtext('${own}' || t.queue)) then
    return 'queue';
  elsif t.tenant <> ''
    and not pg_try_advisory_xact_lock(hashtext('reflex cluster tenant'), hashtext('${own}' || t.queue || ' ' || t.tenant)) then
    return 'tenant';
  end if;
  select * into q from ${own}.queue where name = t.queue;
  if not is_limited and ${own}.is_limited(q) then return 'queue'; end if;
  room := ${own}.room_of(t.queue, at);
  room := least(room, coalesce(q.slots, room));
  select coalesce(sum(turns), 0), coalesce(sum(turns) filter (where tenant = t.tenant), 0),
    count(*) filter (where tenant <> t.tenant and turns > 0) into taken, of_tenant, others
    from (select tenant, sum(turns) as turns from ${own}.load where queue = t.queue group by tenant) as used;
  if taken >= q.slots then return 'queue'; end if;
  if of_tenant >= q.tenant_slots or not ${own}.may_take(t.tenant, of_tenant, others, taken, room, q.share) then return 'tenant'; end if;
  if q.most is not null then
    left_over := ${own}.left_of(q.most, q.per, q.tokens, q.refilled, at);
    if left_over < 1 then return 'queue'; end if;
  end if;
  if q.tenant_most is not null then
    select ${own}.left_of(q.tenant_most, q.tenant_per, tokens, refilled, at) into of_tenant_left from ${own}.tenant
      where queue = t.queue and tenant = t.tenant;
    of_tenant_left := coalesce(of_tenant_left, q.tenant_most);
    if of_tenant_left < 1 then return 'tenant'; end if;
    insert into ${own}.tenant (queue, tenant, tokens, refilled) values (t.queue, t.tenant, of_tenant_left - 1, at)
      on conflict (queue, tenant) do update set tokens = excluded.tokens, refilled = excluded.refilled;
  end if;
  if q.most is not null then update ${own}.queue set tokens = left_over - 1, refilled = at where name = t.queue; end if;
  perform ${engine}.enqueue_workflow(workflow_name => '${TURN}', queue_name => t.queue,
    positional_args => array[to_json(t.id), to_json(t.number)], workflow_id => t.id || ':' || t.number,
    app_version => chosen, queue_partition_key => t.id, application_name => '${APPLICATION}');
  update ${own}.turn set state = 'admitted', version = chosen, again = false where run = wanted;
  return 'admitted';
end $$;`
}

function others({ own }: Names): string {
  const waiting = `${own}.turn t where t.queue = of_queue and t.tenant = of_tenant and t.state = 'waits' and not t.parked`
  return `
create or replace function ${own}.first_of_others(of_queue text, of_tenant text, full_needs text[], at bigint)
  returns table (run bigint, priority integer, since bigint, needs text[]) language sql stable ${BODY} as $$
  with recursive kinds (needs) as (
    (select t.needs from ${waiting} order by t.needs limit 1)
    union all
    select (select t.needs from ${waiting} and t.needs > kinds.needs order by t.needs limit 1) from kinds where kinds.needs is not null
  )
  select head.* from kinds cross join lateral (
    select t.run, t.priority, t.since, t.needs from ${waiting} and t.needs = kinds.needs and t.not_before <= at
      order by t.priority, t.since, t.run limit 1
  ) as head where kinds.needs::text <> all(full_needs) order by head.priority, head.since, head.run limit 1
$$;`
}

function admitNext({ own }: Names): string {
  return `
create or replace function ${own}.admit_next(of_queue text, after_tenant text, at bigint, most integer) returns integer
  language plpgsql volatile ${BODY} as $$
declare
  q ${own}.queue; room bigint; head record; answer text; done integer := 0; full_tenants text[] := '{}';
  full_needs text[] := '{}';
begin
  if not exists (select from ${own}.turn where queue = of_queue and state = 'waits' and not parked) then return 0; end if;
  select * into q from ${own}.queue where name = of_queue;
  if q.paused then return 0; end if;
  room := ${own}.room_of(of_queue, at);
  room := least(room, coalesce(q.slots, room));
  for i in 1 .. most * ${MOST_TRIED} loop
    -- Whatever waits needs a free slot. A turn that has ended leaves one, so there is one at first.
    exit when i > 1 and ${own}.version_for(of_queue, '{}', at) is null;
    with recursive after (tenant, place) as (
      (select min(tenant), 1 from ${own}.turn where queue = of_queue and state = 'waits' and not parked and tenant > after_tenant)
      union all
      select (select min(t.tenant) from ${own}.turn t where t.queue = of_queue and t.state = 'waits' and not t.parked and t.tenant > after.tenant),
        place + 1 from after where tenant is not null and place < ${MOST_TENANTS}
    ), before (tenant, place) as (
      (select min(tenant), (select count(tenant) from after) + 1 from ${own}.turn where queue = of_queue and state = 'waits' and not parked)
      union all
      select (select min(t.tenant) from ${own}.turn t where t.queue = of_queue and t.state = 'waits' and not t.parked and t.tenant > before.tenant),
        place + 1 from before where tenant < after_tenant and place < ${MOST_TENANTS}
    ), tenants (tenant) as (
      select tenant from after where tenant is not null union select tenant from before where tenant <= after_tenant
    ), used as (
      select tenant, sum(turns) as turns from ${own}.load where queue = of_queue group by tenant
    ), total as (
      select coalesce(sum(turns), 0)::bigint as taken, count(*) filter (where turns > 0) as busy from used
    )
    select first.run, first.needs, tenants.tenant into head from tenants cross join total left join used using (tenant) cross join lateral (
      (select * from (
        select run, priority, since, needs from ${own}.turn t where t.queue = of_queue and t.tenant = tenants.tenant and t.state = 'waits'
          and not t.parked and t.not_before <= at order by t.queue, t.tenant, priority, since, run limit ${MOST_HEADS}
      ) as heads where needs::text <> all(full_needs) limit 1)
      union all
      (select * from ${own}.first_of_others(of_queue, tenants.tenant, full_needs, at) where full_needs <> '{}')
      limit 1
    ) as first
    where tenants.tenant <> all(full_tenants) and coalesce(used.turns, 0) < coalesce(q.tenant_slots, room + 1)
      and ${own}.may_take(tenants.tenant, coalesce(used.turns, 0)::bigint,
        total.busy - case when used.turns > 0 then 1 else 0 end, total.taken, room, q.share)
    order by first.priority, coalesce(used.turns, 0), first.since, first.run limit 1;
    exit when not found;
    perform from ${own}.turn where run = head.run and state = 'waits' for update skip locked;
    answer := case when found then ${own}.admit(head.run, at) else 'tenant' end;
    if answer = 'admitted' then done := done + 1; end if;
    exit when answer = 'queue' or done >= most;
    if answer = 'tenant' then full_tenants := full_tenants || head.tenant; end if;
    if answer = 'needs' then full_needs := full_needs || head.needs::text; end if;
  end loop;
  return done;
end $$;`
}
