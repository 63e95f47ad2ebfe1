import { HEARTBEAT, HOLD, POLL, STEP, TURN_ROW, DISPATCH, WALK_MS, type Cost } from './costs.ts'
import { type Dispatch, queueOf, RECOVERED } from './dispatch.ts'
import type { SimulatedServer } from './server.ts'
import type { ClusterSettings } from './settings.ts'
import type { Timeline } from './timeline.ts'
import type { Turn } from './turns.ts'
import type { Draws } from './work-times.ts'

/** What workers share. */
export interface Surroundings {
  readonly settings: ClusterSettings
  readonly time: Timeline
  readonly server: SimulatedServer
  readonly draws: Draws
  readonly dispatch: Dispatch
  /** Called when a turn has begun, and when it has ended. */
  begun(turn: Turn, worker: SimulatedWorker): void
  ended(turn: Turn, worker: SimulatedWorker): void
}

/** The halves of the costs of a turn: what is done before its first step, and after its last. */
const half = (cost: Cost): Pick<Cost, 'commits' | 'logBytes' | 'serverMs'> => ({
  commits: cost.commits / 2,
  logBytes: cost.logBytes / 2,
  serverMs: cost.serverMs / 2,
})
const HALVES = [HOLD, DISPATCH, TURN_ROW].map(half)
const TURN_HALF = {
  commits: HALVES.reduce((sum, { commits }) => sum + commits, 0),
  logBytes: HALVES.reduce((sum, { logBytes }) => sum + logBytes, 0),
  serverMs: HALVES.reduce((sum, { serverMs }) => sum + serverMs, 0),
}
const TURN_WORKER_MS = (HOLD.workerMs + DISPATCH.workerMs + TURN_ROW.workerMs) / 2

/** A worker: it polls for turns while it has free slots, performs them step by step, and says that it lives. */
export class SimulatedWorker {
  readonly number: number
  readonly #world: Surroundings
  /** The turns that it performs, each with the attempt that is its own. */
  readonly turns = new Map<Turn, number>()
  lives = true
  /** The time of the last heartbeat that the server confirmed. */
  seenAt = 0
  /** The time until which it does nothing, as after SIGSTOP. */
  #stopsUntil = 0
  /** The number of its turns, by queue. */
  readonly #used = new Map<string, number>()
  #processorFreeAt = 0
  processorMs = 0

  constructor(number: number, world: Surroundings) {
    this.number = number
    this.#world = world
  }

  start(): void {
    const { draws, settings } = this.#world
    this.#at(draws.poll(settings.pollMs) * draws.below(1000) * 0.001, () => this.#poll())
    this.#at(0, () => this.#beat())
  }

  /** Stops it as in a crash: nothing that it does has an effect any more. */
  kill(): void {
    this.lives = false
  }

  /** Stops it for a while: it then continues what it was about to do. */
  stopUntil(time: number): void {
    this.#stopsUntil = time
  }

  /** Forgets its turns, which other workers take. Its later commits of them are refused. */
  lose(): readonly Turn[] {
    const turns = [...this.turns].flatMap(([turn, attempt]) => (turn.attempt === attempt ? [turn] : []))
    this.turns.clear()
    this.#used.clear()
    return turns
  }

  #beat(): void {
    if (!this.lives) return
    const { time, server, settings } = this.#world
    this.#at(server.request(HEARTBEAT, time.now), () => {
      if (!this.lives) return
      this.seenAt = time.now
      this.#at(time.now + settings.leaseMs / 5, () => this.#beat())
    })
  }

  #poll(): void {
    if (!this.lives) return
    const { time, server, settings, draws, dispatch } = this.#world
    const again = (): void => this.#at(time.now + draws.poll(settings.pollMs), () => this.#poll())
    // A worker without a free slot asks the server nothing.
    const names = [...Object.keys(settings.queues), RECOVERED]
    if (names.every((name) => this.#room(name) === 0)) return again()
    const answered = server.request({ ...POLL, serverMs: POLL.serverMs + dispatch.size * WALK_MS }, time.now)
    this.#work(POLL.workerMs)
    this.#at(answered, () => {
      if (!this.lives) return
      for (const turn of dispatch.claim((name) => this.#room(name), draws)) this.#begin(turn, turn.attempt)
      again()
    })
  }

  /** The number of turns of a queue that it can take. */
  #room(name: string): number {
    const { slots, recoverySlots } = this.#world.settings
    return (name === RECOVERED ? recoverySlots : slots) - (this.#used.get(name) ?? 0)
  }

  #count(turn: Turn, change: number): void {
    const name = queueOf(turn)
    this.#used.set(name, (this.#used.get(name) ?? 0) + change)
  }

  #begin(turn: Turn, attempt: number): void {
    const { time, server } = this.#world
    this.turns.set(turn, attempt)
    this.#count(turn, 1)
    const ready = this.#work(TURN_WORKER_MS)
    this.#at(Math.max(ready, server.request(TURN_HALF, time.now)), () => {
      if (!this.#holds(turn, attempt)) return
      this.#world.begun(turn, this)
      this.#step(turn, attempt)
    })
  }

  /** Performs an effect, and commits its step: the next effect waits for that. */
  #step(turn: Turn, attempt: number): void {
    const { time, server, draws } = this.#world
    this.#at(time.now + draws.effectMs(), () => {
      if (!this.#holds(turn, attempt)) return
      const ready = this.#work(STEP.workerMs)
      this.#at(Math.max(ready, server.request(STEP, time.now)), () => {
        if (!this.#holds(turn, attempt)) return
        turn.stepsLeft--
        if (turn.stepsLeft > 0) this.#step(turn, attempt)
        else this.#end(turn, attempt)
      })
    })
  }

  #end(turn: Turn, attempt: number): void {
    const { time, server } = this.#world
    const ready = this.#work(TURN_WORKER_MS)
    this.#at(Math.max(ready, server.request(TURN_HALF, time.now)), () => {
      if (!this.#holds(turn, attempt)) return
      this.turns.delete(turn)
      this.#count(turn, -1)
      this.#world.ended(turn, this)
    })
  }

  /** Does something at a time, or later if the worker is stopped then. */
  #at(when: number, action: () => void): void {
    const { time } = this.#world
    time.at(when, () => (this.#stopsUntil > time.now ? time.at(this.#stopsUntil, action) : action()))
  }

  /** True if the worker lives and nobody else has taken the turn: the lease and its fence. */
  #holds(turn: Turn, attempt: number): boolean {
    return this.lives && turn.attempt === attempt
  }

  /** Uses its processor, which does one thing at a time. Returns the time at which it is done. */
  #work(ms: number): number {
    this.processorMs += ms
    return (this.#processorFreeAt = Math.max(this.#world.time.now, this.#processorFreeAt) + ms)
  }
}
