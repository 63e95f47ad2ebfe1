import type { Reflex } from '../../app/reflex.ts'
import { type FaultData, isObject, type Json } from '../../kernel/index.ts'
import { serveFaults } from '../../protocol/faults.ts'
import { utc } from '../../protocol/plain.ts'
import { suggest } from '../../text/index.ts'
import { Calendar, calendarProblem } from './calendar.ts'
import { SCHEDULE, type Schedule } from './config.ts'

/** The ledgers of the schedules, and of the last time of each that was handled. */
const DEFINITIONS = 'serve.schedules'
const MARKS = 'serve.schedules.marks'
/** Milliseconds for which superseded marks are kept. */
const KEEP_MS = 3_600_000
/** The upcoming times that a list shows. */
const SHOWN = 5

/** The last time of a schedule that was handled. */
export interface ScheduleMark {
  /** The number of its entry in the ledger. */
  readonly seq: number
  /** Milliseconds since the epoch: times up to it are handled. */
  readonly at: number
  /** The calendar for which that is so. Another calendar begins at the time at which it is first seen. */
  readonly calendar: string
  readonly did?: 'started' | 'skipped' | 'failed'
  readonly run?: string
  readonly error?: FaultData
}

export interface NamedSchedule {
  readonly name: string
  /** Unlike the name, it tells a schedule of the file from one of the store. */
  readonly id: string
  readonly schedule: Schedule
  /** True if the operator's file declares it: it is then changed there only. */
  readonly isFile: boolean
}

/** A schedule as lists show it. */
export interface ScheduleView extends NamedSchedule {
  readonly next: readonly number[]
  readonly last?: ScheduleMark
}

type Parts = Pick<Reflex, 'store' | 'host' | 'requireQueue'>

/** The schedules of a store, and those of the operator's file. */
export class Schedules {
  readonly #parts: Parts
  readonly #declared: Readonly<Record<string, Schedule>>

  constructor(parts: Parts, declared: Readonly<Record<string, Schedule>> = {}) {
    this.#parts = parts
    this.#declared = declared
  }

  async all(): Promise<readonly NamedSchedule[]> {
    const { entries } = await this.#parts.store.latest(DEFINITIONS)
    const stored = entries.flatMap(({ name = '', value }): NamedSchedule[] => {
      const read = SCHEDULE.safeParse(value)
      return read.success ? [{ name, id: name, schedule: read.data, isFile: false }] : []
    })
    return [...Object.entries(this.#declared).map(([name, schedule]) => ({ name, id: `file/${name}`, schedule, isFile: true })), ...stored]
  }

  /** Returns all schedules with their next times and the last one, by name. */
  async list(): Promise<readonly ScheduleView[]> {
    const marks = await this.marks()
    const now = this.#parts.host.now()
    const views = (await this.all()).map((named): ScheduleView => {
      const { cron, zone, paused } = named.schedule
      const last = marks.get(named.id)
      return { ...named, next: paused ? [] : new Calendar(cron, zone).next(now, SHOWN), ...(last === undefined ? {} : { last }) }
    })
    return views.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }

  /** Stores a schedule. Throws `R6056` for a calendar without times, `R5106` for a queue that does not exist, `R6058` if the name is taken by another one. */
  async add(name: string, schedule: Schedule): Promise<void> {
    const problem = calendarProblem(schedule.cron, schedule.zone)
    if (problem !== undefined) throw serveFaults.make('R6056', problem.message, { path: problem.field })
    if (Object.hasOwn(this.#declared, name)) throw declaredInFile(name)
    if (schedule.queue !== undefined) await this.#parts.requireQueue(schedule.queue)
    const added = await this.#write(DEFINITIONS, name, schedule, 0)
    if (added) return
    const [entry] = (await this.#parts.store.latest(DEFINITIONS, [name])).entries
    if (JSON.stringify(SCHEDULE.safeParse(entry?.value).data) === JSON.stringify(schedule)) return
    throw serveFaults.make('R6058', `there is another schedule ${name}`, { fix: `reflex schedule remove ${name}` })
  }

  /** Returns a schedule of the store as lists show it. Throws `R6057`. */
  async view(name: string): Promise<ScheduleView> {
    await this.#stored(name)
    const found = (await this.list()).find((one) => one.name === name && !one.isFile)
    if (found !== undefined) return found
    throw serveFaults.make('R6057', `there is no schedule ${name}`)
  }

  /** Removes a schedule. Runs that it started continue. Throws `R6057`, and `R6058` for one of the file. */
  async remove(name: string): Promise<void> {
    const { seq } = await this.#stored(name)
    await this.#write(DEFINITIONS, name, undefined, seq)
    const mark = await this.mark(name)
    if (mark !== undefined) await this.#write(MARKS, name, undefined, mark.seq)
  }

  /** Pauses a schedule, or lets it continue: times in between count as neither due nor missed. Throws as `remove`. */
  async pause(name: string, paused: boolean): Promise<void> {
    const { seq, schedule } = await this.#stored(name)
    if (schedule.paused !== paused) await this.#write(DEFINITIONS, name, { ...schedule, paused }, seq)
  }

  async mark(id: string): Promise<ScheduleMark | undefined> {
    return (await this.marks([id])).get(id)
  }

  /** Returns the marks of schedules, by their ids. */
  async marks(ids?: readonly string[]): Promise<ReadonlyMap<string, ScheduleMark>> {
    const { entries } = await this.#parts.store.latest(MARKS, ids)
    return new Map(
      entries.flatMap(({ name, seq, value }) =>
        name !== undefined && isObject(value) ? [[name, { ...(value as object as ScheduleMark), seq }] as const] : [],
      ),
    )
  }

  /** Moves the mark of a schedule. Returns false if another process has moved it. */
  moveMark(id: string, before: ScheduleMark | undefined, mark: Omit<ScheduleMark, 'seq'>): Promise<boolean> {
    return this.#write(MARKS, id, mark as object as Json, before?.seq ?? 0)
  }

  async #stored(name: string): Promise<{ readonly seq: number; readonly schedule: Schedule }> {
    const { entries } = await this.#parts.store.latest(DEFINITIONS)
    const entry = entries.find((one) => one.name === name)
    if (entry !== undefined) return { seq: entry.seq, schedule: SCHEDULE.parse(entry.value) }
    if (Object.hasOwn(this.#declared, name)) throw declaredInFile(name)
    const guess = suggest(
      name,
      entries.map((one) => one.name ?? ''),
    )
    throw serveFaults.make('R6057', `there is no schedule ${name}${guess === undefined ? '' : `; did you mean ${guess}?`}`)
  }

  async #write(ledger: string, name: string, value: Json | undefined, after: number): Promise<boolean> {
    const { store, host } = this.#parts
    const entry = { name, after, ...(value === undefined ? {} : { value }) }
    const appended = await store.appendAll(ledger, host.entropy(), [entry], host.now(), { keep: KEEP_MS })
    return 'numbers' in appended
  }
}

/** Returns a schedule as JSON shows it. */
export function scheduleDocument({ name, schedule, isFile, next, last }: ScheduleView): object {
  const { input, ...rest } = schedule
  return {
    name,
    ...rest,
    ...(Object.keys(input).length === 0 ? {} : { input }),
    declared: isFile ? 'file' : 'store',
    next: next.map((time) => utc(time)),
    ...(last?.did === undefined
      ? {}
      : {
          last: {
            time: utc(last.at),
            did: last.did,
            ...(last.run === undefined ? {} : { run: last.run }),
            ...(last.error === undefined ? {} : { error: last.error }),
          },
        }),
  }
}

function declaredInFile(name: string): Error {
  return serveFaults.make('R6058', `the schedule ${name} is declared in the file of triggers`, { fix: 'change it in the file' })
}
