import { Chaos } from '../../packages/cluster/test/chaos/chaos.ts'
import { postgresPrograms } from '../../packages/reflex/test/store/postgres-server.ts'
import type { Violation } from '../../packages/reflex/src/testing/index.ts'
import type { Finding } from './report.ts'

const WORKERS = 4
const LEASE_MS = 5000
/** Runs that have begun and not ended: enough that all workers have work, and so few that none waits for room. */
const ABREAST = 60
/** Milliseconds between two faults. */
const EVERY = [2000, 5000] as const

/**
 * Runs of all kinds in a cluster of real workers on a real server, while workers are killed, stopped, cut off and replaced, and the server
 * crashes. Prints how long runs that were due waited for a worker. Answers with a summary.
 */
export async function faultsOfCluster(runs: number, seed: number, add: (finding: Finding) => void): Promise<string> {
  const programs = postgresPrograms()
  if ('missing' in programs) return `no cluster: ${programs.missing}`
  const { wrong, delays, faults, turns, effects, again } = await Chaos.play({
    runs,
    seed,
    workers: WORKERS,
    leaseMs: LEASE_MS,
    abreast: ABREAST,
    every: EVERY,
  })
  const violations = wrong.map((text): Violation => ({ breach: breachOf(text), text }))
  add({ subject: 'cluster', point: `--cluster ${runs} --seed ${seed}`, violations, records: [] })
  const struck = Object.entries(faults).map(([name, count]) => `${count} ${name}`)
  const late = delays.filter(({ ms }) => ms > 2 * LEASE_MS)
  const of = (share: number): string => ((delays[Math.floor((delays.length - 1) * share)]?.ms ?? 0) / LEASE_MS).toFixed(2)
  return [
    `${runs.toLocaleString('en-US')} runs in a cluster, seed ${seed}: ${struck.join(', ')}; ${effects} effects, ${again} of them begun again; at most ${turns} turns of a run`,
    `  due ${delays.length.toLocaleString('en-US')} times, taken after ${of(0.5)} leases (median), ${of(0.99)} (99th), ${of(1)} (longest); ${late.length} after more than two`,
    ...late.slice(-5).map(({ run, what, ms }) => `  ${run}, due by ${what}, was taken after ${(ms / LEASE_MS).toFixed(1)} leases`),
  ].join('\n')
}

function breachOf(text: string): Violation['breach'] {
  if (text.includes(' repeated ')) return 'repeated'
  return text.includes(' lost ') ? 'lost' : 'stuck'
}
