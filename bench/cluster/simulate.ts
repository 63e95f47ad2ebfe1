/**
 * A cluster on virtual time: runs become due, turns are admitted, DBOS dispatches them, workers perform them over one Postgres, and die.
 * `docs/scaling.md` says what a turn is; equal settings give equal results.
 */
import { Admission } from './admission.ts'
import { Arrivals } from './arrivals.ts'
import { TICK } from './costs.ts'
import { Delays, type Sample } from './delays.ts'
import { Dispatch } from './dispatch.ts'
import type { SimulationResult, TurnEvent } from './result.ts'
import { SimulatedServer } from './server.ts'
import type { ClusterSettings } from './settings.ts'
import { Timeline } from './timeline.ts'
import { type SimulatedRun, type Turn, TurnBook } from './turns.ts'
import { SimulatedWorker, type Surroundings } from './worker.ts'
import { Draws } from './work-times.ts'

/** Runs a simulation to its end. Throws if it would never end: turns are left for which nobody will ever do anything. */
export function simulate(settings: ClusterSettings, observe: (event: TurnEvent) => void = () => undefined): SimulationResult {
  return new Simulation(settings, observe).run()
}

class Simulation {
  readonly #settings: ClusterSettings
  readonly #observe: (event: TurnEvent) => void
  readonly #time = new Timeline()
  readonly #server: SimulatedServer
  readonly #draws: Draws
  readonly #admission: Admission
  readonly #dispatch = new Dispatch()
  readonly #book = new TurnBook()
  readonly #workers: SimulatedWorker[]
  readonly #arrivals: Arrivals
  readonly #delays = new Map<string, Delays>()
  readonly #takeovers = new Delays()
  readonly #lostAt = new Map<Turn, number>()
  readonly #diedAt = new Map<SimulatedWorker, number>()
  readonly #gone = new Set<SimulatedWorker>()
  readonly #samples: Sample[] = []
  #misjudged = 0
  #slotMs = 0

  constructor(settings: ClusterSettings, observe: (event: TurnEvent) => void) {
    this.#settings = settings
    this.#observe = observe
    this.#server = new SimulatedServer(settings.server)
    this.#draws = new Draws(settings.seed, settings.work)
    this.#admission = new Admission(settings.queues)
    const world: Surroundings = {
      settings,
      time: this.#time,
      server: this.#server,
      draws: this.#draws,
      dispatch: this.#dispatch,
      begun: (turn) => this.#begun(turn),
      ended: (turn) => this.#ended(turn),
    }
    this.#workers = Array.from({ length: connected(settings) }, (_, i) => new SimulatedWorker(i, world))
    this.#arrivals = new Arrivals(settings, this.#time, this.#draws, (run) => this.#input(run))
  }

  run(): SimulationResult {
    for (const worker of this.#workers) worker.start()
    for (const { at, worker } of this.#settings.deaths ?? []) this.#time.at(at, () => this.#kill(this.#workers[worker]))
    for (const { at, until, worker } of this.#settings.stops ?? []) this.#time.at(at, () => this.#workers[worker]?.stopUntil(until))
    this.#arrivals.start()
    this.#time.at(this.#settings.tickMs, () => this.#tick())
    this.#sample()
    const { endMs, loadMs } = this.#settings
    this.#time.runTo(endMs ?? loadMs)
    if (endMs === undefined) this.#runToRest()
    return this.#result(this.#time.now)
  }

  #runToRest(): void {
    while (!this.#arrivals.isOver || this.#book.counts.ended < this.#book.counts.turns) {
      if (this.#gone.size === this.#workers.length) throw new Error('no worker is left')
      this.#time.runTo(this.#time.now + 1000)
    }
  }

  // What happens to a turn

  #input(run: SimulatedRun): void {
    const turn = this.#book.input(run, this.#time.now, () => this.#draws.steps())
    if (turn !== undefined) this.#due(turn)
  }

  #due(turn: Turn): void {
    this.#tell('due', turn)
    if (this.#admission.due(turn, this.#time.now, this.#room)) this.#admit([turn])
  }

  #admit(turns: readonly Turn[]): void {
    for (const turn of turns) {
      turn.state = 'admitted'
      this.#tell('admitted', turn)
      this.#dispatch.add(turn)
    }
  }

  /** The slots of workers that are not known to be dead. */
  get #room(): number {
    return (this.#workers.length - this.#gone.size) * this.#settings.slots
  }

  #begun(turn: Turn): void {
    const { now } = this.#time
    const lostAt = this.#lostAt.get(turn)
    if (lostAt !== undefined) this.#takeovers.add(now - lostAt)
    this.#lostAt.delete(turn)
    if (turn.begunAt === undefined) this.#delaysOf(turn).add(now - turn.dueAt)
    turn.begunAt = now
    turn.state = 'running'
    this.#tell('begun', turn)
  }

  #ended(turn: Turn): void {
    this.#slotMs += this.#time.now - (turn.begunAt ?? this.#time.now)
    this.#tell('ended', turn)
    this.#admit(this.#admission.release(turn, this.#time.now, this.#room))
    const next = this.#book.end(turn, this.#time.now, () => this.#draws.steps())
    if (next !== undefined) this.#due(next)
  }

  // Workers

  #kill(worker: SimulatedWorker | undefined): void {
    if (worker === undefined) return
    worker.kill()
    this.#diedAt.set(worker, this.#time.now)
  }

  /** One worker does it for all: it finds the dead, and admits what a rate or a pause has kept. */
  #tick(): void {
    const { tickMs, leaseMs } = this.#settings
    this.#time.at(this.#server.request(TICK, this.#time.now), () => {
      const { now } = this.#time
      for (const worker of this.#workers) {
        const isSilent = now - worker.seenAt > leaseMs
        if (isSilent && !this.#gone.has(worker)) this.#recover(worker)
        else if (!isSilent) this.#gone.delete(worker)
      }
      this.#admit(this.#admission.tick(now, this.#room))
      this.#time.at(now + tickMs, () => this.#tick())
    })
  }

  /** Enqueues the turns of a silent worker again, in the queue that has room of its own. */
  #recover(worker: SimulatedWorker): void {
    if (worker.lives) this.#misjudged++
    this.#gone.add(worker)
    for (const turn of worker.lose()) {
      turn.attempt++
      turn.state = 'admitted'
      if (!this.#lostAt.has(turn)) this.#lostAt.set(turn, this.#diedAt.get(worker) ?? this.#time.now)
      this.#tell('lost', turn)
      this.#dispatch.add(turn)
    }
  }

  // What is reported

  #sample(): void {
    const { waiting, used } = this.#admission
    this.#samples.push({ at: this.#time.now, waiting, admitted: this.#dispatch.size, running: used - this.#dispatch.size })
    this.#time.at(this.#time.now + 1000, () => this.#sample())
  }

  #tell(did: TurnEvent['did'], turn: Turn): void {
    this.#observe({ did, turn, at: this.#time.now })
  }

  #delaysOf({ run: { load } }: Turn): Delays {
    const delays = this.#delays.get(load.tenant) ?? new Delays()
    this.#delays.set(load.tenant, delays)
    return delays
  }

  #result(end: number): SimulationResult {
    const { workers, slots } = this.#settings
    const { waiting, used } = this.#admission
    const processorMs = this.#workers.reduce((sum, worker) => sum + worker.processorMs, 0)
    const running = this.#workers.flatMap((worker) => [...worker.turns.keys()])
    const runningMs = running.reduce((sum, { begunAt }) => sum + (begunAt === undefined ? 0 : end - begunAt), 0)
    return {
      counts: this.#book.counts,
      left: { waiting, admitted: this.#dispatch.size, running: used - this.#dispatch.size, inputs: this.#arrivals.dueAgain },
      delays: this.#delays,
      takeovers: this.#takeovers,
      misjudged: this.#misjudged,
      refused: workers - this.#workers.length,
      samples: this.#samples,
      used: {
        ...this.#server.usedShares(end),
        slots: (this.#slotMs + runningMs) / (end * workers * slots),
        workers: processorMs / (end * workers),
      },
      endedAt: end,
    }
  }
}

/** The number of workers that get their connections. */
function connected({ workers, connectionsPerWorker, server }: ClusterSettings): number {
  return Math.min(workers, Math.floor(server.connections / connectionsPerWorker))
}
