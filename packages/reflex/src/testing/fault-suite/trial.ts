import { isFault, type Rec, type Run, type Runtime, type Store } from '../../kernel/index.ts'
import type { Moment } from '../kind-suite/process-control.ts'
import { LEASE, ProcessLife, RUN, type PlantedBug } from '../kind-suite/process-life.ts'
import type { KindSubject, Outcome } from '../kind-suite/subject.ts'
import { type Violation, Watch } from '../kind-suite/watch.ts'
import { audit, auditOwner, recordFailure, type UndisturbedResult } from './audit.ts'
import type { FaultType } from './fault-type.ts'
import { FaultInjector } from './fault-injector.ts'
import { MovingHost } from './moving-host.ts'
import type { FaultPoint } from './fault-point.ts'

/** More lives than any point needs. */
const MOST_LIVES = 12
/** The number of steps in which a lease time passes. One step is shorter than the time that a heartbeat can take. */
const STEPS = 12
const MOST_TURNS = 100

/** The settings of a trial. */
export interface TrialOptions {
  readonly subject: KindSubject
  readonly point: FaultPoint
  readonly store: Store
  /** Absent for the undisturbed run itself. */
  readonly expected?: UndisturbedResult | undefined
  readonly plantedBug?: PlantedBug | undefined
}

/** The result of a trial. */
export interface TrialResult {
  readonly violations: readonly Violation[]
  /** The journal at the end. */
  readonly records: readonly Rec[]
  /** The moments of the first life. */
  readonly moments: readonly Moment[]
  readonly lives: number
  readonly undisturbed: UndisturbedResult | undefined
}

/** One run with the faults of one point. Lives follow one another until the run has ended. */
export class Trial {
  readonly #options: TrialOptions
  readonly #watch = new Watch()
  readonly #injectors: FaultInjector[] = []
  /** Reads the store without holding a run. */
  readonly #reader: Runtime
  #now: number | undefined
  /** A process that has taken over the run and rests. */
  #successor: StartedLife | undefined
  /** A process that stays alive after a failure and leaves the run to other processes. */
  #lingering: StartedLife | undefined
  #latest: StartedLife | undefined

  constructor(options: TrialOptions) {
    this.#options = options
    this.#reader = new ProcessLife(options.subject, options.store, new Watch(), { number: MOST_LIVES + 2 }).runtime
  }

  async run(): Promise<TrialResult> {
    let end: Outcome | undefined
    while (end === undefined && this.#injectors.length <= MOST_LIVES && this.#watch.violations.length === 0) {
      const started = this.#successor ?? this.#startLife()
      this.#successor = undefined
      this.#latest = started
      end = await this.#runLife(started)
      await this.#endLife(started)
    }
    if (end === undefined && this.#watch.violations.length === 0)
      this.#watch.report('stuck', `after ${this.#injectors.length} lives the run has not ended`)
    return {
      ...(await this.#inspect(end)),
      violations: this.#watch.violations,
      lives: this.#injectors.length,
      moments: this.#injectors[0]?.moments ?? [],
    }
  }

  #startLife(injects = true): StartedLife {
    const { subject, store, point, plantedBug } = this.#options
    const number = this.#injectors.length + 1
    const apart = usesOtherMachines(point)
    const host = new MovingHost(
      this.#now === undefined ? undefined : this.#now + (apart && this.#lingering === undefined ? LEASE + 1 : 0),
      number,
    )
    const injector = new FaultInjector(injects ? point.injections[number - 1] : undefined, {
      jump: (milliseconds) => host.jump(milliseconds),
      takeOver: (blow) => this.#takeOver(blow, host),
      wakeUp: () => host.block(Math.max(LEASE + 1, (this.#now ?? 0) - host.now())),
      durableCount: () => this.#watch.durableCount,
    })
    this.#injectors.push(injector)
    const life = new ProcessLife(subject, store, this.#watch, {
      number,
      control: injector,
      host,
      slow: point.circumstances.has('slow'),
      usesInbox: point.circumstances.has('posts'),
      plantedBug,
      ...(apart ? { worker: { id: `life-${number}`, host: `machine-${number}`, pid: 1 } } : {}),
    })
    return { life, injector, host }
  }

  /** Plays a life until the run ends or the life fails. */
  async #runLife({ life, injector }: StartedLife): Promise<Outcome | undefined> {
    for (let tries = this.#options.point.circumstances.has('retries') ? 3 : 1; tries > 0 && !injector.dead; tries--) {
      try {
        const end = await life.runToEnd()
        if (end !== undefined) return end
      } catch (thrown) {
        if (recordFailure(thrown, this.#watch) === undefined) return undefined
        // Another process holds the run and was last seen at a later time than this clock shows.
        const seen = isFault(thrown) && thrown.code === 'R5001' ? thrown.data?.seen : undefined
        if (typeof seen === 'number') this.#now = Math.max(this.#now ?? 0, seen)
      }
    }
    return undefined
  }

  /** Ends the process: it crashes, or closes in order, or stays alive. */
  async #endLife(started: StartedLife): Promise<void> {
    const { life, injector, host } = started
    const { circumstances } = this.#options.point
    try {
      await host.drain(1)
      if (!injector.dead && circumstances.has('leaves')) await life.runtime.close()
    } catch (thrown) {
      recordFailure(thrown, this.#watch)
    }
    // A process that still holds the run would continue it.
    if (!injector.dead && circumstances.has('lingers') && !life.runtime.openRuns.has(RUN)) this.#lingering ??= started
    if (this.#lingering !== started) injector.dead = true
    this.#now = Math.max(this.#now ?? 0, host.now())
    if (this.#successor !== undefined) return
    if (this.#lingering === undefined) return auditOwner(this.#options.store, this.#reader, this.#watch, this.#now + LEASE)
    await this.#passLeases(this.#lingering)
    this.#now += 2 * LEASE
    await auditOwner(this.#options.store, this.#reader, this.#watch, this.#now)
  }

  /**
   * Lets two lease times pass while the lingering process sends heartbeats. Its store is slow in turns of the event loop, not in time of
   * its clock.
   */
  async #passLeases({ life, host }: StartedLife): Promise<void> {
    for (let step = 0; step < 2 * STEPS; step++) {
      await host.advance(LEASE / STEPS)
      for (let turns = 0; life.waiting && turns < MOST_TURNS; turns++) await host.drain(1)
    }
  }

  /** Lets another process take over the run from a stopped process. */
  async #takeOver(fault: FaultType, host: MovingHost): Promise<void> {
    this.#now = Math.max(this.#now ?? 0, host.now())
    const successor = this.#startLife(false)
    if (fault === 'stop') {
      if ((await this.#runLife(successor)) !== undefined) this.#latest = successor
      return this.#endLife(successor)
    }
    this.#successor = successor
    try {
      const run = await successor.life.begin()
      if (run !== undefined) await successor.life.rest(run)
    } catch (thrown) {
      recordFailure(thrown, this.#watch)
    }
    this.#now = Math.max(this.#now, successor.host.now())
  }

  async #inspect(end: Outcome | undefined): Promise<Pick<TrialResult, 'records' | 'undisturbed'>> {
    const { subject, store, expected, point } = this.#options
    const reader = this.#reader
    try {
      if (end === undefined) return { records: await reader.journal(RUN), undisturbed: undefined }
      const live: Run | undefined = this.#latest?.life.run
      const hasTimeJumped = usesOtherMachines(point) || point.injections.some(({ fault }) => fault === 'back' || fault === 'ahead')
      return await audit({
        subject,
        runtime: reader,
        store,
        watch: this.#watch,
        expected,
        hasTimeJumped,
        live: live?.durable === live?.state.n ? live?.state : undefined,
      })
    } catch (thrown) {
      recordFailure(thrown, this.#watch)
      return { records: [], undisturbed: undefined }
    }
  }
}

/**
 * True if only missing heartbeats show that a process is over: other processes must not treat a process that lives or can resume as dead.
 */
function usesOtherMachines({ injections, circumstances }: FaultPoint): boolean {
  return circumstances.has('apart') || circumstances.has('lingers') || injections.some(({ fault }) => fault === 'stop' || fault === 'nap')
}

interface StartedLife {
  readonly life: ProcessLife
  readonly injector: FaultInjector
  readonly host: MovingHost
}
