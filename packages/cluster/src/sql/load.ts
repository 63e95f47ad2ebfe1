import type { Names } from './names.ts'

/** The rows of one count after which they are made one. */
const MOST_PARTS = 8

/**
 * The counts of the turns that are admitted or begun, by queue, tenant and version. A trigger on `turn` changes them in the transaction that
 * changes the turn, so a snapshot that sees the one sees the other, also after a crash.
 *
 * A transaction adds to a row that nobody else has locked, or inserts one. So counting never waits, and cannot take part in a deadlock. A
 * single row may be negative; the sum of those with the same key is the number of turns.
 *
 * - `count_turn`: changes a count.
 * - `tidy_load`: removes counts of zero, and joins those of many rows. It leaves rows that are in use.
 */
export function load(names: Names): string {
  return [counting(names), tidying(names)].join('\n')
}

function counting({ own }: Names): string {
  return `
create or replace function ${own}.count_turn(of_queue text, of_tenant text, of_version text, change integer) returns void
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  chosen bigint;
begin
  select part into chosen from ${own}.load where queue = of_queue and tenant = of_tenant and version = of_version
    order by part limit 1 for update skip locked;
  if found then
    update ${own}.load set turns = turns + change
      where queue = of_queue and tenant = of_tenant and version = of_version and part = chosen;
  else
    insert into ${own}.load (queue, tenant, version, turns) values (of_queue, of_tenant, of_version, change);
  end if;
end $$;

create or replace function ${own}.on_counted() returns trigger language plpgsql volatile
  security definer set search_path = pg_catalog, pg_temp as $$
begin
  if tg_op <> 'INSERT' and old.state in ('admitted', 'begun') then
    perform ${own}.count_turn(old.queue, old.tenant, coalesce(old.version, ''), -1);
  end if;
  if tg_op <> 'DELETE' and new.state in ('admitted', 'begun') then
    perform ${own}.count_turn(new.queue, new.tenant, coalesce(new.version, ''), 1);
  end if;
  return null;
end $$;
drop trigger if exists counted_new on ${own}.turn;
create trigger counted_new after insert on ${own}.turn for each row
  when (new.state in ('admitted', 'begun')) execute function ${own}.on_counted();
drop trigger if exists counted_old on ${own}.turn;
create trigger counted_old after delete on ${own}.turn for each row
  when (old.state in ('admitted', 'begun')) execute function ${own}.on_counted();
drop trigger if exists counted on ${own}.turn;
create trigger counted after update on ${own}.turn for each row
  when ((old.state in ('admitted', 'begun')) <> (new.state in ('admitted', 'begun')) or old.version is distinct from new.version
    or old.queue <> new.queue or old.tenant <> new.tenant)
  execute function ${own}.on_counted();`
}

function tidying({ own }: Names): string {
  return `
create or replace function ${own}.tidy_load() returns void language plpgsql volatile
  security definer set search_path = pg_catalog, pg_temp as $$
declare
  parts bigint[];
begin
  -- The rows are locked first: the statement after it sees what others have added until then.
  select array_agg(part) into parts from (
    select one.part from ${own}.load as one join (
      select queue, tenant, version from ${own}.load group by queue, tenant, version having count(*) > ${MOST_PARTS} or sum(turns) = 0
    ) as many using (queue, tenant, version) for update of one skip locked
  ) as free;
  if parts is null then return; end if;
  with removed as (delete from ${own}.load where part = any(parts) returning queue, tenant, version, turns)
  insert into ${own}.load (queue, tenant, version, turns)
    select queue, tenant, version, sum(turns) from removed group by queue, tenant, version having sum(turns) <> 0;
end $$;`
}
