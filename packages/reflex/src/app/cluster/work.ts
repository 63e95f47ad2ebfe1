import type { Fault, Host } from '../../kernel/index.ts'
import { checkTurnQueue, clusterFaults } from '../../store/index.ts'
import type { WorkerEvent, WorkOptions } from '../options.ts'
import type { WorkingReflex } from '../run-carrier.ts'
import { requireQueues } from './queues.ts'
import { Turns } from './turns.ts'
import { WorkerWords } from './words.ts'

/** The options of a worker of a cluster. */
export interface JoinOptions {
  /** Milliseconds for effects in flight to finish when it leaves. Default: 0. */
  readonly grace?: number
  /** The most turns at once. Default: that of the `Reflex`, else 64. */
  readonly slots?: number
  /** The queues that it serves. Default: those of the `Reflex`, else all. */
  readonly queues?: readonly string[]
  /** What its operator says of it, such as `gpu`, in addition to what the `Reflex` says. */
  readonly has?: readonly string[]
  readonly onEvent?: (event: WorkerEvent) => void
}

/** A process that works in a cluster. */
export interface ClusterMember {
  /** What it can run, in words such as `kind:workflow@3`. */
  readonly can: readonly string[]
  /**
   * Takes no more turns, and releases its runs after the grace. Resolves when its turns have ended. Throws `R5101` if the database was away at the
   * end, and `R5112` if something has not ended half a minute after the grace: then others take its turns over by lease.
   */
  leave(): Promise<void>
}

const SLOTS = 64
const MOST_SLOTS = 100_000
/** Milliseconds after the grace in which a worker ends. What takes longer would hold up its process for ever. */
const LONGEST_END_MS = 30_000

/**
 * Joins the cluster of a `Reflex`, which gives this process turns of runs from then on. Throws `R5140`, `R5141`, `R5110`, `R5106` for a queue
 * that does not exist, and the faults of the package: a schema of another version, a clock that is off, a second worker in this process.
 */
export async function joinCluster(reflex: WorkingReflex, options: JoinOptions = {}): Promise<ClusterMember> {
  const { grace = 0, onEvent } = options
  const settings = reflex.clusterSettings
  const queues = (options.queues ?? settings?.queues)?.map((name) => checkTurnQueue(name))
  const slots = options.slots ?? settings?.slots ?? SLOTS
  if (!(Number.isInteger(slots) && slots >= 1 && slots <= MOST_SLOTS))
    throw clusterFaults.make('R5110', `a worker cannot have ${slots} slots`, { fix: `use a whole number from 1 to ${MOST_SLOTS}` })
  const cluster = await reflex.cluster()
  // A worker of a queue that does not exist would wait for nothing.
  if (queues !== undefined) await requireQueues(cluster, queues)
  const words = await WorkerWords.of(reflex, [...(settings?.has ?? []), ...(options.has ?? [])])
  const stop = new AbortController()
  const turns = new Turns(reflex, words, { signal: stop.signal, grace, maxRuns: slots, onEvent })
  const { leaseMs, worker } = reflex.runtime
  const fingerprint = reflex.secretFingerprint
  const parts = {
    worker,
    leaseMs,
    can: words.can,
    slots,
    ...(queues === undefined ? {} : { queues }),
    ...(fingerprint === undefined ? {} : { fingerprint }),
  }
  const member = await cluster.work({
    ...parts,
    limitCalls: (admission) => reflex.limitCalls(admission),
    limitTurns: (queues) => turns.limit(queues),
    carry: (run, queue) => turns.carry(run, queue),
    onTrouble: (fault: Fault) => reflex.report(fault),
  })
  return {
    can: words.can,
    async leave() {
      stop.abort()
      // Turns under way end when their runs are released. While the database is away one of the two fails, and the other has the grace.
      const ends = await endWithin(reflex.host, grace + LONGEST_END_MS, Promise.allSettled([member.drain(), turns.stop()]), turns)
      reflex.limitCalls(undefined)
      for (const end of ends) if (end.status === 'rejected') throw end.reason
    },
  }
}

/** Resolves as `ends` does. Throws `R5112` if that takes longer than so many milliseconds. */
async function endWithin<T>(host: Host, ms: number, ends: Promise<T>, turns: Turns): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const cancelTimer = host.at(host.now() + ms, () => reject(unended(ms, turns.runs)))
  return Promise.race([ends, late]).finally(cancelTimer)
}

function unended(ms: number, runs: readonly string[]): Fault {
  const what = runs.length === 0 ? 'the dispatcher in its process' : `of its runs ${runs.join(', ')}`
  return clusterFaults.make('R5112', `a worker has not ended ${Math.round(ms / 1000)} s after it was told to: ${what}`)
}

/** Takes turns of the cluster of a `Reflex` until the signal aborts and they have ended. Throws as `joinCluster` and `leave`. */
export async function workInCluster(reflex: WorkingReflex, options: WorkOptions & { readonly signal: AbortSignal }): Promise<void> {
  const { signal, grace, maxRuns, onEvent } = options
  if (signal.aborted) return
  const member = await joinCluster(reflex, {
    ...(grace === undefined ? {} : { grace }),
    ...(maxRuns === undefined ? {} : { slots: maxRuns }),
    ...(onEvent === undefined ? {} : { onEvent }),
  })
  await aborted(signal)
  await member.leave()
}

/** Resolves when a signal has aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
