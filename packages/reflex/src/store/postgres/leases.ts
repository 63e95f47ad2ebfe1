import type { Base, Claim, Lease, RunRow, UnreadRun, Worker } from '../../kernel/index.ts'
import { isGone, type KnownWorker, knownWorker } from '../known-worker.ts'
import { newColumns } from '../columns.ts'
import { faults } from '../faults.ts'
import { dueRuns, FORGET_AFTER_MS } from '../leases.ts'
import type { Commits } from './commit.ts'
import type { Ask, PostgresConnection } from './connection.ts'
import type { Value } from './driver.ts'
import { checkedRow, ownedRow, ownerOf, type OwnerlessRow, plainWorker, sumOfRun } from '../rows.ts'
import { firstSum, sumOf } from '../checksums.ts'
import { baseSegment } from '../segments.ts'

/** So many runs with unread messages are looked at in any case. */
const FEW_UNREAD = 64
/** The limit for a worker of another process, whose runs are not known here: none. */
const MOST_UNREAD = 1_000_000_000

/** Decides which process may advance which run, as `Leases` does for SQLite. No row stays locked between two statements. */
export class PostgresLeases {
  readonly #connection: PostgresConnection
  /** The connections for heartbeats only: the store sees that this process lives, even while the other connections wait. */
  readonly #heartbeats: PostgresConnection
  readonly #commits: Commits
  readonly #known = new Map<string, KnownWorker>()

  constructor(connection: PostgresConnection, heartbeats: PostgresConnection, commits: Commits) {
    this.#connection = connection
    this.#heartbeats = heartbeats
    this.#commits = commits
  }

  async hello(worker: Worker, now: number, ttl: number): Promise<void> {
    const known = knownWorker(worker, now, ttl)
    // A failed call must leave time for another attempt while the lease lasts.
    const shortest = Math.min(ttl, ...[...this.#known.values()].map((other) => other.ttl))
    this.#connection.setSilentLimit(shortest / 2)
    this.#heartbeats.setSilentLimit(shortest / 4)
    await this.#heartbeats.write((ask) => ask('hello', helloValues(known, now - FORGET_AFTER_MS)))
    this.#known.set(worker.id, known)
  }

  async beat(worker: Worker, now: number, leases: readonly Lease[] = []): Promise<readonly string[]> {
    const known = { ...this.#get(worker), seen: now }
    const validRuns = await this.#heartbeats.writeBriefly(async (ask) => {
      // Writes the heartbeat first: a process that takes over a run locks the worker's row, so the next read sees every
      // earlier takeover.
      await ask('hello', helloValues(known, null))
      if (leases.length === 0) return []
      const tokens = new Map((await ask('heads', [leases.map(({ run }) => run)])).map(({ id, token }) => [id, token]))
      return leases.filter(({ run, token }) => tokens.get(run) === token).map(({ run }) => run)
    })
    this.#known.set(worker.id, known)
    return validRuns
  }

  async create({ base, ...row }: Omit<RunRow, 'owner' | 'last'> & { readonly base?: Base }, worker: Worker): Promise<Lease | 'taken'> {
    this.#get(worker)
    const run = newColumns(row, base)
    const { id, trace, program, status, last, started, updated, due, waits, value, used } = run
    const chain = base?.chain ?? firstSum(id)
    const columns = [id, trace, program, status, worker.id, chain, sumOfRun(run, chain), started, updated, due, waits, value, used]
    const values = [...columns, last, ...baseValues(id, base)]
    const seq = await this.#connection.write(async (ask, unknownOutcome) => {
      const [created] = await ask('create', values)
      if (created !== undefined || !unknownOutcome) return created?.seq
      const [found] = await ask('run', [id])
      return found?.trace === trace && found.owner === worker.id && found.token === 1 && found.last === last ? found.seq : undefined
    })
    if (seq === undefined) return 'taken'
    this.#commits.remember({ seq, id, token: 1, status, last, chain, trace, program, started })
    return { run: id, token: 1, worker }
  }

  async claim(id: string, worker: Worker, now: number): Promise<Claim> {
    const known = this.#get(worker)
    return this.#connection.write(async (ask): Promise<Claim> => {
      // Most runs that are taken have no owner.
      const [free] = await ask('takeFree', [id, worker.id])
      if (free !== undefined) return this.#taken(ask, free, known)
      for (;;) {
        const [run] = await ask('run', [id])
        if (run === undefined) return { missing: true }
        checkedRow(run)
        const owner = ownerOf(run)
        if (owner !== undefined && owner.id !== worker.id && !isGone(owner, now, new Set([worker.host]))) {
          return { owner: { worker: plainWorker(owner), seen: owner.seen } }
        }
        const [taken] = await ask('take', [run.seq, run.token, worker.id, owner?.id ?? null, owner?.seen ?? null])
        // Another process was faster, or the owner lives: read the run again.
        if (taken === undefined) continue
        return this.#taken(ask, { ...run, ...taken }, known)
      }
    })
  }

  /** A damaged row is not kept: others must find the damage, too, and not an owner. */
  async #taken(ask: Ask, run: OwnerlessRow, known: KnownWorker): Promise<Claim> {
    const owner = plainWorker(known)
    try {
      const row = ownedRow(run, owner)
      this.#commits.remember(run)
      return { lease: { run: run.id, token: run.token, worker: owner }, row }
    } catch (thrown) {
      await ask('release', [run.id, run.token])
      throw thrown
    }
  }

  async release(lease: Lease): Promise<void> {
    this.#commits.forget(lease)
    await this.#connection.write((ask) => ask('release', [lease.run, lease.token]))
  }

  async due(now: number): Promise<readonly string[]> {
    const localHosts = new Set([...this.#known.values()].filter(({ pid }) => pid === process.pid).map(({ host }) => host))
    const open = await this.#connection.read((ask) => ask('open', [now, [...localHosts]]))
    return dueRuns(open, now, localHosts)
  }

  /**
   * Returns the runs of a worker with unread messages. If very many runs have some, it looks only at those that the worker has created
   * or claimed through this object, so that the cost is bounded by the smaller of the two numbers.
   */
  unread(worker: Worker): Promise<readonly UnreadRun[]> {
    const held = this.#known.has(worker.id) ? this.#commits.held : undefined
    const most = held === undefined ? MOST_UNREAD : Math.max(FEW_UNREAD, held.length)
    return this.#connection.read((ask) => ask('unread', [worker.id, held ?? [], most]))
  }

  #get(worker: Worker): KnownWorker {
    const known = this.#known.get(worker.id)
    if (known === undefined) throw faults.make('R5028', `worker ${worker.id} did not say hello to ${this.#connection.name}`)
    return known
  }
}

function helloValues({ id, host, pid, place, began, seen, ttl }: KnownWorker, forgetBefore: number | null): readonly Value[] {
  return [id, host, pid, place, began, seen, ttl, forgetBefore]
}

/** Returns the values for the state that a run begins with: its parent, the checksum of its segment row, and the snapshot. */
function baseValues(run: string, base: Base | undefined): readonly (string | number | null)[] {
  if (base === undefined) return [null, null, null, null]
  return [base.parent ?? null, baseSegment(run, base).sum, sumOf(base.at, base.snapshot), base.snapshot]
}
