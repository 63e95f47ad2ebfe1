import { checkQueueName, clusterFaults, type QueueFacts, type QueueLimits } from 'reflex-runtime/store'
import type { Connection } from './connection.ts'
import type { Names } from './sql/names.ts'

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
