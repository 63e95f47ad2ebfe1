/** What the runtime and the package `reflex-runtime-cluster` say to each other. The runtime builds, and runs on one machine, without it. */
import type { Admission, Fault, FaultData, Host, Worker } from '../kernel/index.ts'

/** The end of a turn, as the runtime that carried the run reports it. */
export type TurnOutcome =
  /** The run rests or has ended, or this worker goes on holding it because it is due again within seconds. */
  | { readonly did: 'rested' }
  /** A living process holds the run, and goes on with it. */
  | { readonly did: 'held' }
  /** The run has ended or was removed in the meantime, or only the process that began it can continue it. */
  | { readonly did: 'gone' }
  /** Words of `can` that this worker does not have, or several in one of which any is enough (`anyOf`). Nothing was recorded. */
  | { readonly did: 'lacks'; readonly needs: readonly string[] }
  /** `again`: a later attempt may succeed. */
  | { readonly did: 'failed'; readonly fault: FaultData; readonly again: boolean }

/** What the runtime hands to the cluster when it joins as a worker. */
export interface WorkerParts {
  /** Its id names the worker in the cluster and in DBOS. */
  readonly worker: Worker
  /** Milliseconds without a heartbeat after which the worker counts as dead. */
  readonly leaseMs: number
  /**
   * What this worker can run, such as `kind:workflow@3` and `tool:refund`. Workers with the same words share a version. A function is listed by
   * its name, `function:workflow/approved`, and in each version, `function:workflow/approved@2`; one that the host gives without a version is
   * listed as `function:workflow/approved@*`, which stands for every version. So a run that any version serves needs the name alone. Agents,
   * types of nodes, actions, schemas, tools and models have no versions.
   */
  readonly can: readonly string[]
  /** The most turns of a queue at once. */
  readonly slots: number
  /** The queues that it serves. Default: all. */
  readonly queues?: readonly string[]
  /** The fingerprint of the secret of its user, from which the secret cannot be found. Absent: this process has none. */
  readonly fingerprint?: string
  /**
   * Called before the first turn, with what limits the calls of this process by the queues `model:PROVIDER` and `tool:NAME` in the whole cluster. A
   * limit that an operator sets is known within a second. A call that waits while the server is away waits until it is there again.
   */
  limitCalls(admission: Admission): void
  /**
   * Called before the first turn and about once a second, with the queues whose turns are limited or paused. Between two turns the worker holds no run of such
   * a queue, even if it is due again within seconds: a turn is needed for whatever it does.
   */
  limitTurns(queues: ReadonlySet<string>): void
  /** Carries a run of a queue on until it rests. It does not throw. */
  carry(run: string, queue: string): Promise<TurnOutcome>
  onTrouble(fault: Fault): void
}

/** A process that takes turns. */
export interface ClusterWorker {
  /**
   * Takes no more turns. Resolves when those that it has taken are over; the worker counts as alive until then. Throws `R5101` if the database is away
   * at the end.
   */
  drain(): Promise<void>
}

/** The place of a run among the others, decided when it starts. */
export interface RunPlace {
  /** Default: `default`. */
  readonly queue?: string
  /** Default: none. */
  readonly tenant?: string
  /** A lower number goes first. Default: 0. */
  readonly priority?: number
  /** Words of `can` that its worker must have, besides those for its program. A word without a version is met by any version. */
  readonly needs?: readonly string[]
}

/** A number of turns or calls in a period, which is in milliseconds. */
export interface QueueRate {
  readonly most: number
  readonly per: number
}

/** The limits of a queue, set by the operator. An absent limit stays as it is; `null` removes it. */
export interface QueueLimits {
  /** The most turns at once in the whole cluster. */
  readonly slots?: number | null
  /** The most turns of one tenant at once. */
  readonly tenantSlots?: number | null
  /**
   * The part of all slots that one named tenant may take, from 0 to 1. Default: 0.8. With more than an equal part of the slots it leaves two
   * free for each turn above it, until the rest is free.
   */
  readonly share?: number | null
  /** The most turns that begin in a period. */
  readonly rate?: QueueRate | null
  /** The most turns of one tenant that begin in a period. */
  readonly tenantRate?: QueueRate | null
  /** True: no turn of the queue begins. Turns under way go on. */
  readonly paused?: boolean
}

/** A queue, as the operator set it. */
export interface QueueFacts {
  readonly name: string
  readonly slots: number | null
  readonly tenantSlots: number | null
  readonly share: number
  readonly rate: QueueRate | null
  readonly tenantRate: QueueRate | null
  readonly paused: boolean
  /** Turns that are due and not admitted; of a queue of calls, the calls that wait for room in living workers. */
  readonly waiting: number
  /** Turns that are admitted and not begun. */
  readonly admitted: number
  /** Turns under way; of a queue of calls, the calls under way. */
  readonly begun: number
}

/** A worker of the cluster. */
export interface WorkerFacts {
  readonly id: string
  readonly version: string
  readonly can: readonly string[]
  readonly queues: readonly string[] | null
  readonly fingerprint: string | null
  readonly slots: number
  /** Milliseconds since the epoch, by the clock of the database. */
  readonly began: number
  readonly seen: number
  readonly isAlive: boolean
  readonly drains: boolean
  /** The turns that it has begun. */
  readonly turns: number
}

/** Waiting turns of one tenant in one queue. */
export interface WaitingFacts {
  readonly queue: string
  readonly tenant: string
  readonly waiting: number
  /** The time since which the oldest of them is due, in milliseconds since the epoch. */
  readonly oldest: number
}

/** A run that is due and that no living worker can take. */
export interface MissingFacts {
  readonly run: string
  /** The words that the nearest living worker lacks; none if no such worker serves its queue; all words of the run if no worker is alive. */
  readonly lacks: readonly string[]
  /** All words that the run needs. */
  readonly needs: readonly string[]
  readonly queue: string
  readonly since: number
}

/** A run whose turns ended without a result too often. It is left until it has a new input, or an operator says `retry`. */
export interface StuckFacts {
  readonly run: string
  /** The number of workers in a row that died in its turn. */
  readonly crashes: number
  readonly fault: FaultData
  readonly since: number
}

/** A run in whose turn two workers or more have died in a row. After ten it is stuck. */
export interface CrashingFacts {
  readonly run: string
  readonly crashes: number
  /** The worker that has its turn now, or had it last. */
  readonly worker: string | null
}

/** A run whose turns ended three times in a row or more without a result. It is tried again, each time later, up to half a minute. */
export interface RetryingFacts {
  readonly run: string
  readonly tries: number
  /** What ended the latest of them. */
  readonly fault: FaultData
}

/** The turn of one run, and what it needs to begin. */
export interface TurnFacts {
  readonly queue: string
  readonly isPaused: boolean
  /** `rests`: nothing is due for the run; `waits`: it is due; `admitted`: a worker is about to begin it; `stuck`: it is set aside. */
  /** All words that its worker must have. */
  readonly needs: readonly string[]
  readonly state: 'rests' | 'waits' | 'admitted' | 'begun' | 'stuck'
  /** The number of living workers. */
  readonly workers: number
  /** As those of `MissingFacts`; absent if a living worker can take the turn. */
  readonly lacks?: readonly string[]
  /** What ended the latest of several turns without a result. */
  readonly fault?: FaultData
}

/** The state of a cluster. Lists have at most 100 entries; the counts are exact. */
export interface ClusterFacts {
  readonly workers: readonly WorkerFacts[]
  readonly queues: readonly QueueFacts[]
  readonly waiting: readonly WaitingFacts[]
  readonly missing: readonly MissingFacts[]
  readonly missingCount: number
  readonly stuck: readonly StuckFacts[]
  readonly stuckCount: number
  /** The most crashes first. */
  readonly crashing: readonly CrashingFacts[]
  readonly crashingCount: number
  /** The most tries first. */
  readonly retrying: readonly RetryingFacts[]
  readonly retryingCount: number
}

export interface ClusterOptions {
  readonly host: Host
}

/** The cluster of one store. Every method throws `R5101` to `R5109` for a server, schema or argument that cannot be used. */
export interface Cluster {
  /**
   * Joins as a worker, once per process: takes turns until it is drained. Throws `R5104` for a second worker in this process, and
   * `R5105` if the clock of this machine differs too much from that of the database.
   */
  work(parts: WorkerParts): Promise<ClusterWorker>
  /** Sets the place of a run before it is created. Throws `R5106` for a queue that does not exist. */
  enlist(run: string, place: RunPlace): Promise<void>
  queues(): Promise<readonly QueueFacts[]>
  /** Creates or changes a queue. The queues `model:PROVIDER` and `tool:NAME` limit calls in place of turns: they have slots and a rate. */
  setQueue(name: string, limits: QueueLimits): Promise<QueueFacts>
  /**
   * Removes a queue. Calls that wait in a queue of calls begin. Throws `R5106` for one that does not exist, and `R5110` for `default` and for one
   * that has runs that have not ended, or that are about to be created: nothing would carry them on.
   */
  removeQueue(name: string): Promise<void>
  /** Makes a stuck run due again. False if it is not stuck. */
  retry(run: string): Promise<boolean>
  /** Gives a run that rests a turn, although nothing is due for it: a fork, or a run that has stopped. False if there is none, or it has ended. */
  resume(run: string): Promise<boolean>
  facts(): Promise<ClusterFacts>
  /** Returns the turn of a run; undefined for a run that was never due here, or has ended. */
  turn(run: string): Promise<TurnFacts | undefined>
  close(): Promise<void>
}

/** The package `reflex-runtime-cluster`, as the runtime uses it. */
export interface ClusterPackage {
  /** Opens the cluster of the store at an address. Creates what it needs beside the store, or checks it. */
  openCluster(address: string, options: ClusterOptions): Promise<Cluster>
  /** Opens the cluster of a store if there is one, and changes nothing; undefined otherwise. */
  findCluster(address: string, options: ClusterOptions): Promise<Cluster | undefined>
}
