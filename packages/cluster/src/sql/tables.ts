import type { Names } from './names.ts'

/**
 * The tables of a cluster, and the indexes that it needs on the tables of the store. A turn is a row for each run that was ever due here.
 *
 * - `header`: `living` is what the living workers can take, as of the last tick.
 * - `worker`: the heartbeats. Times are those of the database. `began`: since when it lives without a break. `open`: it has functions in every
 *   version. `fingerprint` is that of the secret of its user.
 * - `queue`: the limits of the operator. `tokens` is what a rate leaves, as of `refilled`.
 * - `call`: the calls under way of queues that limit calls, such as `model:openai` and `tool:refund`.
 * - `line`: how many calls of a worker wait for room in such a queue.
 * - `tenant`: what the rate of a tenant leaves of it, as of `refilled`.
 * - `place`: the places of runs that are not created yet.
 * - `turn`: `number` counts the turns of a run; `state` is `rests`, `waits` (due), `admitted` (a workflow of DBOS), `begun`, or `stuck`.
 *   `again`: something came while the turn was under way. `last` is the last record of the run when the turn began. `parked`: it waits, and
 *   no living worker has what it needs. Each change of the state leaves a dead row, and of a million rows only a few change: vacuum comes
 *   after some thousands of dead rows, not after a fifth of the table.
 * - `load`: the turns that are admitted or begun, counted. Rows with the same key add up, so that nobody waits for another's.
 */
export function tables({ own, store }: Names): string {
  return `
create table ${own}.header (one boolean primary key default true check (one), application text not null, layout integer not null, living text);
create table ${own}.worker (
  id text primary key, version text not null, can text[] not null, open boolean not null default false, queues text[], fingerprint text, slots integer not null,
  began bigint not null, seen bigint not null, ttl bigint not null, drains boolean not null default false
);
create table ${own}.queue (
  name text primary key, slots integer, tenant_slots integer, share double precision, most integer, per bigint,
  tokens double precision, refilled bigint, tenant_most integer, tenant_per bigint, paused boolean not null default false
);
create table ${own}.tenant (queue text, tenant text, tokens double precision not null, refilled bigint not null, primary key (queue, tenant));
create table ${own}.call (id text primary key, queue text not null, worker text not null, since bigint not null);
create index call_queue on ${own}.call (queue);
create table ${own}.line (queue text, worker text, waiting integer not null, primary key (queue, worker));
create table ${own}.place (
  run text collate "C" primary key, queue text not null, tenant text not null, priority integer not null, needs text[] not null, at bigint not null
);
create table ${own}.turn (
  run bigint primary key, id text collate "C" not null, queue text not null, tenant text not null, priority integer not null, needs text[] not null,
  number bigint not null default 0, state text not null default 'rests', again boolean not null default false,
  since bigint not null default 0, not_before bigint not null default 0, version text, worker text,
  last bigint not null default 0, parked boolean not null default false, tries integer not null default 0, crashes integer not null default 0, fault text
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 2000, autovacuum_analyze_scale_factor = 0.02);
create index turn_waits on ${own}.turn (queue, tenant, priority, since, run) where state = 'waits' and not parked;
create index turn_needs on ${own}.turn (queue, tenant, needs, priority, since, run) where state = 'waits' and not parked;
create index turn_parked on ${own}.turn (needs) where state = 'waits' and parked;
create index turn_under_way on ${own}.turn (queue, version) where state in ('admitted', 'begun');
create index turn_worker on ${own}.turn (worker) where worker is not null;
create index turn_crashing on ${own}.turn (crashes) where crashes > 1;
create index turn_retrying on ${own}.turn (tries) where tries > 2;
create index turn_stuck on ${own}.turn (since) where state = 'stuck';
create table ${own}.load (
  queue text not null, tenant text not null, version text not null, part bigint generated always as identity, turns integer not null,
  primary key (queue, tenant, version, part)
) with (fillfactor = 50);
create index if not exists run_due on ${store}.run (due, seq) where status in ('running', 'suspended') and due is not null;
create index if not exists run_running on ${store}.run (seq) where status = 'running';
insert into ${own}.queue (name) values ('default');`
}
