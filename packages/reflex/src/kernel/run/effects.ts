import type { Arrival } from './arrival.ts'
import { isFault, toFault } from '../journal/fault.ts'
import { faultJson } from '../journal/fault-json.ts'
import { faults } from '../journal/faults.ts'
import type { Flight, Frame } from '../state/frame.ts'
import { copyJson, type Json, sizedJson } from '../journal/json.ts'
import { type CallOwner, LiveCall } from './live.ts'
import type { Policy } from '../ports/policy.ts'
import type { Port, Traits } from '../ports/port.ts'
import type { Input, Lost } from '../journal/record.ts'
import type { State } from '../state/state.ts'

/** A run as its effects see it. */
export interface EffectOwner extends CallOwner {
  readonly state: State
  readonly durable: number
  /** An effect has settled: the next step, unless something else is going on. */
  land(flight: Flight, input: Input): void
  arrive(arrival: Arrival): void
  /** Asks for everything decided so far to become durable. */
  wantDurable(): void
  /** Acts once it is certain that no other process holds the run; usually it is. Never acts if another process holds it. */
  whileHeld(act: () => void): void
}

/** What effects need of the runtime. */
export interface EffectWorld {
  readonly ports: ReadonlyMap<string, Port>
  readonly policy: Policy | undefined
}

/** An effect that stays where it is until it is let through. */
interface Held {
  readonly flight: Flight
  /** It may have begun in a process that is gone: what becomes of it is for its port to say. */
  readonly again: boolean
}

/** An effect that waits for everything up to record `at`. */
interface Gated {
  readonly call: LiveCall
  readonly at: number
  readonly leaves: boolean
}

/**
 * The effects of a run in this process, from the request to the settlement: held, refused, gated, performed.
 * Each hangs on its flight, since a table would be rebuilt every few steps.
 */
export class Effects {
  readonly #run: EffectOwner
  readonly #world: EffectWorld
  #gated: Gated[] = []
  #holds: ((next: Flight) => boolean) | undefined
  readonly #held: Held[] = []
  /** Effects that begin once others have settled, in the order in which they were requested. */
  readonly #later: Flight[] = []
  /** One of them is about to begin. */
  #beginning = false
  /** What came while nobody held the run is still to be read: it may give effects up. */
  #asleep = false
  /** The run is a fork that begins here: its source has performed what is in flight, and this run has not. */
  copied = false
  /** How many are under way. */
  size = 0

  constructor(run: EffectOwner, world: EffectWorld) {
    this.#run = run
    this.#world = world
  }

  // Held by hand

  hold(holds: ((next: Flight) => boolean) | undefined): void {
    this.#holds = holds
  }

  /** Some effect begins once others have settled. */
  get postponing(): boolean {
    return this.#later.length > 0
  }

  /** Some effect stays where it is, and nobody else performs it. */
  get holding(): boolean {
    return this.#held.some(({ flight }) => inFlight(flight))
  }

  /** Lets the first held effect through. False if none is held. */
  release(): boolean {
    if (this.#asleep) return false
    for (const [i, held] of this.#held.entries()) {
      if (isToHear(held.flight.frame) && inFlight(held.flight)) continue
      this.#held.splice(i, 1)
      if (!inFlight(held.flight)) return this.release()
      this.#let(held, true)
      return true
    }
    return false
  }

  /** Until `wake`, nothing is performed. */
  sleep(): void {
    this.#asleep = true
  }

  wake(): void {
    this.#asleep = false
    this.again()
  }

  /** Looks again at all that is held: of what stays for another reason now, nothing is performed. */
  again(): void {
    for (const held of this.#held.splice(0)) if (inFlight(held.flight)) this.#let(held, false)
    this.next()
  }

  #let({ flight, again }: Held, released: boolean): void {
    if (again) this.revive(flight, released)
    else this.start(flight, released)
  }

  // Beginning

  start(flight: Flight, released = false): void {
    if (this.#stays(flight, released)) return void this.#held.push({ flight, again: false })
    const port = this.#world.ports.get(flight.port)
    if (port === undefined) return this.#refuse(flight)
    const call = new LiveCall(this.#run, flight, port)
    flight.live = call
    this.size++
    let traits: Traits
    try {
      traits = port.traits === undefined ? port : port.traits(call)
      const said = this.#world.policy?.ask(call, traits, this.#run.state.start?.by)
      if (said === 'later') return this.#postpone(call)
      if (said !== undefined)
        return this.#land(
          call,
          isFault(said) ? ['err', flight.id, faultJson(said)] : ['hold', flight.id, said.name, said.about, said.asker],
        )
    } catch (thrown) {
      return this.#failed(call, thrown)
    }
    const binds = traits.leaves || traits.repeat !== 'free'
    // An effect that leaves nothing, costs nothing and may be repeated does no harm in a process that has lost the run: its result is refused.
    call.needsLease = binds || traits.costs === true
    // A key is the number of a record, a question about an outcome needs the request on record, and so does the count of a
    // try that a crash interrupts: all three gate.
    if (call.needsLease && this.#run.durable < this.#run.state.n) {
      this.#gated.push({ call, at: this.#run.state.n, leaves: traits.leaves })
      this.#run.wantDurable()
    } else this.#perform(call)
  }

  #postpone(call: LiveCall): void {
    this.#later.push(call.flight)
    this.#land(call, ['later', call.flight.id])
  }

  /** A record was applied: the first effect that waits for others begins if the policy lets it now. */
  next(): void {
    if (this.#beginning) return
    for (let flight = this.#later[0]; flight !== undefined; flight = this.#later[0]) {
      const flies = inFlight(flight)
      if (flies && !this.#stays(flight, false) && this.#waits(flight)) return
      this.#later.shift()
      if (flies) return this.#beginLater(flight)
    }
  }

  #waits(flight: Flight): boolean {
    const port = this.#world.ports.get(flight.port)
    if (port === undefined) return false
    const call = new LiveCall(this.#run, flight, port)
    try {
      return this.#world.policy?.ask(call, port.traits?.(call) ?? port, this.#run.state.start?.by) === 'later'
    } catch {
      return false
    }
  }

  /** Its frame is told, and may give it up. Until it has begun or is given up, no other begins. */
  #beginLater(flight: Flight, released = false): void {
    if (this.#stays(flight, released)) return void this.#held.push({ flight, again: true })
    this.#beginning = true
    const over = () => {
      this.#beginning = false
      this.next()
    }
    this.#run.arrive({
      resolve: () => (inFlight(flight) ? [flight.frame, ['again', flight.id]] : undefined),
      taken: () => {
        if (inFlight(flight)) this.start(flight, released)
        over()
      },
      refused: over,
    })
  }

  #refuse(flight: Flight): void {
    const input: Input = ['err', flight.id, faultJson(faults.make('R2013', `there is no port ${flight.port}`, { run: this.#run.id }))]
    this.#run.arrive({ resolve: () => (inFlight(flight) ? [flight.frame, input] : undefined) })
  }

  /**
   * After a restart: performs again the effects that may be repeated, asks about the others. Before it is performed again, its
   * frame forgets what it streamed, and the lost try is recorded with what it may have used.
   */
  revive(flight: Flight, released = false): void {
    if (flight.doubted) return
    if (flight.later) return released ? this.#beginLater(flight, true) : void this.#later.push(flight)
    if (this.#stays(flight, released)) return void this.#held.push({ flight, again: true })
    const { repeat, reserves } = traitsOf(flight, this.#run, this.#world.ports)
    const lost = this.copied || reserves === undefined ? undefined : lostBy(reserves)
    if (repeat !== 'ask' && !flight.parts && lost === undefined) return this.start(flight, released)
    const again: Input = lost === undefined ? ['again', flight.id] : ['again', flight.id, copyJson(lost, 'lost')]
    const input: Input = repeat === 'ask' ? ['doubt', flight.id] : again
    const taken = repeat === 'ask' ? undefined : () => inFlight(flight) && this.start(flight, released)
    this.#run.arrive({ resolve: () => (inFlight(flight) ? [flight.frame, input] : undefined), ...(taken === undefined ? {} : { taken }) })
  }

  /** What belongs to a program that is to be cancelled stays where it is until that has heard: it may give it up. */
  #stays(flight: Flight, released: boolean): boolean {
    return this.#asleep || isToHear(flight.frame) || (!released && this.#holds?.(flight) === true)
  }

  /** Whether somebody else can perform an effect that has not begun here, without asking anybody. */
  canWait(flight: Flight): boolean {
    return this.#repeatOf(flight) !== 'ask'
  }

  #repeatOf(flight: Flight): Traits['repeat'] {
    return traitsOf(flight, this.#run, this.#world.ports).repeat
  }

  /** Performs what waited for records up to `last` to be durable; what leaves waits for the subscribers to be done with them as well. */
  durable(last: number, watched: number): void {
    if (this.#gated.length === 0) return
    const isReady = ({ at, leaves }: Gated): boolean => at <= (leaves ? watched : last)
    const ready = this.#gated.filter(isReady)
    if (ready.length === 0) return
    this.#gated = this.#gated.filter((gated) => !isReady(gated))
    for (const { call } of ready) this.#perform(call)
  }

  // Ending

  /** One check for each performance: the one before may have blocked this process for longer than its lease. */
  #perform(call: LiveCall): void {
    if (call.over) return
    if (call.needsLease) this.#run.whileHeld(() => this.#begin(call))
    else this.#begin(call)
  }

  #begin(call: LiveCall): void {
    if (call.over) return
    let raw: unknown
    try {
      raw = call.via.perform(call)
      if (raw instanceof Promise || isThenable(raw)) {
        raw.then(
          (value) => this.#settled(call, value),
          (thrown: unknown) => this.#failed(call, thrown),
        )
        return
      }
    } catch (thrown) {
      return this.#failed(call, thrown)
    }
    this.#settled(call, raw)
  }

  #settled(call: LiveCall, raw: unknown): void {
    if (call.over) return
    const where = `result of ${call.port}`
    let value: Json
    try {
      value = call.via.accept === undefined ? copyJson(raw ?? null, where) : sizedJson(call.via.accept(raw, call), where)
    } catch (thrown) {
      return this.#failed(call, thrown)
    }
    this.#land(call, ['ok', call.flight.id, value])
  }

  #failed(call: LiveCall, thrown: unknown): void {
    if (call.over) return
    this.#land(call, ['err', call.flight.id, faultJson(faultOf(call, thrown))])
  }

  #land(call: LiveCall, input: Input): void {
    call.endParts()
    call.flight.live = undefined
    this.size--
    call.settle()
    this.#run.land(call.flight, input)
  }

  /** The effects that the last records gave up are told to stop. */
  abortDropped(): void {
    for (const flight of this.#run.state.dropped.splice(0)) this.#abort(flight)
  }

  /** Everything under way is told to stop, and nothing gated is performed any more. */
  stop(): void {
    for (const flight of this.#run.state.flights()) this.#abort(flight)
    this.#gated = []
    this.#later.length = 0
  }

  #abort(flight: Flight): void {
    if (flight.live === undefined) return
    const { live } = flight
    flight.live = undefined
    this.size--
    live.abort()
  }
}

/** What is known of an effect that nobody performs now. What nobody can tell is as bad as can be; without a port, nothing happens. */
export function traitsOf(flight: Flight, owner: CallOwner, ports: EffectWorld['ports']): Traits {
  const port = ports.get(flight.port)
  if (port === undefined) return { leaves: false, repeat: 'free' }
  try {
    return port.traits?.(new LiveCall(owner, flight, port)) ?? port
  } catch {
    return { leaves: true, repeat: 'ask' }
  }
}

/** Estimates what a lost try used. A try whose request cannot be made used nothing. */
function lostBy(reserves: NonNullable<Traits['reserves']>): Lost | undefined {
  try {
    return reserves()
  } catch {
    return undefined
  }
}

/** Whether a program, or one that began it, is to be cancelled and has not heard so yet: it waits for those above it. */
function isToHear(frame: Frame): boolean {
  for (let at: Frame | undefined = frame; at !== undefined && !at.told; at = at.link?.caller) if (at.closing !== undefined) return true
  return false
}

function inFlight(flight: Flight): boolean {
  return flight.frame.flights.includes(flight)
}

/** A port's own word for a failure, if it has one and does not fail over it. */
function faultOf(call: LiveCall, thrown: unknown): ReturnType<typeof faults.make> {
  const failed = (cause: unknown) =>
    toFault(cause, (message, inner) => faults.make('R2012', `${call.port} failed: ${message}`, { cause: inner }))
  try {
    return call.via.reject?.(thrown, call) ?? failed(thrown)
  } catch (again) {
    return failed(again)
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}
