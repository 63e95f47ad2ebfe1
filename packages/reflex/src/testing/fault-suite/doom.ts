import { faults } from '../../kernel/journal/faults.ts'
import { faults as storeFaults } from '../../store/faults.ts'
import type { Fate, Moment } from '../kind-suite/fate.ts'
import { AHEAD, BACK, type Blow, fits, isCall, isWrite } from './blow.ts'
import type { Stroke } from './point.ts'

/** What a blow does to the world around the process. */
export interface DoomWorld {
  jump(milliseconds: number): void
  /** Others act while the process stands still. */
  meanwhile(blow: Blow): Promise<void>
  /** The process continues: by its clocks, the time in which it stood still has passed. */
  woken(): void
  durably(): number
}

/** The fate of a process that one blow strikes. */
export class Doom implements Fate {
  /** What it has met: the place of a moment is its number, less one. */
  readonly moments: Moment[] = []
  dead = false
  stopped: Promise<void> | undefined
  stoodAt: number | undefined
  /** What struck, once it has. */
  struck: Moment | undefined
  readonly #stroke: Stroke | undefined
  readonly #world: DoomWorld
  #gone = false
  /** How many more writes find no room. */
  #full = 0

  constructor(stroke: Stroke | undefined, world: DoomWorld) {
    this.#stroke = stroke
    this.#world = world
  }

  meets(moment: Moment): void {
    this.moments.push(moment)
    this.#strike(moment)
    if (moment.when === 'after') return
    if (this.#gone && isCall(moment)) throw unreachable()
    if (this.#full > 0 && isWrite(moment)) {
      this.#full--
      throw noRoom()
    }
  }

  #strike(moment: Moment): void {
    if (this.struck !== undefined || this.#stroke === undefined) return
    const { at, blow } = this.#stroke
    if (this.moments.length < at || !fits(blow, moment)) return
    this.struck = moment
    switch (blow) {
      case 'die':
        this.dead = true
        break
      case 'fail':
        throw isWrite(moment) ? noRoom() : unreachable()
      case 'tear':
        throw faults.make('R5005', 'the store did not say whether it was written')
      case 'full':
        this.#full = Number.POSITIVE_INFINITY
        break
      case 'room':
        this.#full = 3
        break
      case 'gone':
        this.#gone = true
        break
      case 'back':
        this.#world.jump(BACK)
        break
      case 'ahead':
        this.#world.jump(AHEAD)
        break
      case 'stop':
      case 'nap':
        this.stoodAt = this.#world.durably()
        this.stopped = this.#world.meanwhile(blow).finally(() => {
          this.stopped = undefined
          this.#world.woken()
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
