import { isFault } from '../../kernel/journal/fault.ts'
import type { Rec } from '../../kernel/journal/record.ts'
import type { Run } from '../../kernel/run/run.ts'
import type { Runtime } from '../../kernel/run/runtime.ts'
import type { Store } from '../../kernel/ports/store.ts'
import type { Moment } from '../kind-suite/fate.ts'
import { LEASE, Life, RUN, type Spoil } from '../kind-suite/life.ts'
import type { KindSubject, Outcome } from '../kind-suite/subject.ts'
import { type Violation, Watch } from '../kind-suite/watch.ts'
import { audit, auditOwner, judge, type Undisturbed } from './audit.ts'
import type { Blow } from './blow.ts'
import { Doom } from './doom.ts'
import { MovingHost } from './moving-host.ts'
import type { FaultPoint } from './point.ts'

/** More lives than any point can need. */
const MOST_LIVES = 12
/** Steps in which a lease passes: shorter than the time that a heartbeat may take. */
const STEPS = 12
const MOST_TURNS = 100

/** What a trial is made of. */
export interface TrialOptions {
  readonly subject: KindSubject
  readonly point: FaultPoint
  readonly store: Store
  /** Absent for the undisturbed run itself. */
  readonly expected?: Undisturbed | undefined
  readonly spoil?: Spoil | undefined
}

/** What came of a point. */
export interface Verdict {
  readonly violations: readonly Violation[]
  /** The journal at the end. */
  readonly records: readonly Rec[]
  /** The moments of the first life. */
  readonly moments: readonly Moment[]
  readonly lives: number
  readonly undisturbed: Undisturbed | undefined
}

/** One run, put through one point: lives follow one another until it has ended. */
export class Trial {
  readonly #options: TrialOptions
  readonly #watch = new Watch()
  readonly #dooms: Doom[] = []
  /** Reads the store as somebody who holds no run. */
  readonly #reader: Runtime
  #now: number | undefined
  /** A process that has taken the run over and rests. */
  #heir: Born | undefined
  /** A process that lives on after a failure, and leaves the run to others. */
  #lingering: Born | undefined
  #last: Born | undefined

  constructor(options: TrialOptions) {
    this.#options = options
    this.#reader = new Life(options.subject, options.store, new Watch(), { number: MOST_LIVES + 2 }).runtime
  }

  async verdict(): Promise<Verdict> {
    let end: Outcome | undefined
    while (end === undefined && this.#dooms.length <= MOST_LIVES && this.#watch.violations.length === 0) {
      const born = this.#heir ?? this.#bear()
      this.#heir = undefined
      this.#last = born
      end = await this.#carry(born)
      await this.#bury(born)
    }
    if (end === undefined && this.#watch.violations.length === 0)
      this.#watch.found('stuck', `after ${this.#dooms.length} lives the run has not ended`)
    return {
      ...(await this.#look(end)),
      violations: this.#watch.violations,
      lives: this.#dooms.length,
      moments: this.#dooms[0]?.moments ?? [],
    }
  }

  #bear(strike = true): Born {
    const { subject, store, point, spoil } = this.#options
    const number = this.#dooms.length + 1
    const apart = isApart(point)
    const host = new MovingHost(
      this.#now === undefined ? undefined : this.#now + (apart && this.#lingering === undefined ? LEASE + 1 : 0),
      number,
    )
    const doom = new Doom(strike ? point.strokes[number - 1] : undefined, {
      jump: (milliseconds) => host.jump(milliseconds),
      meanwhile: (blow) => this.#meanwhile(blow, host),
      woken: () => host.block(Math.max(LEASE + 1, (this.#now ?? 0) - host.now())),
      durably: () => this.#watch.durably,
    })
    this.#dooms.push(doom)
    const life = new Life(subject, store, this.#watch, {
      number,
      fate: doom,
      host,
      slow: point.under.has('slow'),
      posts: point.under.has('posts'),
      spoil,
      ...(apart ? { worker: { id: `life-${number}`, host: `machine-${number}`, pid: 1 } } : {}),
    })
    return { life, doom, host }
  }

  /** Carries the run to its end, or as far as this life gets. */
  async #carry({ life, doom }: Born): Promise<Outcome | undefined> {
    for (let tries = this.#options.point.under.has('retries') ? 3 : 1; tries > 0 && !doom.dead; tries--) {
      try {
        const end = await life.live()
        if (end !== undefined) return end
      } catch (thrown) {
        if (judge(thrown, this.#watch) === undefined) return undefined
        // Somebody holds the run who was heard of later than this clock knows.
        const seen = isFault(thrown) && thrown.code === 'R5001' ? thrown.data?.seen : undefined
        if (typeof seen === 'number') this.#now = Math.max(this.#now ?? 0, seen)
      }
    }
    return undefined
  }

  /** The process ends: it crashes, or closes in good order, or lives on. */
  async #bury(born: Born): Promise<void> {
    const { life, doom, host } = born
    const { under } = this.#options.point
    try {
      await host.settle(1)
      if (!doom.dead && under.has('leaves')) await life.runtime.close()
    } catch (thrown) {
      judge(thrown, this.#watch)
    }
    // One that still holds the run would go on with it.
    if (!doom.dead && under.has('lingers') && !life.runtime.open.has(RUN)) this.#lingering ??= born
    if (this.#lingering !== born) doom.dead = true
    this.#now = Math.max(this.#now ?? 0, host.now())
    if (this.#heir !== undefined) return
    if (this.#lingering === undefined) return auditOwner(this.#options.store, this.#reader, this.#watch, this.#now + LEASE)
    await this.#passLeases(this.#lingering)
    this.#now += 2 * LEASE
    await auditOwner(this.#options.store, this.#reader, this.#watch, this.#now)
  }

  /** Two lease times pass, in which the lingering process sends heartbeats. Its store is slow by turns of the event loop, not by its clock. */
  async #passLeases({ life, host }: Born): Promise<void> {
    for (let step = 0; step < 2 * STEPS; step++) {
      await host.advance(LEASE / STEPS)
      for (let turns = 0; life.waiting && turns < MOST_TURNS; turns++) await host.settle(1)
    }
  }

  /** Another process takes the run over from one that stands still. */
  async #meanwhile(blow: Blow, host: MovingHost): Promise<void> {
    this.#now = Math.max(this.#now ?? 0, host.now())
    const heir = this.#bear(false)
    if (blow === 'stop') {
      if ((await this.#carry(heir)) !== undefined) this.#last = heir
      return this.#bury(heir)
    }
    this.#heir = heir
    try {
      const run = await heir.life.begin()
      if (run !== undefined) await heir.life.rest(run)
    } catch (thrown) {
      judge(thrown, this.#watch)
    }
    this.#now = Math.max(this.#now, heir.host.now())
  }

  async #look(end: Outcome | undefined): Promise<Pick<Verdict, 'records' | 'undisturbed'>> {
    const { subject, store, expected, point } = this.#options
    const reader = this.#reader
    try {
      if (end === undefined) return { records: await reader.journal(RUN), undisturbed: undefined }
      const live: Run | undefined = this.#last?.life.run
      const timeWarp = isApart(point) || point.strokes.some(({ blow }) => blow === 'back' || blow === 'ahead')
      return await audit({
        subject,
        runtime: reader,
        store,
        watch: this.#watch,
        expected,
        timeWarp,
        live: live?.durable === live?.state.n ? live?.state : undefined,
      })
    } catch (thrown) {
      judge(thrown, this.#watch)
      return { records: [], undisturbed: undefined }
    }
  }
}

/** Whether silence alone tells that a process is over: one that lives, or may wake up, is not dead to those beside it. */
function isApart({ strokes, under }: FaultPoint): boolean {
  return under.has('apart') || under.has('lingers') || strokes.some(({ blow }) => blow === 'stop' || blow === 'nap')
}

interface Born {
  readonly life: Life
  readonly doom: Doom
  readonly host: MovingHost
}
