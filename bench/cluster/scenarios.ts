import { meanTurnMs } from './work-times.ts'
import type { ClusterSettings, ServerLimits, TurnWork } from './settings.ts'

/**
 * A server with the settings with which Postgres is installed, one of eight processors, and one of the largest that can be rented. What
 * their disks take is an assumption: `pg_test_fsync` prints the commits of yours.
 */
export const SERVERS = {
  installed: {
    name: '2 processors, as installed',
    commitsPerSecond: 2000,
    logBytesPerSecond: 50e6,
    processors: 2,
    connections: 100,
    vacuumRowsPerSecond: 5000,
  },
  small: {
    name: '8 processors',
    commitsPerSecond: 5000,
    logBytesPerSecond: 100e6,
    processors: 8,
    connections: 500,
    vacuumRowsPerSecond: 20_000,
  },
  large: {
    name: '64 processors',
    commitsPerSecond: 50_000,
    logBytesPerSecond: 500e6,
    processors: 64,
    connections: 5000,
    vacuumRowsPerSecond: 100_000,
  },
} as const satisfies Record<string, ServerLimits>

/** Turns of agents: ten effects, half of which take more than 300 ms, some of them seconds. */
export const AGENT_WORK: TurnWork = { steps: 10, medianMs: 300, spread: 0.8 }

/** Connections of a worker: four for the store, two for its heartbeat and sweep, one that listens, four for the cluster with DBOS. */
export const CONNECTIONS_PER_WORKER = 11

/** The share of its slots for which a machine is given turns. */
export const LOAD = 0.6

/**
 * Returns a cluster of so many machines, each with one worker: nine tenants have their usual load, and after ten seconds another one has
 * many runs due at once.
 */
export function scenario(
  machines: number,
  server: ServerLimits,
  { burst = 100_000, ...change }: Partial<ClusterSettings> & { readonly burst?: number } = {},
): ClusterSettings {
  const slots = 64
  const perSecond = (machines * slots * LOAD * 1000) / meanTurnMs(AGENT_WORK)
  const others = Array.from({ length: 9 }, (_, i) => ({
    tenant: `tenant ${i + 1}`,
    queue: 'turns',
    runs: 20_000,
    perSecond: perSecond / 9,
  }))
  return {
    seed: 22,
    loadMs: 30_000,
    endMs: 30_000,
    workers: machines,
    slots,
    recoverySlots: 16,
    pollMs: 100,
    tickMs: 250,
    leaseMs: 15_000,
    server,
    connectionsPerWorker: CONNECTIONS_PER_WORKER,
    queues: { turns: {} },
    tenants: [{ tenant: 'burst', queue: 'turns', runs: burst, perSecond: 0, burst: { at: 10_000, runs: burst } }, ...others],
    work: AGENT_WORK,
    ...change,
  }
}
