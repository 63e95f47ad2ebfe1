/** The tables of `docs/scaling.md`, computed by the capacity model: `npm run bench -- cluster-capacity` prints them. */
import { bytesOfDay, costOfSteps, databasesFor, demandOf, limitsOf, type Machine, type Resource, usedShares } from './capacity.ts'
import { AGENT_WORK, CONNECTIONS_PER_WORKER, LOAD, SERVERS } from './scenarios.ts'
import type { ServerLimits } from './settings.ts'

/** The machine of the tables: agents that call models, one turn of ten at a time that was set. */
export const AGENT_MACHINE: Machine = {
  slots: 64,
  load: LOAD,
  work: AGENT_WORK,
  connections: CONNECTIONS_PER_WORKER,
  pollMs: 100,
  leaseMs: 15_000,
  tickMs: 250,
  timed: 0.1,
}

const WORDS: Readonly<Record<Resource, string>> = {
  connections: 'connections',
  commits: 'commits',
  log: 'bytes of the log',
  processors: 'processors of the server',
  vacuum: 'dead rows for vacuum',
  tick: 'the tick',
}

export type Cells = readonly (string | number)[]

/** Returns a table of Markdown. */
export function table(head: Cells, rows: readonly Cells[]): string {
  const line = (cells: Cells): string => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** A whole number with separators. */
export const whole = (value: number): string => Math.round(value).toLocaleString('en-US')
/** Two digits that matter: more would claim an accuracy that the model has not. */
export const rough = (value: number): string => Number(value.toPrecision(2)).toLocaleString('en-US')
export const percent = (share: number): string => `${rough(share * 100)} %`

/** Returns the table of the costs of 1,000 steps per second, for turns of different lengths. */
export function costTable(): string {
  const rows = [1, 10, 100].map((stepsOfTurn) => {
    const cost = costOfSteps(1000, stepsOfTurn)
    const { log, tables } = bytesOfDay(cost)
    return [
      whole(stepsOfTurn),
      whole(1000 / stepsOfTurn),
      rough(cost.commits),
      `${rough(cost.logBytes / 1e6)} MB`,
      `${rough(log)} GB`,
      `${rough(tables)} GB`,
      rough(cost.serverMs / 1000),
      rough(cost.workerMs / 1000),
    ]
  })
  const head = ['steps of a turn', 'turns/s', 'commits/s', 'log/s', 'log a day', 'tables a day', 'processors of Postgres', 'of workers']
  return table(head, rows)
}

/** Returns the table of what machines use of a server, and of the resource that is used up first. */
export function machinesTable(): string {
  const { installed, small, large } = SERVERS
  const rows = (
    [
      [1, installed],
      [10, installed],
      [10, small],
      [100, small],
      [100, large],
      [10_000, large],
    ] as const
  ).map(([machines, server]) => machinesRow(machines, server))
  return table(
    ['machines', 'Postgres', 'turns/s', 'steps/s', 'connections', 'commits', 'log', 'processors', 'vacuum', 'tick', 'databases'],
    rows,
  )
}

function machinesRow(machines: number, server: ServerLimits): Cells {
  const [{ turns, steps, connections }, used] = [demandOf(machines, AGENT_MACHINE), usedShares(machines, AGENT_MACHINE, server)]
  const shares = (['commits', 'log', 'processors', 'vacuum', 'tick'] as const).map((resource) => percent(used[resource]))
  return [
    whole(machines),
    server.name,
    rough(turns),
    rough(steps),
    `${whole(connections)} of ${whole(server.connections)}`,
    ...shares,
    databasesFor(machines, AGENT_MACHINE, server),
  ]
}

/** The most machines that one server is planned for, by what they use up. */
export function limitsTable(): string {
  const servers = Object.values(SERVERS)
  const limits = servers.map((server) => limitsOf(AGENT_MACHINE, server))
  const head = ['used up', ...servers.map(({ name }) => name)]
  const rows = (limits.at(-1) ?? []).map(({ resource }) => [
    WORDS[resource],
    ...limits.map((list) => rough(list.find((limit) => limit.resource === resource)?.machines ?? 0)),
  ])
  return table(head, rows)
}

/** The limits of the servers of the tables. */
export function serversTable(): string {
  const rows = Object.values(SERVERS).map((server: ServerLimits) => [
    server.name,
    whole(server.commitsPerSecond),
    `${whole(server.logBytesPerSecond / 1e6)} MB`,
    whole(server.connections),
    whole(server.vacuumRowsPerSecond),
  ])
  return table(['Postgres', 'commits/s', 'log/s', 'connections', 'rows that vacuum removes/s'], rows)
}

export const TABLES = { costs: costTable, servers: serversTable, limits: limitsTable, machines: machinesTable }
