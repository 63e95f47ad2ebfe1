import type { Claim, Lease, RunRow, Worker } from '../kernel/ports/store.ts'
import { isGone, isStillborn, type KnownWorker, knownWorker } from './alive.ts'
import { isAwaited, newColumns } from './columns.ts'
import type { Connection } from './connection.ts'
import { faults } from './faults.ts'
import { checkedRow, type OpenRun, ownerOf, plainWorker, sumOfRun } from './rows.ts'
import type { Statements } from './statements.ts'
import { firstSum } from './sums.ts'

/** A worker that held nothing for so long is forgotten. */
export const FORGOTTEN_MS = 24 * 60 * 60 * 1000

/**
 * Who may advance which run (architecture, invariant 6). The clock decides only who may take a lease, never who may
 * commit. What is written here concerns living processes, and a loss of power ends them all: it is noted, and durable
 * with the next commit. A run whose first commit had not come yet never began.
 */
export class Leases {
  readonly #connection: Connection
  /** The workers that said hello here: one that the table has lost comes back with its next sign of life. */
  readonly #known = new Map<string, KnownWorker>()

  constructor(connection: Connection) {
    this.#connection = connection
  }

  hello(worker: Worker, now: number, ttl: number): void {
    const known = knownWorker(worker, now, ttl)
    this.#connection.note((sql) => {
      sql.forget.run(now - FORGOTTEN_MS)
      greet(sql, known)
    })
    this.#known.set(worker.id, known)
  }

  beat(worker: Worker, now: number, leases: readonly Lease[] = []): readonly string[] {
    const known = { ...this.#get(worker), seen: now }
    const held = this.#connection.note((sql) => {
      greet(sql, known)
      return leases.filter(({ run, token }) => sql.head.get(run)?.token === token).map(({ run }) => run)
    })
    this.#known.set(worker.id, known)
    return held
  }

  create(row: Omit<RunRow, 'owner' | 'last'>, worker: Worker): Lease | 'taken' {
    this.#get(worker)
    const run = newColumns(row)
    const chain = firstSum(run.id)
    const { id, trace, program, status, started, updated, due, waits, value } = run
    const { changes } = this.#connection.note((sql) =>
      sql.create.run(id, trace, program, status, worker.id, chain, sumOfRun(run, chain), started, updated, due, waits, value),
    )
    return changes === 0 ? 'taken' : { run: id, token: 1, worker }
  }

  claim(id: string, worker: Worker, now: number): Claim {
    const known = this.#get(worker)
    return this.#connection.note((sql): Claim => {
      const run = sql.run.get(id)
      if (run === undefined) return { missing: true }
      const row = checkedRow(run)
      const holder = ownerOf(run)
      if (holder !== undefined && holder.id !== worker.id && !isGone(holder, now, new Set([worker.host]))) {
        return { holder: { worker: plainWorker(holder), seen: holder.seen } }
      }
      const token = run.token + 1
      sql.take.run(worker.id, token, run.seq)
      return { lease: { run: id, token, worker }, row: { ...row, owner: plainWorker(known) } }
    })
  }

  release(lease: Lease): void {
    this.#connection.note((sql) => sql.release.run(lease.run, lease.token))
  }

  due(now: number): readonly string[] {
    const here = new Set([...this.#known.values()].filter(({ pid }) => pid === process.pid).map(({ host }) => host))
    const open = this.#connection.read((sql) => sql.open.all(now))
    return dueRuns(open, now, here)
  }

  #get(worker: Worker): KnownWorker {
    const known = this.#known.get(worker.id)
    if (known === undefined) throw faults.make('R5028', `worker ${worker.id} did not say hello to ${this.#connection.name}`)
    return known
  }
}

/** The runs that are due, the longest due first; `here` are the names of this machine. */
export function dueRuns(runs: readonly OpenRun[], now: number, here: ReadonlySet<string>): string[] {
  // A look for a process costs as much as reading a row, and most owners hold many runs.
  const gone = new Map<string, boolean>()
  const isAway = (owner: KnownWorker): boolean => {
    const known = gone.get(owner.id) ?? isGone(owner, now, here)
    gone.set(owner.id, known)
    return known
  }
  return runs
    .flatMap((run) => {
      const since = dueSince(run, now, isAway)
      return since === undefined ? [] : [{ id: run.id, since }]
    })
    .sort((a, b) => a.since - b.since)
    .map(({ id }) => id)
}

/** The time since which something is due for an unfinished run that no process carries. A living process serves its own runs. */
function dueSince(run: OpenRun, now: number, isAway: (owner: KnownWorker) => boolean): number | undefined {
  const owner = ownerOf(run)
  if (owner !== undefined && !isAway(owner)) return undefined
  if (isStillborn(run.last, owner, now)) return undefined
  const { due, told, status, updated } = run
  const met = isMet(run) ? run.heard : null
  const left = status === 'running' ? (owner === undefined ? updated : owner.seen) : null
  const times = [due !== null && due <= now ? due : null, told, met, left].filter((time) => time !== null)
  return times.length === 0 ? undefined : Math.min(...times)
}

/** A message that nobody waits for stays in the inbox, and nothing is due for it. */
function isMet({ topics, waits }: OpenRun): boolean {
  return topics !== null && waits !== null && isAwaited(waits, JSON.parse(topics) as readonly string[])
}

function greet(sql: Statements, { id, host, pid, place, began, seen, ttl }: KnownWorker): void {
  sql.hello.run(id, host, pid, place, began, seen, ttl)
}
