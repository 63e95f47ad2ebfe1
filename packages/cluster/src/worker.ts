import { digest, type Fault, faultData, toFault } from 'reflex-runtime/kernel'
import { clusterFaults, type ClusterWorker, type TurnOutcome, type WorkerParts } from 'reflex-runtime/store'
import { Calls } from './calls.ts'
import { addQueue, launchEngine, stopEngine } from './engine.ts'
import { differingSecrets } from './secrets.ts'
import { engineSchema } from './sql/names.ts'
import { type Shared, Ticker } from './ticker.ts'

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
  /** The turns under way: the run and its number. */
  readonly #turns = new Set<string>()
  /** Turns that were begun here according to the database and are not under way, as of the last look. */
  #forgotten: ReadonlySet<string> = new Set()
  #isDraining = false
  #isLaunched = false
  #drained: Promise<void> | undefined
  /** The repeated tasks that have failed: the code of the fault, and whether the task has worked since. */
  readonly #failing = new Map<string, { readonly code: string; works: boolean }>()
  readonly #cancelTimers = new Map<string, () => void>()
  /** The queues that DBOS looks at for this worker. */
  readonly #served = new Set<string>()
  readonly #calls: Calls
  readonly #ticker: Ticker

  constructor(shared: Shared, parts: WorkerParts) {
    this.#shared = shared
    this.#parts = parts
    this.#calls = new Calls({ ...shared, worker: parts.worker.id, onTrouble: (thrown) => parts.onTrouble(faultOf(thrown)) })
    this.#ticker = new Ticker(shared, () => this.#isDraining)
    this.#version = digest(JSON.stringify([...parts.can].sort())).slice(0, 16)
  }

  async start(): Promise<void> {
    await this.#checkClock()
    await this.#launch()
    this.#isLaunched = true
    // Turns are admitted for a worker as soon as it is known, so the tables of DBOS must be there.
    await this.#readQueues()
    this.#parts.limitCalls(this.#calls)
    await this.#beat()
    const differing = await differingSecrets(this.#shared, this.#parts)
    if (differing !== undefined) this.#parts.onTrouble(differing)
    this.#repeat('beat', this.#parts.leaseMs / BEATS, () => this.#beat())
    this.#repeat('queues', QUEUES_MS, async () => {
      await this.#readQueues()
      await this.#endForgotten()
    })
    this.#repeat('tick', TICK_MS, () => this.#ticker.tick())
  }

  /**
   * Starts DBOS, one worker at a time: the first one creates its tables, and two that do so together end each other. Waiting for a lock would
   * hold up the indexes that DBOS creates, so it is asked for again and again.
   */
  async #launch(): Promise<void> {
    const { connection, names, schema, host } = this.#shared
    const { worker, queues } = this.#parts
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
      await launchEngine({
        connection,
        schema: engineSchema(schema),
        worker: worker.id,
        version: this.#version,
        queues,
        turn: (run, number) => this.#turn(run, number),
        onTrouble: (text) => this.#parts.onTrouble(clusterFaults.make('R5107', `DBOS reports: ${text}`, { fix: 'read the message' })),
      })
    })
  }

  /** Serves the queues that an operator has created in the meantime, and limits calls by those of calls. */
  async #readQueues(): Promise<void> {
    const { connection, names } = this.#shared
    const { slots, queues } = this.#parts
    const rows = await connection.query<{ name: string }>(`select name from ${names.own}.queue order by name`)
    const all = rows.map(({ name }) => name)
    this.#calls.setLimited(all.filter((name) => name.includes(':')))
    for (const name of all.filter((one) => !one.includes(':'))) {
      if (this.#served.has(name) || (queues !== undefined && !queues.includes(name))) continue
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
      `insert into ${names.own}.worker (id, version, can, queues, slots, began, seen, ttl, drains, fingerprint)
        values ($1, $2, $3, $4, $5, ${names.own}.now_ms(), ${names.own}.now_ms(), $6, $7, $8)
        on conflict (id) do update set version = excluded.version, can = excluded.can, queues = excluded.queues, slots = excluded.slots,
          seen = excluded.seen, ttl = excluded.ttl, drains = excluded.drains`,
      [worker.id, this.#version, [...can].sort(), queues ?? null, slots, leaseMs, this.#isDraining, fingerprint ?? null],
    )
  }

  /**
   * Ends turns that this worker has taken according to the database and that are not under way: their end could not be written, or a crash
   * of the server has forgotten it. DBOS would begin no other turn of their runs. Seen twice, since a turn may begin while the database is read.
   */
  async #endForgotten(): Promise<void> {
    const { connection, names, engine } = this.#shared
    const { id } = this.#parts.worker
    const begun = await connection.query<{ run: string; number: number }>(
      `select id as run, number::float8 as number from ${names.own}.turn where worker = $1 and state = 'begun'`,
      [id],
    )
    const all = [...begun, ...(await engine.takenBy(id)).map(([run, number]) => ({ run, number }))]
    const gone = new Map(all.map((turn) => [`${turn.run}:${turn.number}`, turn] as const).filter(([name]) => !this.#turns.has(name)))
    for (const [name, { run, number }] of gone) {
      if (!this.#forgotten.has(name)) continue
      await this.#end(run, number, { did: 'rested' })
      await this.#ticker.handBack([[run, number]])
    }
    this.#forgotten = new Set(gone.keys())
  }

  /** The workflow of DBOS: it has no steps, since the journal of the run knows what is settled. */
  async #turn(run: string, number: number): Promise<void> {
    // Claimed by DBOS after this worker was told to end: it is for others.
    if (this.#isDraining) return this.#ticker.handBack([[run, number]])
    const { connection, names } = this.#shared
    const id = `${run}:${number}`
    this.#turns.add(id)
    try {
      const [row] = await connection.query<{ begun: boolean }>(`select ${names.own}.begin_turn($1, $2, $3) as begun`, [
        run,
        number,
        this.#parts.worker.id,
      ])
      if (row?.begun === true) await this.#end(run, number, await this.#carry(run))
    } finally {
      this.#turns.delete(id)
    }
  }

  async #carry(run: string): Promise<TurnOutcome> {
    try {
      return await this.#parts.carry(run)
    } catch (thrown) {
      return { did: 'failed', fault: faultData(faultOf(thrown)), again: false }
    }
  }

  async #end(run: string, number: number, outcome: TurnOutcome): Promise<void> {
    const { connection, names } = this.#shared
    const word = outcome.did === 'failed' && outcome.again ? 'again' : outcome.did
    const needs = outcome.did === 'lacks' ? [...outcome.needs] : []
    const problem = outcome.did === 'failed' ? JSON.stringify(outcome.fault) : null
    await connection.query(`select ${names.own}.end_turn($1, $2, $3, $4, $5, $6)`, [
      run,
      number,
      this.#parts.worker.id,
      word,
      needs,
      problem,
    ])
  }

  /** Reports a failure once, until what has failed for the same reason works again: all of it uses one database. */
  #onFailed(name: string, fault: Fault): void {
    const isKnown = [...this.#failing.values()].some(({ code }) => code === fault.code)
    this.#failing.set(name, { code: fault.code, works: false })
    if (!isKnown && !this.#isDraining) this.#parts.onTrouble(fault)
  }

  /** Forgets what has failed and works, once the heartbeat is written: other tasks may have had nothing to write. */
  #onWorked(name: string): void {
    const failed = this.#failing.get(name)
    if (failed !== undefined) failed.works = true
    if (name !== 'beat') return
    for (const [other, { works }] of this.#failing) if (works) this.#failing.delete(other)
  }

  drain(): Promise<void> {
    this.#drained ??= this.#drain()
    return this.#drained
  }

  async #drain(): Promise<void> {
    this.#isDraining = true
    for (const cancel of this.#cancelTimers.values()) cancel()
    const { connection, names } = this.#shared
    try {
      if (this.#isLaunched) {
        await this.#beat()
        await stopEngine()
        await connection.query(`update ${names.own}.worker set seen = 0 where id = $1`, [this.#parts.worker.id])
      }
    } finally {
      isTaken = false
    }
  }

  /** Repeats something until this worker drains. The next time after a failure is as usual. */
  #repeat(name: string, ms: number, work: () => Promise<void>): void {
    const { host } = this.#shared
    const again = async (): Promise<void> => {
      try {
        await work()
        this.#onWorked(name)
      } catch (thrown) {
        this.#onFailed(name, faultOf(thrown))
      }
      if (!this.#isDraining)
        this.#cancelTimers.set(
          name,
          host.at(host.now() + ms, () => void again()),
        )
    }
    this.#cancelTimers.set(
      name,
      host.at(host.now() + ms, () => void again()),
    )
  }
}

function faultOf(thrown: unknown): Fault {
  return toFault(thrown, (message, cause) => clusterFaults.make('R5101', message, { cause }))
}
