import type { RunRow, Store, Worker } from '../kernel/index.ts'

/** The facts by which a process is known to be gone. */
export interface Processes {
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Returns false only if the process is certainly gone. */
  isAlive(worker: Worker): boolean
}

/**
 * Returns the runs among `rows` that have the status `running` and whose process is gone: they wait for a process
 * (experience 2).
 */
export async function abandonedRuns(store: Store, processes: Processes, rows: readonly RunRow[]): Promise<ReadonlySet<string>> {
  const running = rows.filter(({ status }) => status === 'running')
  if (running.length === 0) return new Set()
  const due = new Set(await store.due(processes.now))
  const gone = new Set<string>()
  for (const { id, owner } of running) {
    if (owner === null || !processes.isAlive(owner)) gone.add(id)
    // A run that a living process owns is never due.
    else if (due.has(id)) gone.add(id)
  }
  return gone
}
