import { databasesFor } from './cluster/capacity.ts'
import { AGENT_MACHINE, TABLES } from './cluster/capacity-tables.ts'
import type { Delays } from './cluster/delays.ts'
import { scenario, SERVERS } from './cluster/scenarios.ts'
import type { ClusterSettings } from './cluster/settings.ts'
import type { SimulationResult } from './cluster/result.ts'
import { simulate } from './cluster/simulate.ts'
import { otherTenants, simulationTable } from './cluster/simulation-table.ts'
import type { Line } from './measure.ts'

const MACHINES = 10_000

/** Prints the tables of `docs/scaling.md`: those of the capacity model, and that of the simulation. */
export async function clusterCapacity(line: Line): Promise<void> {
  for (const [name, table] of Object.entries({ ...TABLES, simulation: simulationTable }))
    for (const row of [`table ${name}`, ...table().split('\n')]) line(row, '', '')
}

/** Prints delays, queues and what is used, of clusters on virtual time: from one machine to 10,000, on one server and on several. */
export async function clusterSimulation(line: Line): Promise<void> {
  for (const machines of [1, 4, 10, 100]) print(line, `machines: ${machines}`, scenario(machines, SERVERS.small))
  print(line, 'machines: 100, a large server', scenario(100, SERVERS.large))
  const deaths = Array.from({ length: 25 }, (_, worker) => ({ at: 12_000, worker }))
  print(line, 'machines: 100, 25 of them killed', scenario(100, SERVERS.large, { deaths, loadMs: 45_000, endMs: 45_000 }))
  const short = { loadMs: 4000, endMs: 4000 }
  print(line, `machines: ${MACHINES}, one large server`, scenario(MACHINES, SERVERS.large, short))
  const databases = databasesFor(MACHINES, AGENT_MACHINE, SERVERS.large)
  const machines = Math.ceil(MACHINES / databases)
  const each = { burst: Math.ceil(100_000 / databases), loadMs: 14_000, endMs: 14_000 }
  print(line, `machines: ${MACHINES}, one of ${databases} large servers`, scenario(machines, SERVERS.large, each))
}

function print(line: Line, name: string, settings: ClusterSettings): void {
  const from = performance.now()
  const result = simulate(settings)
  const took = `${settings.server.name}; ${((performance.now() - from) / 1000).toFixed(1)} s to simulate ${settings.loadMs / 1000} s`
  line(name, `${(result.counts.ended / (settings.loadMs / 1000)).toFixed(0)} turns/s`, took)
  for (const [tenant, delays] of byTenant(result)) {
    const [half, most] = [delays.at(0.5), delays.at(0.99)].map((ms) => `${ms.toFixed(0)} ms`)
    line(`  due to begun, ${tenant}`, half ?? '', `99 of 100 within ${most ?? ''}; ${delays.count} turns`)
  }
  if (result.takeovers.count > 0)
    line('  taken over after a death', `${result.takeovers.at(0.5).toFixed(0)} ms`, `at most ${result.takeovers.at(1).toFixed(0)} ms`)
  const shares = Object.entries(result.used).toSorted(([, a], [, b]) => b - a)
  line('  used most', '', shares.map(([what, share]) => `${what} ${(share * 100).toFixed(0)} %`).join(', '))
  if (result.misjudged > 0) line('  living workers taken for dead', String(result.misjudged), 'their heartbeats were late')
  if (result.refused > 0) line('  workers without connections', String(result.refused), '')
  line('  waiting, admitted, running', '', queues(result))
}

/** The delays of the tenant with the burst, and of all others together. */
function byTenant(result: SimulationResult): readonly (readonly [string, Delays])[] {
  const [burst, others] = [result.delays.get('burst'), otherTenants(result)]
  return burst === undefined
    ? [['all tenants', others]]
    : [
        ['tenant with the burst', burst],
        ['other tenants', others],
      ]
}

/** The lengths of the queues at five times. */
function queues({ samples }: SimulationResult): string {
  const at = [0.25, 0.4, 0.6, 0.8, 1].map((share) => samples[Math.min(samples.length - 1, Math.round(share * samples.length))])
  return at
    .flatMap((sample) => (sample === undefined ? [] : [`${sample.at / 1000} s: ${sample.waiting}, ${sample.admitted}, ${sample.running}`]))
    .join('; ')
}
