import { memberFaults } from '../../app/cluster/faults.ts'
import type { Reflex } from '../../app/reflex.ts'
import { type Fault, isFault, faultData, toFault } from '../../kernel/index.ts'
import { serveFaults } from '../../protocol/faults.ts'
import { unusedRunName } from '../../runs/find-run.ts'
import type { RunHandle } from '../../runs/handle.ts'
import { claimOnce, startWithKey } from '../starts.ts'
import type { ServeMetrics } from '../metrics.ts'
import { Calendar } from './calendar.ts'
import { placeOf, type Schedule } from './config.ts'
import type { NamedSchedule, ScheduleMark, Schedules } from './schedules.ts'

/** Milliseconds between two looks at the schedules of the store. */
const LOOK_MS = 2000
/** Milliseconds: a time that is handled later than this was missed. */
const LATE_MS = 60_000
/** Faults of a process that lacks what another one may have: the program, or the cluster that a place needs. */
const OTHERS_MAY: ReadonlySet<string> = new Set(['R1021', 'R5142'])

export interface SchedulerParts {
  readonly reflex: Reflex
  readonly schedules: Schedules
  readonly metrics: ServeMetrics
  readonly onTrouble: (fault: Fault) => void
  /** Receives each run that this process has started. Default: it stays open until it ends. */
  readonly onStart?: (handle: RunHandle) => void
}

/**
 * Starts the runs of schedules when their times come. Every server and worker does it: the time of a schedule is the key of its start, so
 * that each time starts one run, whichever processes are there and whenever one of them dies. A process that does not find the program, or
 * has no cluster for the place of the run, leaves the time to others for a minute.
 */
export class Scheduler {
  readonly #parts: SchedulerParts
  readonly #calendars = new Map<string, Calendar>()
  #stopTimer: (() => void) | undefined
  #looking: Promise<void> = Promise.resolve()
  #hasStopped = false

  constructor(parts: SchedulerParts) {
    this.#parts = parts
  }

  start(): void {
    this.#looking = this.#lookAndWait()
  }

  async #lookAndWait(): Promise<void> {
    const { host } = this.#parts.reflex
    const next = await this.lookSafely()
    if (!this.#hasStopped) this.#stopTimer = host.at(next, () => this.start(), true)
  }

  async stop(): Promise<void> {
    this.#hasStopped = true
    this.#stopTimer?.()
    await this.#looking
  }

  /** Does what `look` does, and reports a failure of the store instead of throwing it. */
  async lookSafely(): Promise<number> {
    const { reflex, onTrouble } = this.#parts
    try {
      return await this.look()
    } catch (thrown) {
      // The store is asked again at the next look.
      onTrouble(toScheduleFault(thrown, 'schedules cannot be read'))
      return reflex.host.now() + LOOK_MS
    }
  }

  /** Handles every time that is due. Returns the time of the next look. */
  async look(): Promise<number> {
    const { reflex, schedules } = this.#parts
    const all = await schedules.all()
    const marks = all.length === 0 ? new Map<string, ScheduleMark>() : await schedules.marks()
    let next = reflex.host.now() + LOOK_MS
    for (const named of all) {
      if (this.#hasStopped) break
      await this.#handle(named, marks.get(named.id)).catch((thrown: unknown) => {
        // The time is handled again at the next look; other schedules do not wait for it.
        this.#parts.onTrouble(toScheduleFault(thrown, `the schedule ${named.name} cannot start its run`))
      })
      const { cron, zone, paused } = named.schedule
      if (!paused) next = Math.min(next, this.#calendar(cron, zone).next(reflex.host.now(), 1)[0] ?? next)
    }
    return next
  }

  async #handle({ name, id, schedule }: NamedSchedule, before: ScheduleMark | undefined): Promise<void> {
    const { reflex, schedules, metrics, onTrouble } = this.#parts
    const calendar = `${schedule.cron} ${schedule.zone}${schedule.paused ? ' paused' : ''}`
    if (before?.calendar !== calendar) return void (await schedules.moveMark(id, before, { at: reflex.host.now(), calendar }))
    if (schedule.paused) return
    let mark: ScheduleMark | undefined = before
    for (const time of this.#dueTimes(schedule, before.at)) {
      const done = await this.#fire({ name, id, schedule }, { time, previous: mark.run }).catch((thrown: unknown) => {
        const fault = toScheduleFault(thrown, `the schedule ${name} cannot start its run`)
        if (fault.verdict !== 'fail' && fault.verdict !== 'bug') throw fault
        if (OTHERS_MAY.has(fault.code) && time > reflex.host.now() - LATE_MS) return { did: 'left' as const }
        onTrouble(fault)
        return { did: 'failed' as const, error: faultData(fault) }
      })
      if (done.did === 'left') return
      const run = 'run' in done ? done.run : mark.run
      const moved = await schedules.moveMark(id, mark, { at: time, calendar, ...done, ...(run === undefined ? {} : { run }) })
      // Another process has handled this time, too; the claim of the time decided what it does.
      if (!moved) return
      metrics.schedules.add(1, { schedule: name, result: done.did })
      mark = await schedules.mark(id)
      if (mark === undefined) return
    }
  }

  /** Returns the times after a mark that are to be handled: those that are on time, and missed ones by the policy of the schedule. */
  #dueTimes({ cron, zone, missed, most }: Schedule, after: number): readonly number[] {
    const calendar = this.#calendar(cron, zone)
    const now = this.#parts.reflex.host.now()
    const late = Math.max(after, now - LATE_MS)
    const onTime = calendar.last(late, now, LATE_MS / 1000)
    if (late === after || missed === 'skip' || (missed === 'last' && onTime.length > 0)) return onTime
    return [...calendar.last(after, late, missed === 'last' ? 1 : most), ...onTime]
  }

  /** Starts the run of one time, or skips it. The first process that claims the time decides. */
  async #fire(
    { name, id, schedule }: Pick<NamedSchedule, 'name' | 'id' | 'schedule'>,
    { time, previous }: { readonly time: number; readonly previous: string | undefined },
  ): Promise<{ readonly did: 'started'; readonly run: string } | { readonly did: 'skipped' }> {
    const { reflex, metrics } = this.#parts
    const program = await reflex.library.named(schedule.program, reflex.workdir)
    const place = placeOf(schedule)
    if (Object.keys(place).length > 0 && reflex.clusterSettings === undefined)
      throw memberFaults.make('R5142', `the schedule ${name} needs a cluster; this process works without one`)
    const isOpen = previous !== undefined && schedule.overlap !== 'allow' && (await isUnfinished(reflex, previous))
    const by = `schedule/${name}`
    const request = { principal: 'schedule', key: `${id}/${new Date(time).toISOString()}`, body: name, id: undefined }
    const claimed = await claimOnce(reflex, {
      ...request,
      value: {
        run: await unusedRunName(reflex),
        ...(isOpen && schedule.overlap === 'skip' ? { skipped: true } : {}),
        ...(isOpen && schedule.overlap === 'cancel' ? { cancels: previous } : {}),
      },
    })
    if (claimed.skipped === true) return { did: 'skipped' }
    if (typeof claimed.cancels === 'string')
      await reflex.cancel(claimed.cancels, { by, wait: 0, reason: 'the next time of its schedule has come' }).catch(ignoreEnded)
    const started = await startWithKey(reflex, request, (id) => reflex.start(program, { id, input: schedule.input, by, ...place }))
    if ('run' in started) return { did: 'started', run: started.run }
    metrics.starts.add(1, { by: 'schedule' })
    this.#parts.onStart?.(started.handle)
    return { did: 'started', run: started.handle.id }
  }

  #calendar(cron: string, zone: string): Calendar {
    const key = `${cron} ${zone}`
    const known = this.#calendars.get(key) ?? new Calendar(cron, zone)
    this.#calendars.set(key, known)
    return known
  }
}

async function isUnfinished({ store }: Reflex, run: string): Promise<boolean> {
  const status = (await store.read(run, 0))?.row.status
  return status === 'running' || status === 'suspended'
}

function ignoreEnded(thrown: unknown): void {
  if (!isFault(thrown) || (thrown.code !== 'R2001' && thrown.code !== 'R2016')) throw thrown
}

function toScheduleFault(thrown: unknown, what: string): Fault {
  return toFault(thrown, (message, cause) => serveFaults.make('R6060', `${what}: ${message}`, { cause }))
}
