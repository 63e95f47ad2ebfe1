import { copyJson, type Json } from '../journal/json.ts'
import type { PendingEffect, Frame } from '../state/frame.ts'
import type { Call, Port } from '../ports/port.ts'
import type { Ref } from '../journal/record.ts'
import type { StreamRedactor } from '../journal/redact.ts'
import type { BoardReader } from '../state/scope.ts'

/** What an effect under way needs of its run. */
export interface CallOwner {
  readonly id: string
  definition(pin: number): unknown
  progress(call: LiveCall, delta: Json): void
  /** Begins the redaction of what an effect streams in parts; absent where nothing is redacted. */
  redaction?(): StreamRedactor | undefined
}

/** An effect of a run in this process: its data, and the means to stop it. */
export class LiveCall implements Call {
  readonly #owner: CallOwner
  readonly pendingEffect: PendingEffect
  readonly implementation: Port
  #controller: AbortController | undefined
  #redaction: StreamRedactor | undefined
  /** Settled or dropped: whatever still arrives is ignored. */
  isOver = false
  /** True if no other process may perform it too. */
  needsLease = true

  constructor(owner: CallOwner, pendingEffect: PendingEffect, implementation: Port) {
    this.#owner = owner
    this.pendingEffect = pendingEffect
    this.implementation = implementation
  }

  get run(): string {
    return this.#owner.id
  }

  get id(): Ref {
    return this.pendingEffect.id
  }

  get port(): string {
    return this.pendingEffect.port
  }

  get args(): Json | undefined {
    return this.pendingEffect.args
  }

  get frame(): Frame {
    return this.pendingEffect.frame
  }

  get key(): string {
    return this.pendingEffect.requestedKey ?? `${this.#owner.id}:${this.pendingEffect.id}`
  }

  get def(): unknown {
    return this.definition(this.pendingEffect.frame.pin)
  }

  definition(pin: number): unknown {
    return this.#owner.definition(pin)
  }

  /** Made when it is first asked for: most effects never look at it. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.isOver) this.#controller.abort()
    return this.#controller.signal
  }

  reader(): BoardReader {
    return this.pendingEffect.frame.reader()
  }

  part(delta: Json, begins = false): void {
    if (this.isOver) return
    const copy = copyJson(delta, `progress of ${this.port}`)
    this.#redaction ??= this.#owner.redaction?.()
    const visible = this.#redaction === undefined ? copy : this.#redaction.take(copy, begins)
    if (visible !== undefined) this.#owner.progress(this, visible)
  }

  /** Streams the remaining parts, which could have been the beginning of a secret. */
  endParts(): void {
    const rest = this.isOver ? undefined : this.#redaction?.end()
    if (rest !== undefined) this.#owner.progress(this, rest)
  }

  /** Settled: an abort afterwards would reach a tool that has already answered. */
  settle(): void {
    this.isOver = true
    this.#controller = undefined
  }

  /** Dropped: the effect is told to stop, and a late result is ignored. */
  abort(): void {
    this.isOver = true
    this.#controller?.abort()
  }
}
