import { type FaultData, faultData } from 'reflex-runtime/kernel'
import { clusterFaults, type TurnOutcome, type WorkerParts } from 'reflex-runtime/store'
import { troubleOf } from './repeats.ts'
import type { Shared, Ticker } from './ticker.ts'

/** Milliseconds until the begin or the end of a turn is written again that could not be written. */
const AGAIN_MS = 500

/** The turns of one worker, from their begin to their end. */
export class Turns {
  readonly #shared: Shared
  readonly #parts: WorkerParts
  readonly #ticker: Ticker
  /** The turns under way: the run and its number. */
  readonly #underWay = new Set<string>()
  /** The turns that have not come to rest. */
  readonly #unrested = new Set<Promise<unknown>>()
  #hasGivenUp = false
  /** Turns that were begun here according to the database and are not under way, as of the last look. */
  #forgotten: ReadonlySet<string> = new Set()

  constructor(shared: Shared, parts: WorkerParts, ticker: Ticker) {
    this.#shared = shared
    this.#parts = parts
    this.#ticker = ticker
  }

  /**
   * Ends turns that this worker has taken according to the database and that are not under way: their end could not be written, or a crash
   * of the server has forgotten it. DBOS would begin no other turn of their runs. Seen twice, since a turn may begin while the database is read.
   */
  async endForgotten(): Promise<void> {
    const { connection, names, engine } = this.#shared
    const { id } = this.#parts.worker
    const begun = await connection.query<{ run: string; number: number }>(
      `select id as run, number::float8 as number from ${names.own}.turn where worker = $1 and state = 'begun'`,
      [id],
    )
    const taken = (await engine.takenBy([id])).map(([run, number]) => ({ run, number }))
    const all = [...begun, ...taken]
    const gone = new Map(all.map((turn) => [`${turn.run}:${turn.number}`, turn] as const).filter(([name]) => !this.#underWay.has(name)))
    for (const [name, { run, number }] of gone) {
      if (!this.#forgotten.has(name)) continue
      await this.#end(run, number, { did: 'rested' })
      await this.#ticker.handBack([[run, number]])
    }
    this.#forgotten = new Set(gone.keys())
  }

  /** Resolves when the turns under way have come to rest. Their ends may not be written yet. */
  async whenRested(): Promise<void> {
    while (this.#unrested.size > 0) await Promise.allSettled(this.#unrested)
  }

  /** Writes nothing again that cannot be written. */
  giveUp(): void {
    this.#hasGivenUp = true
  }

  /**
   * The workflow of DBOS: it has no steps, since the journal of the run knows what is settled. It begins the turn, carries it on until it rests, and
   * writes its end. A turn that has begun or ended already is left alone.
   */
  async carry(run: string, number: number): Promise<void> {
    const id = `${run}:${number}`
    this.#underWay.add(id)
    try {
      const queue = await this.#again(() => this.#begin(run, number))
      if (queue === undefined) return
      const outcome = this.#outcomeOf(run, queue)
      this.#unrested.add(outcome)
      const end = await outcome.finally(() => this.#unrested.delete(outcome))
      await this.#again(() => this.#end(run, number, end))
    } finally {
      this.#underWay.delete(id)
    }
  }

  /** Begins a turn. Returns its queue; undefined if it has begun or ended already. */
  async #begin(run: string, number: number): Promise<string | undefined> {
    const { connection, names } = this.#shared
    const begin = `select ${names.own}.begin_turn($1, $2, $3) as queue`
    const [row] = await connection.query<{ queue: string | null }>(begin, [run, number, this.#parts.worker.id])
    return row?.queue ?? undefined
  }

  async #outcomeOf(run: string, queue: string): Promise<TurnOutcome> {
    try {
      return await this.#parts.carry(run, queue)
    } catch (thrown) {
      return { did: 'failed', fault: faultData(troubleOf(thrown)), again: false }
    }
  }

  /** Writes something again and again while the database is away, which the heartbeat reports: DBOS ends a workflow that fails. */
  async #again<T>(work: () => Promise<T>): Promise<T> {
    const { host } = this.#shared
    for (;;)
      try {
        return await work()
      } catch (thrown) {
        if (this.#hasGivenUp) throw thrown
        await new Promise<void>((resolve) => void host.at(host.now() + AGAIN_MS, resolve))
      }
  }

  async #end(run: string, number: number, outcome: TurnOutcome): Promise<void> {
    const { connection, names } = this.#shared
    const word = outcome.did === 'failed' && outcome.again ? 'again' : outcome.did
    const needs = outcome.did === 'lacks' ? [...outcome.needs] : []
    const problem = problemOf(run, outcome)
    await connection.query(`select ${names.own}.end_turn($1, $2, $3, $4, $5, $6)`, [
      run,
      number,
      this.#parts.worker.id,
      word,
      needs,
      problem === undefined ? null : JSON.stringify(problem),
    ])
  }
}

/** Returns the fault that a run is set aside with, if this end of its turn sets it aside. */
function problemOf(run: string, outcome: TurnOutcome): FaultData | undefined {
  if (outcome.did === 'failed') return outcome.fault
  if (outcome.did !== 'lacks') return undefined
  const words = outcome.needs.join(', ')
  return faultData(clusterFaults.make('R5109', `workers that state ${words} have refused run ${run} because they lack it`))
}
