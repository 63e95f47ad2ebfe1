import { digest } from 'reflex-runtime/kernel'
import { clusterFaults, type ClusterWorker, isCallQueue, type WorkerParts } from 'reflex-runtime/store'
import { Calls } from './calls.ts'
import { addQueue, launchEngine, stopEngine } from './engine.ts'
import { Repeats, troubleOf } from './repeats.ts'
import { differingSecrets } from './secrets.ts'
import { engineSchema } from './sql/names.ts'
import { type Shared, Ticker } from './ticker.ts'
import { Turns } from './turns.ts'

/** Milliseconds between two ticks. */
const TICK_MS = 250
/** Milliseconds between two looks at the list of queues. */
const QUEUES_MS = 1000
/** Milliseconds between two attempts to start DBOS while another worker starts it. */
const LAUNCH_MS = 100
/** Milliseconds that DBOS may take to start. Then another worker starts it. */
const LONGEST_LAUNCH_MS = 120_000
/** The part of a lease between two heartbeats. */
const BEATS = 4
/** Milliseconds in which the ends of the last turns are written. After that the database is away for longer than a worker waits for it. */
const LONGEST_END_MS = 10_000

/** DBOS exists once in a process. */
let isTaken = false

/** Joins the cluster of a store as a worker. Throws `R5104` and `R5105`. */
export async function join(shared: Shared, parts: WorkerParts): Promise<ClusterWorker> {
  if (isTaken) throw clusterFaults.make('R5104', 'this process is a worker of a cluster already', { fix: 'start another process' })
  isTaken = true
  const worker = new Worker(shared, parts)
  try {
    await worker.start()
    return worker
  } catch (thrown) {
    await worker.drain().catch(() => undefined)
    throw thrown
  }
}

class Worker implements ClusterWorker {
  readonly #shared: Shared
  readonly #parts: WorkerParts
  readonly #version: string
  #isDraining = false
  #isLaunched = false
  /** True from the first heartbeat on. */
  #isKnown = false
  #drained: Promise<void> | undefined
  /** The queues that DBOS looks at for this worker. */
  readonly #served = new Set<string>()
  readonly #calls: Calls
  readonly #ticker: Ticker
  readonly #turns: Turns
  readonly #repeats: Repeats

  constructor(shared: Shared, parts: WorkerParts) {
    this.#shared = shared
    this.#parts = parts
    this.#calls = new Calls({ ...shared, worker: parts.worker.id, onTrouble: (thrown) => parts.onTrouble(troubleOf(thrown)) })
    this.#ticker = new Ticker(shared, () => this.#isDraining)
    this.#turns = new Turns(shared, parts, this.#ticker)
    this.#repeats = new Repeats(shared.host, (fault) => parts.onTrouble(fault))
    this.#version = digest(JSON.stringify([...parts.can].sort())).slice(0, 16)
  }

  async start(): Promise<void> {
    await this.#checkClock()
    // DBOS creates indexes, and waits for the transactions of others before it can.
    this.#shared.connection.setSilentLimit(LONGEST_LAUNCH_MS)
    await this.#launch()
    // A worker that hears nothing for a lease is taken for dead, and begins again with other connections when it hears.
    this.#shared.connection.setSilentLimit(this.#parts.leaseMs)
    // Turns are admitted for a worker as soon as it is known, so the tables of DBOS must be there.
    await this.#readQueues()
    this.#parts.limitCalls(this.#calls)
    this.#isKnown = true
    await this.#beat()
    const differing = await differingSecrets(this.#shared, this.#parts)
    if (differing !== undefined) this.#parts.onTrouble(differing)
    this.#repeats.repeat('beat', this.#parts.leaseMs / BEATS, () => this.#beat())
    this.#repeats.repeat('queues', QUEUES_MS, async () => {
      await this.#readQueues()
      await this.#turns.endForgotten()
    })
    this.#repeats.repeat('tick', TICK_MS, () => this.#ticker.tick())
  }

  /**
   * Starts DBOS, one worker at a time: the first one creates its tables, and two that do so together end each other. Waiting for a lock would
   * hold up the indexes that DBOS creates, so it is asked for again and again.
   */
  async #launch(): Promise<void> {
    const { connection, names, schema, host } = this.#shared
    const { worker, queues, slots } = this.#parts
    await connection.transaction(async (query) => {
      // This transaction waits while DBOS works with others.
      await query(`set local idle_in_transaction_session_timeout = ${LONGEST_LAUNCH_MS}`)
      const isFree = async (): Promise<boolean> => {
        // Without parameters: those would keep a snapshot, for which the indexes of DBOS wait.
        const [row] = await query<{ free: boolean }>(
          `select pg_try_advisory_xact_lock(hashtext('reflex cluster launch'), hashtext('${names.own}')) as free`,
        )
        return row?.free === true
      }
      while (!(await isFree())) await new Promise<void>((resolve) => void host.at(host.now() + LAUNCH_MS, resolve))
      this.#isLaunched = true
      await launchEngine({
        connection,
        host,
        schema: engineSchema(schema),
        worker: worker.id,
        version: this.#version,
        queues,
        slots,
        // Claimed by DBOS after this worker was told to end: it is for others.
        turn: (run, number) => (this.#isDraining ? this.#ticker.handBack([[run, number]]) : this.#turns.carry(run, number)),
        onTrouble: (text) => this.#parts.onTrouble(clusterFaults.make('R5107', `DBOS reports: ${text}`, { fix: 'read the message' })),
      })
    })
  }

  /** Serves the queues that an operator has created in the meantime, and limits calls by those of calls. */
  async #readQueues(): Promise<void> {
    const { connection, names } = this.#shared
    const { slots, queues } = this.#parts
    // A queue that was removed and created again is no longer one of DBOS.
    const rows = await connection.query<{ name: string; limited: boolean; looked_at: boolean }>(
      `select name, paused or ${names.own}.is_limited(queue) as limited, exists (select from ${names.engine}.queues where queues.name = queue.name) as looked_at
        from ${names.own}.queue order by name`,
    )
    const all = rows.map(({ name }) => name)
    this.#calls.setLimited(all.filter(isCallQueue))
    this.#parts.limitTurns(new Set(rows.filter(({ limited }) => limited).map(({ name }) => name)))
    for (const { name, looked_at } of rows.filter((row) => !isCallQueue(row.name))) {
      if (this.#isDraining || (looked_at && this.#served.has(name)) || (queues !== undefined && !queues.includes(name))) continue
      await addQueue(name, slots)
      this.#served.add(name)
    }
  }

  /** The heartbeat would be judged by another clock than that of the runs: a worker with a wrong clock does not join. */
  async #checkClock(): Promise<void> {
    const { connection, names, host } = this.#shared
    const before = host.now()
    const [row] = await connection.query<{ now: number }>(`select ${names.own}.now_ms()::float8 as now`)
    const after = host.now()
    const there = row?.now ?? after
    const off = there < before ? before - there : Math.max(0, there - after)
    if (off <= this.#parts.leaseMs / 4) return
    throw clusterFaults.make('R5105', `the clock of this machine is ${Math.round(off / 1000)} s off that of ${connection.shown}`, {
      fix: 'set the clock of this machine, for example by NTP',
    })
  }

  async #beat(): Promise<void> {
    const { connection, names } = this.#shared
    const { worker, can, queues, slots, leaseMs, fingerprint } = this.#parts
    await connection.query(
      `insert into ${names.own}.worker (id, version, can, open, queues, slots, began, seen, ttl, drains, fingerprint)
        values ($1, $2, $3, exists (select from unnest($3::text[]) as word where word like '%@*'), $4, $5, ${names.own}.now_ms(), ${names.own}.now_ms(),
          $6, $7, $8)
        on conflict (id) do update set version = excluded.version, can = excluded.can, open = excluded.open, queues = excluded.queues, slots = excluded.slots,
          seen = excluded.seen, ttl = excluded.ttl, drains = excluded.drains,
          began = case when worker.seen + worker.ttl > excluded.seen then worker.began else excluded.began end`,
      [worker.id, this.#version, [...can].sort(), queues ?? null, slots, leaseMs, this.#isDraining, fingerprint ?? null],
    )
  }

  drain(): Promise<void> {
    this.#drained ??= this.#drain()
    return this.#drained
  }

  /** The worker writes its heartbeat until its turns are over: a worker that is silent for a lease is taken for dead, and its turns and calls with it. */
  async #drain(): Promise<void> {
    this.#isDraining = true
    this.#repeats.end('tick')
    let hasEnded = false
    try {
      // While the database is away, a later heartbeat says it.
      if (this.#isKnown) await this.#beat().catch(() => undefined)
      hasEnded = await this.#stopEngine()
    } finally {
      await this.#repeats.stop()
    }
    // A worker that leaves nothing behind need not say it: its lease ends by itself.
    await this.#sayGone(hasEnded).catch((thrown: unknown) => {
      if (!hasEnded) throw thrown
    })
  }

  /** Says that this worker is gone. One that has left something behind is dead from now on: others look for it. */
  async #sayGone(hasEnded: boolean): Promise<void> {
    const { connection, names } = this.#shared
    const seen = hasEnded ? '0' : `${names.own}.now_ms() - ttl`
    if (this.#isKnown) await connection.query(`update ${names.own}.worker set seen = ${seen} where id = $1`, [this.#parts.worker.id])
  }

  /** Ends DBOS when the turns are over. What it cannot write while the database is away is given up in the end: false. */
  async #stopEngine(): Promise<boolean> {
    const { host } = this.#shared
    const ended = (this.#isLaunched ? stopEngine() : Promise.resolve()).finally(() => {
      isTaken = false
    })
    const rested = this.#turns.whenRested()
    const givenUp = rested.then(() => new Promise<void>((resolve) => void host.at(host.now() + LONGEST_END_MS, resolve, true)))
    const hasEnded = await Promise.race([ended.then(() => true), givenUp.then(() => false)])
    this.#turns.giveUp()
    return hasEnded
  }
}
