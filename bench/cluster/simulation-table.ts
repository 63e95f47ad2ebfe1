/** The table of `docs/scaling.md` with what simulations show. */
import { type Cells, percent, rough, table, whole } from './capacity-tables.ts'
import { Delays } from './delays.ts'
import { scenario, SERVERS } from './scenarios.ts'
import type { ServerLimits } from './settings.ts'
import type { SimulationResult } from './result.ts'
import { simulate } from './simulate.ts'

const SIMULATED: readonly (readonly [machines: number, server: ServerLimits])[] = [
  [1, SERVERS.small],
  [10, SERVERS.small],
  [100, SERVERS.small],
  [100, SERVERS.large],
]

/** The milliseconds that are simulated; the burst comes after half of them. */
const LOAD_MS = 20_000

export function simulationTable(): string {
  const rows = SIMULATED.map(([machines, server]): Cells => {
    const settings = scenario(machines, server, { loadMs: LOAD_MS, endMs: LOAD_MS })
    const result = simulate(settings)
    const others = otherTenants(result)
    const [most] = Object.entries(result.used).toSorted(([, a], [, b]) => b - a)
    return [
      whole(machines),
      server.name,
      rough(result.counts.ended / (settings.loadMs / 1000)),
      milliseconds(others.at(0.5)),
      milliseconds(others.at(0.99)),
      whole(result.refused),
      most === undefined ? '' : `${most[0]}: ${percent(most[1])}`,
    ]
  })
  return table(['machines', 'Postgres', 'turns/s', 'due to begun, half', '99 of 100', 'workers without connections', 'used most'], rows)
}

/** The delays of all tenants but the one with the burst. */
export function otherTenants({ delays }: SimulationResult): Delays {
  const others = new Delays()
  for (const [tenant, one] of delays) if (tenant !== 'burst') others.addAll(one)
  return others
}

function milliseconds(ms: number): string {
  return ms < 1000 ? `${rough(ms)} ms` : `${rough(ms / 1000)} s`
}
