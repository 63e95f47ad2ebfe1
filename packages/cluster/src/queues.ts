import { checkQueueName, clusterFaults, noQueue, type QueueFacts, type QueueLimits } from 'reflex-runtime/store'
import type { Connection } from './connection.ts'
import { DEFAULT_QUEUE, type Names } from './sql/names.ts'

/** The connection and the names of a cluster. */
export interface Place {
  readonly connection: Connection
  readonly names: Names
}

/** Returns the queues as the operator set them, by name, with their turns and calls. Throws `R5101`. */
export function queueFacts({ connection, names }: Place): Promise<readonly QueueFacts[]> {
  return connection.query<QueueFacts>(
    `select name, slots, tenant_slots as "tenantSlots", coalesce(share, 0.8)::float8 as share,
      case when most is null then null else json_build_object('most', most, 'per', per) end as rate,
      case when tenant_most is null then null else json_build_object('most', tenant_most, 'per', tenant_per) end as "tenantRate", paused,
      (select count(*)::float8 from ${names.own}.turn where queue = name and state = 'waits')
        + (select coalesce(sum(waiting), 0)::float8 from ${names.own}.line where queue = name) as waiting,
      (select count(*)::float8 from ${names.own}.turn where queue = name and state = 'admitted') as admitted,
      (select count(*)::float8 from ${names.own}.turn where queue = name and state = 'begun')
        + (select count(*)::float8 from ${names.own}.call where queue = name) as begun
      from ${names.own}.queue order by name`,
  )
}

/** Creates or changes a queue. Throws `R5110` for a name or a limit that is not one. */
export async function setQueue(place: Place, name: string, limits: QueueLimits): Promise<QueueFacts> {
  checkQueueName(name)
  checkLimits(name, limits)
  const { connection, names } = place
  const changes = changesOf(limits)
  await connection.query(`insert into ${names.own}.queue (name) values ($1) on conflict do nothing`, [name])
  const columns = Object.keys(changes).map((column, i) => `${column} = $${i + 2}`)
  if (columns.length > 0)
    await connection.query(`update ${names.own}.queue set ${columns.join(', ')} where name = $1`, [name, ...Object.values(changes)])
  return (await queueFacts(place)).find((queue) => queue.name === name) as QueueFacts
}

/** Removes a queue with what is stored for it. Throws `R5106`, and `R5110` for one that is needed. */
export async function removeQueue({ connection, names }: Place, name: string): Promise<void> {
  if (name === DEFAULT_QUEUE)
    throw refused(`the queue ${name} cannot be removed: runs without a queue are in it`, `reflex queue pause ${name}`)
  const known = await connection.transaction(async (query) => {
    // Starts wait until this transaction is over, and then find the queue or not. A start under way is waited for.
    await query(`lock table ${names.own}.place in share row exclusive mode`)
    const [row] = await query<{ runs: number }>(
      `select (select count(*)::float8 from ${names.own}.place where queue = $1) + (select count(*)::float8 from ${names.own}.turn
        join ${names.store}.run on run.seq = turn.run where queue = $1 and (state <> 'rests' or run.status in ('running', 'suspended'))) as runs`,
      [name],
    )
    if (row !== undefined && row.runs > 0)
      throw refused(
        `the queue ${name} has ${row.runs === 1 ? 'a run that has' : `${row.runs} runs that have`} not ended`,
        'wait for their end, or cancel them',
      )
    for (const table of ['line', 'tenant']) await query(`delete from ${names.own}.${table} where queue = $1`, [name])
    return query<{ name: string }>(`delete from ${names.own}.queue where name = $1 returning name`, [name])
  })
  if (known.length > 0) return
  throw noQueue(
    name,
    (await queueFacts({ connection, names })).map((queue) => queue.name),
  )
}

function changesOf({ slots, tenantSlots, share, rate, tenantRate, paused }: QueueLimits): Record<string, unknown> {
  return {
    ...(slots === undefined ? {} : { slots }),
    ...(tenantSlots === undefined ? {} : { tenant_slots: tenantSlots }),
    ...(share === undefined ? {} : { share }),
    ...(rate === undefined ? {} : { most: rate?.most ?? null, per: rate?.per ?? null, tokens: null, refilled: null }),
    ...(tenantRate === undefined ? {} : { tenant_most: tenantRate?.most ?? null, tenant_per: tenantRate?.per ?? null }),
    ...(paused === undefined ? {} : { paused }),
  }
}

function checkLimits(name: string, { slots, tenantSlots, share, rate, tenantRate }: QueueLimits): void {
  for (const [word, count] of [
    ['slots', slots],
    ['tenant slots', tenantSlots],
    ['rate', rate?.most],
    ['period of the rate', rate?.per],
    ['rate of a tenant', tenantRate?.most],
    ['period of the rate of a tenant', tenantRate?.per],
  ] as const) {
    if (count === undefined || count === null || (Number.isInteger(count) && count > 0 && count <= 1_000_000_000)) continue
    throw refused(`the ${word} of queue ${name} is ${count}`, 'write a whole number from 1')
  }
  if (share !== undefined && share !== null && !(share > 0 && share <= 1))
    throw refused(`the share of queue ${name} is ${share}`, 'write a number above 0 and up to 1')
}

function refused(message: string, fix: string): Error {
  return clusterFaults.make('R5110', message, { fix })
}
