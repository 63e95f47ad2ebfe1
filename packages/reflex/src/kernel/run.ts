import { Decider, type Definitions } from './decide.ts'
import { encodeRecord } from './codec.ts'
import { type Committer, type Committing } from './committer.ts'
import { type Fault, faultData, toFault } from './fault.ts'
import { faults } from './faults.ts'
import type { Flight, Frame, Wait } from './frame.ts'
import type { Host } from './host.ts'
import { copyJson, type Json } from './json.ts'
import { LiveCall } from './live.ts'
import type { Policy } from './policy.ts'
import type { Port, Traits } from './port.ts'
import type { Program } from './program.ts'
import type { Queued } from './queue.ts'
import { FORMAT, type Input, type Rec, type Ref } from './record.ts'
import { framePath, runStatus, summary } from './row.ts'
import { dumpState } from './snapshot.ts'
import type { State } from './state.ts'
import type { Batch, InboxMessage, Lease, RunStatus, Store, StoredProgram } from './store.ts'
import type { Change } from './story.ts'

/** What a run needs of the runtime that holds it. */
export interface RunWorld {
  readonly host: Host
  readonly ports: ReadonlyMap<string, Port>
  readonly policy: Policy | undefined
  readonly store: Store | undefined
  readonly committer: Committer | undefined
  /** The time of this turn of the event loop. */
  clock(): number
  closed(run: Run): void
}

/** An input from outside, on its way to its record. */
interface Arrival {
  /** What it is by the time it is taken; nothing if it has become void. */
  resolve(): readonly [Frame, Input] | undefined
  taken?(record: number): void
  refused?(): void
}

/** The effects under way. Each hangs on its flight, since a table would be rebuilt every few steps. */
class Air {
  size = 0

  add(call: LiveCall): void {
    call.flight.live = call
    this.size++
  }

  settle(call: LiveCall): void {
    call.flight.live = undefined
    this.size--
    call.settle()
  }

  abort(flight: Flight): void {
    if (flight.live === undefined) return
    flight.live.abort()
    flight.live = undefined
    this.size--
  }
}

/** Records between two pauses for the event loop, so that a run that never waits starves nobody. */
const TURN = 1024
const FIRST_SNAPSHOT = 64_000
const LARGEST_SNAPSHOT_GAP = 4_000_000

/**
 * A run in this process: takes inputs one at a time, lets the decider make the record, applies it, and only
 * then acts: performs effects when what they depend on is durable, and shows nothing before it is.
 */
export class Run implements Committing {
  readonly id: string
  readonly state: State
  readonly lease: Lease | undefined
  /** The number of the last durable record. */
  durable: number
  /** The records that are not durable yet; where there is no store, all of them. */
  readonly records: Rec[] = []
  readonly #world: RunWorld
  readonly #definitions: Definitions
  readonly #decider: Decider
  readonly #arrivals: Arrival[] = []
  readonly #air = new Air()
  readonly #gated: { readonly call: LiveCall; readonly at: number }[] = []
  readonly #observers = new Set<(change: Change) => void>()
  readonly #subscribers = new Set<(record: Rec, n: number) => void>()
  readonly #waiters = new Set<{ readonly at: number | 'rest'; resolve(): void; reject(fault: Fault): void }>()
  readonly #taken: number[] = []
  #programs: StoredProgram[]
  #holds: ((next: Queued | Flight) => boolean) | undefined
  #held: Flight[] = []
  #busy = false
  #paused = false
  #steps = 0
  #tailFrom: number
  #sinceSnapshot = 0
  #lastSnapshot = 0
  #stopTimer: (() => void) | undefined
  #over: Fault | 'closed' | undefined

  constructor(world: RunWorld, id: string, state: State, definitions: Definitions, lease: Lease | undefined, programs: StoredProgram[] = []) {
    this.#world = world
    this.id = id
    this.state = state
    this.lease = lease
    this.durable = state.n
    this.#tailFrom = state.n
    this.#definitions = definitions
    this.#decider = new Decider(state, definitions)
    this.#programs = programs
  }

  get status(): RunStatus {
    return runStatus(this.state, this.#air.size > 0 || this.#arrivals.length > 0 || (this.state.queue.peek() !== undefined && !this.#holdsNext()))
  }

  /** Nothing goes on until something arrives from outside, or is released. */
  get atRest(): boolean {
    return !this.#busy && !this.#paused && this.#air.size === 0 && this.#arrivals.length === 0 && (this.state.queue.peek() === undefined || this.#holdsNext())
  }

  definition(pin: number): unknown {
    return this.#definitions.program(pin).def
  }

  // Observing

  /** Called with each record as it is applied, before it is durable; the returned function ends it. */
  observe(observer: (change: Change) => void): () => void {
    this.#observers.add(observer)
    return () => void this.#observers.delete(observer)
  }

  /** Called with each record once it is durable; the returned function ends it. */
  subscribe(subscriber: (record: Rec, n: number) => void): () => void {
    this.#subscribers.add(subscriber)
    return () => void this.#subscribers.delete(subscriber)
  }

  /** Resolves when the run is at rest and all its records are durable. Rejects if the run is lost or the store fails. */
  idle(): Promise<void> {
    return this.#until('rest')
  }

  #until(at: number | 'rest'): Promise<void> {
    return new Promise((resolve, reject) => {
      const fault = this.#over
      if (fault !== undefined) return fault === 'closed' ? resolve() : reject(fault)
      this.#waiters.add({ at, resolve, reject })
      this.#wake()
    })
  }

  #wake(): void {
    if (this.#waiters.size === 0) return
    const resting = this.atRest
    if (this.durable < this.state.n) this.#world.committer?.want(this)
    for (const waiter of this.#waiters) {
      const met = waiter.at === 'rest' ? resting && this.durable === this.state.n : this.durable >= waiter.at
      if (met) {
        this.#waiters.delete(waiter)
        waiter.resolve()
      }
    }
  }

  // Telling

  /** Appends the record that begins a run. */
  begin(record: Rec): void {
    this.#apply(record, undefined)
    this.#pump()
  }

  /** Goes on after a resume: performs again what may be, asks about the rest, takes what came in meanwhile. */
  revive(): void {
    for (const flight of [...this.state.flights()]) this.#reviveFlight(flight)
    this.#armTimer()
    this.#pump()
  }

  #reviveFlight(flight: Flight): void {
    if (flight.doubted) return
    if (this.#holds?.(flight)) return void this.#held.push(flight)
    const port = this.#world.ports.get(flight.port)
    const repeat = port === undefined ? 'free' : (this.#traits(new LiveCall(this, flight, port))?.repeat ?? 'ask')
    const still = () => flight.frame.flights.includes(flight)
    if (repeat === 'ask') this.#arrivals.push({ resolve: () => (still() ? [flight.frame, ['doubt', flight.id]] : undefined) })
    else if (flight.parts) this.#arrivals.push({ resolve: () => (still() ? [flight.frame, ['again', flight.id]] : undefined), taken: () => this.#start(flight) })
    else this.#start(flight)
  }

  #traits(call: LiveCall): Traits | undefined {
    try {
      return call.via.traits?.(call) ?? call.via
    } catch {
      return undefined
    }
  }

  /**
   * Answers an open wait. Resolves with the number of the record, once it is durable. Rejects with `R2002` if
   * the wait is not open.
   */
  answer(id: Ref, value: unknown, by?: string): Promise<number> {
    const json = copyJson(value, 'answer')
    return this.#tell(() => {
      const wait = this.state.waits.get(id)
      return wait?.type === 'answer' ? [wait.frame, by === undefined ? ['answer', id, json] : ['answer', id, json, by]] : undefined
    }, () => faults.make('R2002', `${this.id} has no open question ${id}`, { run: this.id, path: String(id), fix: `reflex inbox` }))
  }

  /** Cancels the run: every frame hears of it from the top of its stack, and may compensate. */
  cancel(reason = 'cancelled'): Promise<number> {
    return this.#tell(() => (this.state.ended === undefined ? [this.state.root, ['kernel', 'cancel', reason]] : undefined), () => this.#ended())
  }

  /** A command of the host to a frame, which its kind interprets. */
  command(frame: Ref, command: Json): Promise<number> {
    return this.#tell(() => {
      const target = this.state.ended === undefined ? this.state.frames.get(frame) : undefined
      return target === undefined ? undefined : [target, ['host', command]]
    }, () => this.#ended())
  }

  #ended(): Fault {
    return faults.make('R2001', `${this.id} has ended`, { run: this.id })
  }

  #tell(resolve: Arrival['resolve'], refusal: () => Fault): Promise<number> {
    return new Promise((settle, reject) => {
      if (this.#over !== undefined) return reject(this.#over === 'closed' ? faults.make('R5002', `${this.id} is closed in this process`, { run: this.id }) : this.#over)
      const taken = (n: number) => void this.#until(n).then(() => settle(n), reject)
      this.#arrive({ resolve, taken, refused: () => reject(refusal()) })
    })
  }

  /** Takes what the inbox of the store holds: answers and messages that something waits for, and cancellations. */
  async pull(): Promise<void> {
    const rows = (await this.#world.store?.inbox(this.id)) ?? []
    for (const row of rows) if (!this.#taken.includes(row.row)) this.#pullOne(row)
  }

  #pullOne(row: InboxMessage): void {
    const taken = () => void this.#taken.push(row.row)
    const wait = () => [...this.state.waits.values()].find((open) => (row.type === 'answer' ? open.type === 'answer' && String(open.id) === row.to : open.type === 'message' && open.name === row.to))
    if (row.type === 'message' && wait() === undefined && this.state.ended === undefined) return
    const input = (open: Wait): Input => (row.type === 'answer' ? (row.by === undefined ? ['answer', open.id, row.body] : ['answer', open.id, row.body, row.by]) : ['message', open.id, row.body, row.id])
    this.#arrive({
      resolve: () => {
        if (row.type === 'cancel') return this.state.ended === undefined ? [this.state.root, ['kernel', 'cancel', row.body]] : undefined
        const open = wait()
        return open === undefined ? undefined : [open.frame, input(open)]
      },
      taken,
      refused: taken,
    })
  }

  /** Progress of an effect. */
  progress(call: LiveCall, delta: Json): void {
    this.#arrive({ resolve: () => (call.over ? undefined : [call.frame, ['part', call.id, delta]]) })
  }

  // Control by hand

  /** From now on, effects and internal inputs for which `holds` is true stay where they are until released. */
  hold(holds: ((next: Queued | Flight) => boolean) | undefined): void {
    this.#holds = holds
  }

  /** Lets the first held thing through. False if nothing is held. */
  release(): boolean {
    const flight = this.#held.shift()
    if (flight !== undefined) {
      if (!flight.frame.flights.includes(flight)) return this.release()
      this.#start(flight, true)
      this.#pump()
      return true
    }
    const next = this.state.queue.peek()
    if (next === undefined || this.#busy) return false
    this.#pump(next)
    return true
  }

  #holdsNext(): boolean {
    const next = this.state.queue.peek()
    return next !== undefined && this.#holds !== undefined && this.#holds(next)
  }

  // The loop

  #arrive(arrival: Arrival): void {
    if (this.#over !== undefined) return arrival.refused?.()
    this.#arrivals.push(arrival)
    this.#pump()
  }

  /** Takes inputs until there are none: what arrived first, then what the fold has queued. */
  #pump(released?: Queued): void {
    if (this.#busy || this.#paused || this.#over !== undefined) return
    this.#busy = true
    if (released !== undefined) this.#step(released.frame, released.input)
    while (this.#over === undefined) {
      if (this.#steps >= TURN) {
        this.#busy = false
        return this.#pause()
      }
      const arrival = this.#arrivals.shift()
      if (arrival !== undefined) {
        this.#take(arrival)
        continue
      }
      const next = this.state.queue.peek()
      if (next === undefined || (this.#holds !== undefined && this.#holds(next))) break
      this.#step(next.frame, next.input)
    }
    this.#busy = false
    if (this.#air.size === 0) this.#rest()
  }

  /** Lets the event loop turn, and what has been decided become durable. */
  #pause(): void {
    this.#paused = true
    this.#steps = 0
    this.#world.committer?.want(this)
    this.#world.host.turn(() => {
      this.#paused = false
      this.#pump()
    })
  }

  #take(arrival: Arrival): void {
    const input = arrival.resolve()
    if (input === undefined) return arrival.refused?.()
    this.#step(input[0], input[1])
    arrival.taken?.(this.state.n)
  }

  #step(frame: Frame, input: Input | undefined): void {
    this.#steps++
    const internal = input === undefined || input[0] === 'ret' || input[0] === 'end' || input[0] === 'cancel'
    const elapsed = internal ? 0 : Math.max(0, this.#world.clock() - this.state.time)
    this.#apply(this.#decider.decide(frame, input, elapsed), frame)
  }

  #apply(record: Rec, frame: Frame | undefined): void {
    const { state } = this
    const before = frame?.position
    state.apply(record)
    this.records.push(record)
    if (this.#world.store === undefined) this.durable = state.n
    else this.#world.committer?.later(this)
    if (record.more?.pin !== undefined) for (const pin of record.more.pin) this.#keepProgram(pin[3])
    if (state.dropped.length > 0) this.#abortDropped()
    if (this.#observers.size > 0) this.#show(record, frame ?? state.root, before)
    const asking = frame ?? state.root
    if (record.requests !== undefined && !asking.gone) {
      const { flights } = asking
      for (let i = flights.length - record.requests.length; i < flights.length; i++) {
        const flight = flights[i]
        if (flight !== undefined) this.#start(flight)
      }
    }
    if (record.more !== undefined) this.#afterwards(record)
  }

  #afterwards(record: Rec): void {
    if (record.more?.wait !== undefined || record.more?.drop !== undefined) this.#armTimer()
    if (record.more?.repeat !== undefined) for (const flight of this.state.flights()) if (!flight.doubted && flight.live === undefined && !this.#held.includes(flight)) this.#start(flight)
  }

  #keepProgram(hash: string): void {
    const program = this.state.pins.findIndex((pin) => pin[3] === hash)
    if (program >= 0) this.#programs.push(storedProgram(this.#definitions.program(program)))
  }

  #show(record: Rec, frame: Frame, before: Json | undefined): void {
    const change: Change = { n: this.state.n, at: this.state.time, record, state: this.state, frame, def: this.definition(frame.pin), before }
    for (const observer of this.#observers) {
      try {
        observer(change)
      } catch (thrown) {
        void Promise.reject(thrown)
      }
    }
  }

  // Effects

  #start(flight: Flight, released = false): void {
    if (!released && this.#holds?.(flight)) return void this.#held.push(flight)
    const port = this.#world.ports.get(flight.port)
    if (port === undefined) return this.#refuse(flight, faults.make('R2013', `there is no port ${flight.port}`, { run: this.id }))
    const call = new LiveCall(this, flight, port)
    this.#air.add(call)
    let traits: Traits
    try {
      traits = port.traits === undefined ? port : port.traits(call)
    } catch (thrown) {
      return this.#failed(call, thrown)
    }
    const denied = this.#world.policy?.ask(call, traits, this.state.start?.by)
    if (denied !== undefined) return this.#failed(call, denied)
    if (traits.leaves && this.durable < this.state.n) {
      this.#gated.push({ call, at: this.state.n })
      this.#world.committer?.want(this)
    } else this.#perform(call)
  }

  #refuse(flight: Flight, fault: Fault): void {
    const input: Input = ['err', flight.id, faultJson(fault)]
    this.#arrive({ resolve: () => (flight.frame.flights.includes(flight) ? [flight.frame, input] : undefined) })
  }

  #perform(call: LiveCall): void {
    if (call.over) return
    let raw: unknown
    try {
      raw = call.via.perform(call)
    } catch (thrown) {
      return this.#failed(call, thrown)
    }
    if (raw instanceof Promise) {
      raw.then(
        (value) => this.#settled(call, value),
        (thrown) => this.#failed(call, thrown),
      )
    } else this.#settled(call, raw)
  }

  #settled(call: LiveCall, raw: unknown): void {
    if (call.over) return
    let value: Json
    try {
      value = call.via.accept === undefined ? copyJson(raw ?? null, `result of ${call.port}`) : call.via.accept(raw, call)
    } catch (thrown) {
      return this.#failed(call, thrown)
    }
    this.#land(call, ['ok', call.flight.id, value])
  }

  #failed(call: LiveCall, thrown: unknown): void {
    if (call.over) return
    const fault = call.via.reject?.(thrown, call) ?? toFault(thrown, (message, cause) => faults.make('R2012', `${call.port} failed: ${message}`, { cause }))
    this.#land(call, ['err', call.flight.id, faultJson(fault)])
  }

  #land(call: LiveCall, input: Input): void {
    this.#air.settle(call)
    const { frame } = call.flight
    // The common case: nothing else is going on, and the settlement is the next step.
    if (!this.#busy && !this.#paused && this.#arrivals.length === 0 && this.#over === undefined && this.#steps < TURN && this.state.queue.peek() === undefined) {
      this.#busy = true
      this.#step(frame, input)
      this.#busy = false
      if (this.#air.size === 0 || this.state.queue.peek() !== undefined || this.#arrivals.length > 0) this.#pump()
    } else this.#arrive({ resolve: () => (frame.flights.includes(call.flight) ? [frame, input] : undefined) })
  }

  #abortDropped(): void {
    for (const flight of this.state.dropped.splice(0)) {
      this.#air.abort(flight)
    }
  }

  // Durability

  /** Everything that is not durable yet, as one batch. */
  batch(): Batch | undefined {
    const { lease, state } = this
    const first = this.#tailFrom + 1
    if (lease === undefined || this.#over !== undefined || state.n < first) return undefined
    const encoded = this.records.slice(-(state.n - this.#tailFrom)).map(encodeRecord)
    const blobs = new Map(encoded.flatMap(({ blobs: own }) => [...(own ?? [])]))
    const body = `[${encoded.map(({ text }) => text).join(',\n')}]`
    this.#tailFrom = state.n
    this.#sinceSnapshot += body.length
    return {
      lease,
      first,
      count: encoded.length,
      version: FORMAT,
      body,
      row: summary(state, this.#definitions, this.status),
      ...(this.#programs.length > 0 ? { programs: this.#programs.splice(0) } : {}),
      ...(blobs.size > 0 ? { blobs } : {}),
      ...(this.#taken.length > 0 ? { taken: this.#taken.splice(0) } : {}),
      ...this.#snapshot(),
    }
  }

  /** A snapshot costs less than the journal since the last one, so together they cost less than the journal. */
  #snapshot(): { snapshot: string } | undefined {
    if (this.#sinceSnapshot < Math.min(Math.max(FIRST_SNAPSHOT, 2 * this.#lastSnapshot), LARGEST_SNAPSHOT_GAP)) return undefined
    const snapshot = JSON.stringify(dumpState(this.state, (pin) => this.#definitions.kind(this.#definitions.program(pin).kind).board?.history === true))
    this.#sinceSnapshot = 0
    this.#lastSnapshot = snapshot.length
    return { snapshot }
  }

  committed(last: number): void {
    const from = this.durable
    this.durable = last
    const done = this.records.splice(0, last - from)
    done.forEach((record, i) => {
      for (const subscriber of this.#subscribers) subscriber(record, from + i + 1)
    })
    const ready = this.#gated.filter(({ at }) => at <= last)
    if (ready.length > 0) this.#gated.splice(0, ready.length)
    for (const { call } of ready) this.#perform(call)
    this.#wake()
    if (this.state.ended !== undefined && this.durable === this.state.n) this.#world.closed(this)
  }

  lost(): void {
    this.broken(faults.make('R5002', `${this.id} was taken over by another process at record ${this.durable}`, { run: this.id }))
  }

  broken(fault: Fault): void {
    if (this.#over !== undefined) return
    this.#over = fault
    this.#end()
    for (const waiter of this.#waiters) waiter.reject(fault)
    this.#waiters.clear()
  }

  /** Stops here: what is in flight is aborted, nothing more is recorded. The run can be opened again. */
  close(): void {
    if (this.#over !== undefined) return
    this.#over = 'closed'
    this.#end()
    for (const waiter of this.#waiters) waiter.resolve()
    this.#waiters.clear()
  }

  #end(): void {
    this.#stopTimer?.()
    for (const flight of this.state.flights()) this.#air.abort(flight)
    this.#gated.length = 0
    for (const arrival of this.#arrivals.splice(0)) arrival.refused?.()
    this.#world.closed(this)
  }

  // Rest and time

  #rest(): void {
    if (!this.atRest) return
    const { state } = this
    if (state.ended === undefined && state.waits.size === 0 && state.start !== undefined && !this.#holdsSomething()) {
      this.#arrivals.push({ resolve: () => [state.root, ['kernel', 'stalled']] })
      return this.#pump()
    }
    this.#steps = 0
    if (this.durable < state.n) this.#world.committer?.want(this)
    this.#wake()
  }

  #holdsSomething(): boolean {
    return this.#holdsNext() || this.#held.some((flight) => flight.frame.flights.includes(flight))
  }

  #armTimer(): void {
    this.#stopTimer?.()
    this.#stopTimer = undefined
    const next = [...this.state.waits.values()].reduce<Wait | undefined>((least, wait) => (wait.due !== undefined && wait.due < (least?.due ?? Number.POSITIVE_INFINITY) ? wait : least), undefined)
    if (next?.due === undefined) return
    this.#stopTimer = this.#world.host.at(next.due, () => {
      this.#arrive({ resolve: () => (this.state.waits.get(next.id) === next ? [next.frame, ['timer', next.id]] : undefined) })
      this.#armTimer()
    })
  }

  /** The node path of a frame, outermost first: `verify/score`. */
  path(frame: Frame): string {
    return framePath(frame, this.#definitions)
  }
}

function faultJson(fault: Fault): Json {
  return copyJson(faultData(fault), 'fault')
}

/** A program as a store keeps it. */
export function storedProgram(program: Program): StoredProgram {
  return { hash: program.hash, kind: program.kind, source: JSON.stringify(program.source) }
}
