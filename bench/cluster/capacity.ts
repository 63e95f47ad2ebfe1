/**
 * The capacity model: from measured costs to the machines, servers, connections and disks of a load, and what is used up first. It has
 * no queues: `simulate.ts` shows these.
 */
import { type Cost, DISPATCH, FREE, HEARTBEAT, HOLD, POLL, STEP, TICK, TIMER_MS, total, TURN_ROW } from './costs.ts'
import type { ServerLimits, TurnWork } from './settings.ts'
import { meanTurnMs } from './work-times.ts'

/** The load of one machine. A machine has one worker, which uses one processor. */
export interface Machine {
  /** Turns that it performs at once. */
  readonly slots: number
  /** The share of the slots that are in use. */
  readonly load: number
  readonly work: TurnWork
  readonly connections: number
  readonly pollMs: number
  readonly leaseMs: number
  readonly tickMs: number
  /** The share of turns that begin at a time that was set: the tick finds them. */
  readonly timed: number
}

/** Resources of a server that a cluster uses. */
export type Resource = 'connections' | 'commits' | 'log' | 'processors' | 'vacuum' | 'tick'

/** The share of a resource that is planned: above it, queues grow faster than the load. Connections do not queue. */
const PLANNED = 0.7
const SECONDS_A_DAY = 86_400
const MOST_MACHINES = 2 ** 20

/** The work of all machines in one second, and the resources that it uses. */
export interface Demand {
  readonly turns: number
  readonly steps: number
  readonly connections: number
  readonly cost: Cost
  /** Milliseconds of each tick. */
  readonly tickMs: number
}

/** The cost of so many steps in turns of so many steps, without workers that wait. */
export function costOfSteps(steps: number, stepsOfTurn: number): Cost {
  const turns = steps / stepsOfTurn
  return total([steps, STEP], [turns, HOLD], [turns, DISPATCH], [turns, TURN_ROW])
}

/** Returns what machines do and use in one second. */
export function demandOf(machines: number, machine: Machine): Demand {
  const { slots, load, work, connections, pollMs, leaseMs, tickMs, timed } = machine
  const turns = (machines * slots * load * 1000) / meanTurnMs(work)
  const steps = turns * work.steps
  const idle = total([(machines * 1000) / pollMs, POLL], [(machines * 5000) / leaseMs, HEARTBEAT], [1000 / tickMs, TICK])
  const timers = { ...FREE, serverMs: turns * timed * TIMER_MS }
  return {
    turns,
    steps,
    connections: machines * connections,
    cost: total([1, costOfSteps(steps, work.steps)], [1, idle], [1, timers]),
    tickMs: TICK.serverMs + ((turns * timed * tickMs) / 1000) * TIMER_MS,
  }
}

/** Returns the share of each resource of one server that machines use; more than 1 if it is not enough. */
export function usedShares(machines: number, machine: Machine, server: ServerLimits): Readonly<Record<Resource, number>> {
  const { connections, cost, tickMs } = demandOf(machines, machine)
  return {
    connections: connections / server.connections,
    commits: cost.commits / server.commitsPerSecond,
    log: cost.logBytes / server.logBytesPerSecond,
    processors: cost.serverMs / (server.processors * 1000),
    vacuum: cost.deadRows / server.vacuumRowsPerSecond,
    tick: tickMs / machine.tickMs,
  }
}

/** Returns the resources in the order in which machines use them up, each with the most machines for which it is planned. */
export function limitsOf(machine: Machine, server: ServerLimits): readonly { readonly resource: Resource; readonly machines: number }[] {
  const resources = Object.keys(usedShares(1, machine, server)) as Resource[]
  return resources
    .map((resource) => ({
      resource,
      machines: mostMachines((count) => usedShares(count, machine, server)[resource] <= plannedOf(resource)),
    }))
    .toSorted((a, b) => a.machines - b.machines)
}

function plannedOf(resource: Resource): number {
  return resource === 'connections' ? 1 : PLANNED
}

/** Returns the most machines for which something holds, which more machines never make true again. */
function mostMachines(holds: (machines: number) => boolean): number {
  let [most, tooMany] = [0, MOST_MACHINES]
  while (tooMany - most > 1) {
    const middle = Math.floor((most + tooMany) / 2)
    if (holds(middle)) most = middle
    else tooMany = middle
  }
  return most
}

/** Returns the number of databases over which machines have to be spread. */
export function databasesFor(machines: number, machine: Machine, server: ServerLimits): number {
  const [first] = limitsOf(machine, server)
  return Math.ceil(machines / Math.max(1, first?.machines ?? 1))
}

/** Returns the gigabytes of a day that are written to the log, and by which tables grow. */
export function bytesOfDay({ logBytes, tableBytes }: Pick<Cost, 'logBytes' | 'tableBytes'>): {
  readonly log: number
  readonly tables: number
} {
  return { log: (logBytes * SECONDS_A_DAY) / 1e9, tables: (tableBytes * SECONDS_A_DAY) / 1e9 }
}
