import type { FaultData } from 'reflex-runtime/kernel'
import {
  clusterFaults,
  type ClusterFacts,
  type CrashingFacts,
  type MissingFacts,
  type RetryingFacts,
  type StuckFacts,
  type TurnFacts,
  type WaitingFacts,
  type WorkerFacts,
} from 'reflex-runtime/store'
import { type Place, queueFacts } from './queues.ts'
import { isAble } from './sql/able.ts'

/** The most entries of a list of facts. */
const LISTED = 100
/** The turns in a row without a result that no list shows: the next one may succeed. */
const FEW_TRIES = 2

/** Returns the state of a cluster. Throws `R5101`. */
export async function clusterFactsOf(place: Place): Promise<ClusterFacts> {
  const [workers, queues, waiting, missing, stuck, crashing, retrying] = await Promise.all([
    workerFacts(place),
    queueFacts(place),
    waitingFacts(place),
    missingFacts(place),
    stuckFacts(place),
    crashingFacts(place),
    retryingFacts(place),
  ])
  return { workers, queues, waiting, ...missing, ...stuck, ...crashing, ...retrying }
}

/** Returns the turn of a run; undefined for a run that was never due here, or has ended. Throws `R5101`. */
export async function turnFactsOf({ connection, names: { own, store } }: Place, run: string): Promise<TurnFacts | undefined> {
  type Row = Omit<TurnFacts, 'lacks' | 'fault'> & { lacks: readonly string[]; isAble: boolean; tries: number; fault: string | null }
  const [row] = await connection.query<Row>(
    `with alive as (${aliveWorkers(own)})
    select queue, state, needs, coalesce((select paused from ${own}.queue where name = turn.queue), false) as "isPaused", tries, fault,
      (select count(*)::float8 from alive) as workers, ${nearestLacks(own)} as lacks, ${isTakeable(own)} as "isAble"
      from ${own}.turn where run = (select seq from ${store}.run where id = $1)`,
    [run],
  )
  if (row === undefined) return undefined
  const { lacks, isAble, tries, fault, ...turn } = row
  const failed = turn.state === 'stuck' || tries > FEW_TRIES ? { fault: faultOf(run, fault ?? JSON.stringify({ tries })) } : {}
  return { ...turn, ...(isAble ? {} : { lacks }), ...failed }
}

function workerFacts({ connection, names }: Place): Promise<readonly WorkerFacts[]> {
  return connection.query<WorkerFacts>(
    `select id, version, can, queues, fingerprint, slots, began::float8 as began, seen::float8 as seen, seen + ttl > ${names.own}.now_ms() as "isAlive",
      drains, (select count(*)::float8 from ${names.own}.turn where worker = worker.id and state = 'begun') as turns
      from ${names.own}.worker where seen > 0 order by began`,
  )
}

function waitingFacts({ connection, names }: Place): Promise<readonly WaitingFacts[]> {
  return connection.query<WaitingFacts>(
    `select queue, tenant, count(*)::float8 as waiting, min(since)::float8 as oldest from ${names.own}.turn where state = 'waits'
      group by queue, tenant order by min(since) limit ${LISTED}`,
  )
}

/** The query `alive`: the workers that take turns. */
function aliveWorkers(own: string): string {
  return `select can, open, queues from ${own}.worker where seen + ttl > ${own}.now_ms() and not drains`
}

/** The condition that a worker of `alive` can take a turn. */
function isTakeable(own: string): string {
  return `exists (select from alive where ${isAble(own, 'needs')} and (queues is null or turn.queue = any(queues)))`
}

/** The words that the nearest worker of `alive` lacks of a turn; all of them without a worker. */
function nearestLacks(own: string): string {
  return `coalesce((select ${own}.lacking(needs, can) from alive order by cardinality(${own}.lacking(needs, can)) limit 1), needs)`
}

/** A turn that waits although its queue is not paused, and that no living worker has the words for. */
async function missingFacts({
  connection,
  names,
}: Place): Promise<{ readonly missing: readonly MissingFacts[]; readonly missingCount: number }> {
  const rows = await connection.query<MissingFacts & { count: number }>(
    `with alive as (${aliveWorkers(names.own)})
    select id as run, queue, needs, since::float8 as since, count(*) over ()::float8 as count, ${nearestLacks(names.own)} as lacks
      from ${names.own}.turn where state = 'waits' and not ${isTakeable(names.own)}
      order by since limit ${LISTED}`,
  )
  return {
    missing: rows.map(({ run, queue, lacks, needs, since }) => ({ run, queue, lacks, needs, since })),
    missingCount: rows[0]?.count ?? 0,
  }
}

async function stuckFacts({ connection, names }: Place): Promise<{ readonly stuck: readonly StuckFacts[]; readonly stuckCount: number }> {
  const rows = await connection.query<{ run: string; crashes: number; fault: string; since: number; count: number }>(
    `select id as run, crashes, fault, since::float8 as since, count(*) over ()::float8 as count
      from ${names.own}.turn where state = 'stuck' order by since limit ${LISTED}`,
  )
  const stuck = rows.map(({ run, crashes, fault, since }) => ({ run, crashes, since, fault: faultOf(run, fault) }))
  return { stuck, stuckCount: rows[0]?.count ?? 0 }
}

/** Turns that have ended workers and are tried again: the heartbeats of a cluster whose workers are restarted at once show nothing of it. */
async function crashingFacts({
  connection,
  names,
}: Place): Promise<{ readonly crashing: readonly CrashingFacts[]; readonly crashingCount: number }> {
  const rows = await connection.query<CrashingFacts & { count: number }>(
    `select id as run, crashes, worker, count(*) over ()::float8 as count
      from ${names.own}.turn where crashes > 1 and state <> 'stuck' order by crashes desc, id limit ${LISTED}`,
  )
  return { crashing: rows.map(({ run, crashes, worker }) => ({ run, crashes, worker })), crashingCount: rows[0]?.count ?? 0 }
}

async function retryingFacts({
  connection,
  names,
}: Place): Promise<{ readonly retrying: readonly RetryingFacts[]; readonly retryingCount: number }> {
  const rows = await connection.query<{ run: string; tries: number; fault: string | null; count: number }>(
    `select id as run, tries, fault, count(*) over ()::float8 as count
      from ${names.own}.turn where tries > ${FEW_TRIES} and state <> 'stuck' order by tries desc, id limit ${LISTED}`,
  )
  const retrying = rows.map(({ run, tries, fault }) => ({ run, tries, fault: faultOf(run, fault ?? JSON.stringify({ tries })) }))
  return { retrying, retryingCount: rows[0]?.count ?? 0 }
}

/** The database knows only the code of what the cluster itself found; what a worker reported is whole. */
function faultOf(run: string, text: string): FaultData {
  const { code, message, verdict, tries, crashes } = JSON.parse(text) as Partial<FaultData> & { tries?: number; crashes?: number }
  if (message !== undefined && verdict !== undefined && code !== undefined) return { code, verdict, message }
  const fault =
    code === 'R5108'
      ? clusterFaults.make('R5108', `${crashes} workers in a row died in the turn of run ${run}`, { fix: `reflex resume ${run}` })
      : clusterFaults.make('R5109', `${tries} turns in a row of run ${run} did nothing`, { fix: `reflex resume ${run}` })
  return { code: fault.code, verdict: fault.verdict, message: fault.message }
}
