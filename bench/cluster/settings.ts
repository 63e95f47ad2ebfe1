/** The limits of one Postgres server. */
export interface ServerLimits {
  readonly name: string
  readonly commitsPerSecond: number
  /** Bytes of log that its disk takes, and a replica receives. */
  readonly logBytesPerSecond: number
  readonly processors: number
  readonly connections: number
  /** Dead rows that vacuum removes. */
  readonly vacuumRowsPerSecond: number
}

/** The limits that an operator sets for a queue; what is absent is unlimited. */
export interface QueueLimits {
  readonly slots?: number
  readonly tenantSlots?: number
  /** The part of all slots that one tenant may take, from 0 to 1. Default: 0.8. */
  readonly share?: number
  /** So many turns begin in a period; at once at most as many. */
  readonly rate?: { readonly most: number; readonly perMs: number }
  readonly pauses?: readonly { readonly from: number; readonly to: number }[]
}

/** The runs of one tenant, and when they become due. */
export interface TenantLoad {
  readonly tenant: string
  readonly queue: string
  /** Turns with a lower number go first, before those of every other tenant. Default: 0. */
  readonly priority?: number
  /** The number of runs, one of which becomes due at each arrival. */
  readonly runs: number
  /** Arrivals per second, at random (Poisson). */
  readonly perSecond: number
  /** The first runs become due at once, in transactions of a thousand. */
  readonly burst?: { readonly at: number; readonly runs: number }
}

/** The work of a turn: a number of steps, each with one effect. */
export interface TurnWork {
  readonly steps: number
  /** The median of the milliseconds of an effect. */
  readonly medianMs: number
  /** The standard deviation of the logarithm of these milliseconds. */
  readonly spread: number
}

/** A cluster, and what happens to it. Times are milliseconds from the start. */
export interface ClusterSettings {
  readonly seed: number
  /** The time at which arrivals end. */
  readonly loadMs: number
  /** The time at which the simulation ends; absent: when every turn has ended. */
  readonly endMs?: number
  readonly workers: number
  /** Turns of one queue that a worker performs at once. */
  readonly slots: number
  /** Recovered turns that it performs beside them. */
  readonly recoverySlots: number
  readonly pollMs: number
  readonly tickMs: number
  readonly leaseMs: number
  readonly server: ServerLimits
  readonly connectionsPerWorker: number
  readonly queues: Readonly<Record<string, QueueLimits>>
  readonly tenants: readonly TenantLoad[]
  readonly work: TurnWork
  /** Workers that are killed. */
  readonly deaths?: readonly { readonly at: number; readonly worker: number }[]
  /** Workers that are stopped for a while, as by SIGSTOP. */
  readonly stops?: readonly { readonly at: number; readonly until: number; readonly worker: number }[]
}
