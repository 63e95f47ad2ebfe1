import { join } from 'node:path'
import type { Reflex } from '../../../reflex/src/app/reflex.ts'
import type { OpenQuestion } from '../../../reflex/src/runs/handle.ts'
import { isFault } from '../../../reflex/src/kernel/index.ts'
import type { WorldLine } from '../processes.ts'
import { type Fleet, pause } from './fleet.ts'
import type { ChaosOptions } from './options.ts'
import { SUBJECTS, type Subject } from './programs.ts'
import type { StoredWorld } from './stories.ts'

/** A store, its workers, and a process that carries no run on. */
export interface ChaosWorld extends StoredWorld {
  readonly fleet: Fleet
  readonly reflex: Reflex
}

/** Starts runs, answers their questions and posts their messages, as their programs need it. */
export class Driver {
  readonly #world: ChaosWorld
  readonly #options: ChaosOptions
  readonly #subjects = new Map<string, Subject>()
  readonly #steps = new Map<string, Set<string>>()
  /** Runs whose next message may be posted. */
  readonly #posted = new Map<string, number>()
  #read = 0
  #isOver = false
  /** The times at which runs were started, by run. */
  readonly started = new Map<string, number>()
  /** Questions that no program asks. */
  readonly asked = new Set<string>()
  /** The number of runs that have ended. */
  ended = 0
  /** The time of the last step, start or end. */
  movedAt = Date.now()

  constructor(world: ChaosWorld, options: ChaosOptions) {
    this.#world = world
    this.#options = options
  }

  /** Starts nothing more, and gives up what the server refuses. */
  stop(): void {
    this.#isOver = true
  }

  planOf(run: string): Subject['plan'] {
    return this.#subjects.get(run)?.plan ?? []
  }

  /** Starts runs, one after the other, with not too many of them at a time. */
  async startAll(): Promise<void> {
    const { runs, abreast } = this.#options
    for (let i = 0; i < runs; i++) {
      const subject = SUBJECTS[i % SUBJECTS.length] as Subject
      const id = `${subject.kind}-${i}`
      while (this.started.size - this.ended >= abreast && !this.#isOver) await pause(50)
      if (this.#isOver) return
      const file = join(this.#world.fleet.workers.folder, 'programs', subject.file)
      this.#subjects.set(id, subject)
      await this.#attempt(['R5007'], async () => (await this.#world.reflex.start(file, { id, ...subject.options?.(id) })).close())
      this.started.set(id, Date.now())
    }
  }

  /** Reads what has happened, answers what is asked, and posts what is next. */
  async look(): Promise<void> {
    for (const { did, run, step } of this.#newLines()) {
      if (did !== 'ended') continue
      this.movedAt = Date.now()
      const steps = this.#steps.get(run) ?? new Set()
      this.#steps.set(run, steps.add(step))
    }
    await this.#attempt([], async () => {
      for (const question of await this.#world.reflex.inbox()) await this.#answer(question)
    })
    for (const [run] of this.started) await this.#tell(run)
    await this.#attempt([], async () => {
      const [row] = await this.#world.server.sql<{ count: number }>(
        `select count(*)::float8 as count from ${this.#world.schema}.run where status not in ('running', 'suspended')`,
      )
      if ((row?.count ?? 0) > this.ended) this.movedAt = Date.now()
      this.ended = row?.count ?? 0
    })
  }

  /** Answers a question. One that no program asks shows that something has failed. */
  async #answer({ id, run, asker, fault, question }: OpenQuestion): Promise<void> {
    if (asker !== 'program') this.asked.add(`${run} asks about ${asker}: ${fault?.code} ${fault?.message}`)
    const value = asker === 'program' ? this.#subjects.get(run)?.answer : question.options?.[0]?.value
    await this.#attempt(['R2001', 'R2002', 'R2020', 'R4200'], () => this.#world.reflex.answer(id, value, { run: false }))
  }

  /** Posts the next message of a run, if the steps for the ones before it are done. */
  async #tell(run: string): Promise<void> {
    const next = this.#posted.get(run) ?? 0
    const message = this.#subjects.get(run)?.messages?.[next]
    if (message === undefined || (this.#steps.get(run)?.size ?? 0) < next) return
    await this.#attempt(['R2001'], () => this.#world.reflex.signal(run, message.topic, message.body, { id: `m${next}`, run: false }))
    this.#posted.set(run, next + 1)
  }

  /** Repeats something while the server is away. The faults say that it has been done before. */
  async #attempt(done: readonly string[], work: () => Promise<unknown>): Promise<void> {
    while (!this.#isOver) {
      try {
        await work()
        return
      } catch (thrown) {
        if (isFault(thrown) && done.includes(thrown.code)) return
        this.#options.onLine?.(`  trouble ${isFault(thrown) ? `${thrown.code} ${thrown.message}` : String(thrown)}`)
        await pause(300)
      }
    }
  }

  #newLines(): readonly WorldLine[] {
    const all = this.#world.fleet.workers.linesFrom(this.#read)
    this.#read += all.bytes
    return all.lines
  }
}
