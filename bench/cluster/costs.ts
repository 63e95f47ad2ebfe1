/**
 * What the parts of a cluster cost, as measured: `npm run bench -- cluster-costs` prints those of the store. The capacity model and the
 * simulation use the same figures.
 */

/** The cost of one thing. */
export interface Cost {
  /** Transactions that wait for the disk. Runs of one worker share them, so a step costs a part of one. */
  readonly commits: number
  /** Bytes of the server's log. */
  readonly logBytes: number
  /** Bytes by which tables and indexes grow. */
  readonly tableBytes: number
  /** Rows that an update or a deletion leaves for vacuum. */
  readonly deadRows: number
  /** Milliseconds of the server's processors. */
  readonly serverMs: number
  /** Milliseconds of the worker's processor. */
  readonly workerMs: number
}

export const FREE: Cost = { commits: 0, logBytes: 0, tableBytes: 0, deadRows: 0, serverMs: 0, workerMs: 0 }

/** One step with one effect that leaves, of one of ten runs of a worker. */
export const STEP: Cost = { commits: 0.12, logBytes: 540, tableBytes: 250, deadRows: 0.12, serverMs: 0.13, workerMs: 0.12 }

/** Opening a run, taking its lease, and releasing it: a run of two steps without its steps. */
export const HOLD: Cost = { commits: 1.34, logBytes: 2050, tableBytes: 0, deadRows: 3, serverMs: 1.7, workerMs: 1.35 }

/** One workflow of DBOS 5.3.0 without steps, from its enqueueing to its end; its row is removed a day after. */
export const DISPATCH: Cost = { commits: 2.07, logBytes: 2790, tableBytes: 950, deadRows: 3, serverMs: 2, workerMs: 0.95 }

/** The turn's own row: due, admitted, begun, ended. Its bytes are counted from the statements. */
export const TURN_ROW: Cost = { commits: 2, logBytes: 1400, tableBytes: 0, deadRows: 4, serverMs: 1, workerMs: 0.2 }
/** One look of a worker that has a free slot at its queue and at that of recovered turns, each tenth of a second. */
export const POLL: Cost = { ...FREE, serverMs: 4, workerMs: 3.5 }
/** The milliseconds of the server for each enqueued turn that a poll walks over: half a second for 100,000. */
export const WALK_MS = 0.005

/** One heartbeat of a worker, in the store and in the cluster. */
export const HEARTBEAT: Cost = { ...FREE, commits: 2, logBytes: 400, deadRows: 2, serverMs: 0.3, workerMs: 0.3 }

/** One tick without anything due: timers, workers, turns that wait. One worker at a time does it for all. */
export const TICK: Cost = { ...FREE, commits: 1, logBytes: 200, serverMs: 2, workerMs: 1 }
/** The milliseconds of a tick for each timer that is due, which it makes a turn of. */
export const TIMER_MS = 0.1

/** The sum of costs, each so many times. */
export function total(...parts: readonly (readonly [times: number, cost: Cost])[]): Cost {
  const sum = (key: keyof Cost): number => parts.reduce((all, [times, cost]) => all + times * cost[key], 0)
  return {
    commits: sum('commits'),
    logBytes: sum('logBytes'),
    tableBytes: sum('tableBytes'),
    deadRows: sum('deadRows'),
    serverMs: sum('serverMs'),
    workerMs: sum('workerMs'),
  }
}
