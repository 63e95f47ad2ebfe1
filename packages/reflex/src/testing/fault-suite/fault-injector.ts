import { faults } from '../../kernel/index.ts'
import { faults as storeFaults } from '../../store/faults.ts'
import type { ProcessControl, Moment } from '../kind-suite/process-control.ts'
import { CLOCK_AHEAD_MS, CLOCK_BACK_MS, type FaultType, isPossible, isCall, isWrite } from './fault-type.ts'
import type { Injection } from './fault-point.ts'

/** The actions of a fault on the world around the process. */
export interface FaultWorld {
  jump(milliseconds: number): void
  /** Lets other processes act while this process is stopped. */
  takeOver(fault: FaultType): Promise<void>
  /** Resumes the process. Its clocks count the time of the stop. */
  wakeUp(): void
  durableCount(): number
}

/** Controls one process and injects one fault into it. */
export class FaultInjector implements ProcessControl {
  /** The moments so far; the index of a moment is its number less one. */
  readonly moments: Moment[] = []
  dead = false
  stopped: Promise<void> | undefined
  stoppedAt: number | undefined
  /** The moment at which the fault was injected. */
  injectedAt: Moment | undefined
  readonly #injection: Injection | undefined
  readonly #world: FaultWorld
  #isStoreGone = false
  /** The number of writes that will still fail. */
  #failingWrites = 0

  constructor(injection: Injection | undefined, world: FaultWorld) {
    this.#injection = injection
    this.#world = world
  }

  onMoment(moment: Moment): void {
    this.moments.push(moment)
    this.#inject(moment)
    if (moment.when === 'after') return
    if (this.#isStoreGone && isCall(moment)) throw unreachable()
    if (this.#failingWrites > 0 && isWrite(moment)) {
      this.#failingWrites--
      throw noRoom()
    }
  }

  #inject(moment: Moment): void {
    if (this.injectedAt !== undefined || this.#injection === undefined) return
    const { at, fault } = this.#injection
    if (this.moments.length < at || !isPossible(fault, moment)) return
    this.injectedAt = moment
    switch (fault) {
      case 'die':
        this.dead = true
        break
      case 'fail':
        throw isWrite(moment) ? noRoom() : unreachable()
      case 'tear':
        throw faults.make('R5005', 'the store did not confirm the write')
      case 'full':
        this.#failingWrites = Number.POSITIVE_INFINITY
        break
      case 'room':
        this.#failingWrites = 3
        break
      case 'gone':
        this.#isStoreGone = true
        break
      case 'back':
        this.#world.jump(CLOCK_BACK_MS)
        break
      case 'ahead':
        this.#world.jump(CLOCK_AHEAD_MS)
        break
      case 'stop':
      case 'nap':
        this.stoppedAt = this.#world.durableCount()
        this.stopped = this.#world.takeOver(fault).finally(() => {
          this.stopped = undefined
          this.#world.wakeUp()
        })
        break
    }
  }
}

function noRoom(): Error {
  return faults.make('R5005', 'no room left for the store')
}

function unreachable(): Error {
  return storeFaults.make('R5026', 'the store does not answer')
}
