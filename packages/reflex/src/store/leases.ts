import type { Base, Claim, Lease, RunRow, Worker } from '../kernel/index.ts'
import { isGone, isAbandoned, type KnownWorker, knownWorker } from './known-worker.ts'
import { isAwaited, newColumns } from './columns.ts'
import type { Connection } from './connection.ts'
import { faults } from './faults.ts'
import { checkedRow, type OpenRun, ownerOf, plainWorker, sumOfRun } from './rows.ts'
import type { Statements } from './statements.ts'
import { firstSum, sumOf } from './checksums.ts'
import { addSegment } from './commit.ts'
import { baseSegment } from './segments.ts'

/** A worker that owns no open run is forgotten after this many milliseconds of silence. */
export const FORGET_AFTER_MS = 24 * 60 * 60 * 1000

/**
 * Decides which process may advance which run (architecture, invariant 6). The clock decides only who may take a lease,
 * never who may commit. These writes concern living processes, and a power failure ends all processes: a write becomes
 * durable with the next commit. A run whose first commit is lost never began.
 */
export class Leases {
  readonly #connection: Connection
  /** The workers that said hello through this object. If the table loses one, the next heartbeat restores it. */
  readonly #known = new Map<string, KnownWorker>()

  constructor(connection: Connection) {
    this.#connection = connection
  }

  hello(worker: Worker, now: number, ttl: number): void {
    const known = knownWorker(worker, now, ttl)
    this.#connection.writeUnsynced((sql) => {
      sql.forget.run(now - FORGET_AFTER_MS)
      writeWorker(sql, known)
    })
    this.#known.set(worker.id, known)
  }

  beat(worker: Worker, now: number, leases: readonly Lease[] = []): readonly string[] {
    const known = { ...this.#get(worker), seen: now }
    const validRuns = this.#connection.writeUnsynced((sql) => {
      writeWorker(sql, known)
      return leases.filter(({ run, token }) => sql.head.get(run)?.token === token).map(({ run }) => run)
    })
    this.#known.set(worker.id, known)
    return validRuns
  }

  create({ base, ...row }: Omit<RunRow, 'owner' | 'last'> & { readonly base?: Base }, worker: Worker): Lease | 'taken' {
    this.#get(worker)
    const run = newColumns(row, base)
    const chain = base?.chain ?? firstSum(run.id)
    const { id, trace, program, status, last, started, updated, due, waits, value, used } = run
    const changes = this.#connection.writeUnsynced((sql) => {
      const sum = sumOfRun(run, chain)
      const made = sql.create.run(id, trace, program, status, worker.id, last, chain, sum, started, updated, due, waits, value, used)
      if (made.changes === 1 && base !== undefined) writeBase(sql, id, Number(made.lastInsertRowid), base)
      return made.changes
    })
    return changes === 0 ? 'taken' : { run: id, token: 1, worker }
  }

  claim(id: string, worker: Worker, now: number): Claim {
    const known = this.#get(worker)
    return this.#connection.writeUnsynced((sql): Claim => {
      const run = sql.run.get(id)
      if (run === undefined) return { missing: true }
      const row = checkedRow(run)
      const owner = ownerOf(run)
      if (owner !== undefined && owner.id !== worker.id && !isGone(owner, now, new Set([worker.host]))) {
        return { owner: { worker: plainWorker(owner), seen: owner.seen } }
      }
      const token = run.token + 1
      sql.take.run(worker.id, token, run.seq)
      return { lease: { run: id, token, worker }, row: { ...row, owner: plainWorker(known) } }
    })
  }

  release(lease: Lease): void {
    this.#connection.writeUnsynced((sql) => sql.release.run(lease.run, lease.token))
  }

  due(now: number): readonly string[] {
    const localHosts = new Set([...this.#known.values()].filter(({ pid }) => pid === process.pid).map(({ host }) => host))
    const open = this.#connection.read((sql) => sql.open.all(now))
    return dueRuns(open, now, localHosts)
  }

  #get(worker: Worker): KnownWorker {
    const known = this.#known.get(worker.id)
    if (known === undefined) throw faults.make('R5028', `worker ${worker.id} did not say hello to ${this.#connection.name}`)
    return known
  }
}

/** Returns the runs that are due, the longest due first. `localHosts` are the names of this machine. */
export function dueRuns(runs: readonly OpenRun[], now: number, localHosts: ReadonlySet<string>): string[] {
  // Checking a process costs as much as reading a row, and most owners own many runs.
  const gone = new Map<string, boolean>()
  const isOwnerGone = (owner: KnownWorker): boolean => {
    const known = gone.get(owner.id) ?? isGone(owner, now, localHosts)
    gone.set(owner.id, known)
    return known
  }
  return runs
    .flatMap((run) => {
      const since = dueSince(run, now, isOwnerGone)
      return since === undefined ? [] : [{ id: run.id, since }]
    })
    .sort((a, b) => a.since - b.since)
    .map(({ id }) => id)
}

/**
 * Returns the time since which something is due for an unfinished run, or undefined. Nothing is due for a run with a
 * living owner: the owner serves it.
 */
function dueSince(run: OpenRun, now: number, isOwnerGone: (owner: KnownWorker) => boolean): number | undefined {
  const owner = ownerOf(run)
  if (owner !== undefined && !isOwnerGone(owner)) return undefined
  if (isAbandoned(run, owner, now)) return undefined
  const { due, told, status, updated } = run
  const messageSince = hasAwaitedMessage(run) ? run.heard : null
  const runningSince = status === 'running' ? (owner === undefined ? updated : owner.seen) : null
  const times = [due !== null && due <= now ? due : null, told, messageSince, runningSince].filter((time) => time !== null)
  return times.length === 0 ? undefined : Math.min(...times)
}

/** True if a message in the inbox meets an open wait. Any other message stays in the inbox, and nothing is due for it. */
function hasAwaitedMessage({ topics, waits }: OpenRun): boolean {
  return topics !== null && waits !== null && isAwaited(waits, JSON.parse(topics) as readonly string[])
}

function writeBase(sql: Statements, run: string, seq: number, base: Base): void {
  addSegment(sql, seq, baseSegment(run, base))
  sql.addSnapshot.run(seq, base.at, sumOf(base.at, base.snapshot), base.snapshot)
}

function writeWorker(sql: Statements, { id, host, pid, place, began, seen, ttl }: KnownWorker): void {
  sql.hello.run(id, host, pid, place, began, seen, ttl)
}
