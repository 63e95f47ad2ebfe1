import { copyJson, type Json } from '../journal/json.ts'
import type { Flight, Frame } from '../state/frame.ts'
import type { Call, Port } from '../ports/port.ts'
import type { Ref } from '../journal/record.ts'
import type { RedactStream } from '../journal/redact.ts'
import type { BoardReader } from '../state/scope.ts'

/** What an effect under way needs of its run. */
export interface CallOwner {
  readonly id: string
  definition(pin: number): unknown
  progress(call: LiveCall, delta: Json): void
  /** Begins the redaction of what an effect streams in parts; absent where nothing is redacted. */
  redaction?(): RedactStream | undefined
}

/** An effect of a run in this process: its data, and the means to stop it. */
export class LiveCall implements Call {
  readonly #owner: CallOwner
  readonly flight: Flight
  readonly via: Port
  #controller: AbortController | undefined
  #redaction: RedactStream | undefined
  /** Settled or dropped: whatever still arrives is ignored. */
  over = false
  /** True if no other process may perform it too. */
  needsLease = true

  constructor(owner: CallOwner, flight: Flight, via: Port) {
    this.#owner = owner
    this.flight = flight
    this.via = via
  }

  get run(): string {
    return this.#owner.id
  }

  get id(): Ref {
    return this.flight.id
  }

  get port(): string {
    return this.flight.port
  }

  get args(): Json | undefined {
    return this.flight.args
  }

  get frame(): Frame {
    return this.flight.frame
  }

  get key(): string {
    return this.flight.asked ?? `${this.#owner.id}:${this.flight.id}`
  }

  get def(): unknown {
    return this.definition(this.flight.frame.pin)
  }

  definition(pin: number): unknown {
    return this.#owner.definition(pin)
  }

  /** Made when it is first asked for: most effects never look at it. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.over) this.#controller.abort()
    return this.#controller.signal
  }

  reader(): BoardReader {
    return this.flight.frame.reader()
  }

  part(delta: Json, begins = false): void {
    if (this.over) return
    const copy = copyJson(delta, `progress of ${this.port}`)
    this.#redaction ??= this.#owner.redaction?.()
    const shown = this.#redaction === undefined ? copy : this.#redaction.take(copy, begins)
    if (shown !== undefined) this.#owner.progress(this, shown)
  }

  /** Streams the remaining parts, which could have been the beginning of a secret. */
  endParts(): void {
    const rest = this.over ? undefined : this.#redaction?.end()
    if (rest !== undefined) this.#owner.progress(this, rest)
  }

  /** Settled: an abort afterwards would reach a tool that has already answered. */
  settle(): void {
    this.over = true
    this.#controller = undefined
  }

  /** Dropped: the effect is told to stop, and a late result is ignored. */
  abort(): void {
    this.over = true
    this.#controller?.abort()
  }
}
