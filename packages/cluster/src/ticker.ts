import type { Host } from 'reflex-runtime/kernel'
import type { Connection } from './connection.ts'
import type { Engine, TurnId } from './engine.ts'
import type { Names } from './sql/names.ts'

/** Milliseconds between two ticks that look at all runs. */
const WHOLE_MS = 30_000
/** Milliseconds after which an ended workflow of DBOS is deleted. */
const FORGET_AFTER_MS = 60_000
/** Milliseconds between two looks for them, if there were none. */
const FORGET_MS = 2000
/** Milliseconds between two looks for turns without workflows, and for workflows without turns. */
const ASTRAY_MS = 2000

/** The connection, the names and the engine of a cluster. All parts of a worker use the same. */
export interface Shared {
  readonly connection: Connection
  readonly names: Names
  readonly schema: string
  readonly engine: Engine
  readonly host: Host
}

interface Tick {
  readonly at: number
  /** The place at which the next bite begins; null after the last bite. */
  readonly position: readonly number[] | null
  readonly more: boolean
  readonly dead: readonly string[]
  readonly strand: readonly TurnId[]
}

/** Does what nobody's transaction does (`sql/tick.ts`), and tells DBOS what follows from it. */
export class Ticker {
  readonly #shared: Shared
  readonly #isOver: () => boolean
  #since = 0
  #wholeAt = 0
  /** The time before which there are no ended workflows to delete. */
  #forgetAt = 0
  /** The time of the next look for turns without workflows, and for workflows without turns. */
  #astrayAt = 0

  /** `isOver`: true if this worker does no more. */
  constructor(shared: Shared, isOver: () => boolean) {
    this.#shared = shared
    this.#isOver = isOver
  }

  /** Does one tick, if no other worker is doing one: bite by bite, so that none has its locks for long. */
  async tick(): Promise<void> {
    const { engine, host } = this.#shared
    const now = host.now()
    const isWhole = now - this.#wholeAt >= WHOLE_MS
    let position: Tick['position'] = null
    for (let looksAtAll = isWhole, more = true; more; ) {
      const done: Tick | undefined = await this.#bite(looksAtAll, position)
      if (done === undefined) return
      await this.handBack([...done.strand, ...(await this.#recover(done.dead))])
      position = done.position
      if (this.#isOver()) return
      more = position !== null || done.more
      if (position !== null) continue
      this.#since = done.at
      looksAtAll = false
    }
    if (isWhole) this.#wholeAt = now
    if (now >= this.#astrayAt) {
      await engine.cancel(await this.#listed('over'))
      await this.handBack(await this.#listed('lost'))
      this.#astrayAt = now + ASTRAY_MS
    }
    if (now >= this.#forgetAt && (await engine.forget(this.#since - FORGET_AFTER_MS)) === 0) this.#forgetAt = now + FORGET_MS
  }

  /** Returns the turns of a list in the database. */
  async #listed(list: 'over' | 'lost'): Promise<readonly TurnId[]> {
    const { connection, names } = this.#shared
    const rows = await connection.query<{ id: string; number: number }>(`select id, number::float8 as number from ${names.own}.${list}()`)
    return rows.map(({ id, number }) => [id, number])
  }

  /** Does one bite; undefined if another worker is doing one. */
  async #bite(isWhole: boolean, position: Tick['position']): Promise<Tick | undefined> {
    const { connection, names } = this.#shared
    const text = `select ${names.own}.tick($1, $2, $3) as tick`
    const [row] = await connection.query<{ tick: Tick | null }>(text, [this.#since, isWhole, position])
    return row?.tick ?? undefined
  }

  /** Hands the turns of dead workers to living ones. Returns those that no living worker can take. */
  async #recover(dead: readonly string[]): Promise<readonly TurnId[]> {
    const { connection, names, engine } = this.#shared
    if ((await engine.takenBy(dead)).length === 0) return []
    return connection.transaction(async (query) => {
      // One worker does this at a time: a second one would take a turn from the worker that has it from the first.
      const [row] = await query<{ free: boolean }>(
        `select pg_try_advisory_xact_lock(hashtext('reflex cluster recovery'), hashtext('${names.own}')) as free`,
      )
      return row?.free === true ? this.#handOn(await engine.takenBy(dead)) : []
    })
  }

  /** Hands turns to the living workers of their queues. Returns those that none of them can take. */
  async #handOn(turns: readonly TurnId[]): Promise<readonly TurnId[]> {
    const { connection, names, engine } = this.#shared
    const rows = await connection.query<{ id: string; number: number; queue: string }>(
      `select id, number::float8 as number, queue from ${names.own}.recoverable($1, $2)`,
      columnsOf(turns),
    )
    for (const [queue, found] of Map.groupBy(rows, (row) => row.queue))
      await engine.recover(
        found.map(({ id, number }) => [id, number] as const),
        queue,
      )
    return turns.filter(([run, number]) => !rows.some((row) => row.id === run && row.number === number))
  }

  /** Takes turns back from DBOS, and lets them wait for another worker. */
  async handBack(turns: readonly TurnId[]): Promise<void> {
    if (turns.length === 0) return
    const { connection, names, engine } = this.#shared
    await engine.cancel(turns)
    await connection.query(`select ${names.own}.strand($1, $2)`, columnsOf(turns))
  }
}

/** Returns turns as the arrays that statements take. */
function columnsOf(turns: readonly TurnId[]): readonly [runs: readonly string[], numbers: readonly number[]] {
  return [turns.map(([run]) => run), turns.map(([, number]) => number)]
}
