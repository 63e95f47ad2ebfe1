import type { Call, Host, Json, JsonObject, PortRun } from '../../../kernel/index.ts'
import { faults } from '../run/faults.ts'
import { readPosition } from '../run/position.ts'
import { EVENT_TOPIC } from '../run/topics.ts'

/** The events that are sent together, and the most that may wait. */
const BATCH = 256
const MOST_WAITING = 2048
/** The batches that may be on their way at once. */
const MOST_MOVING = 4
/** Milliseconds between two looks at how far the graph is, while too many events wait. */
const LOOK = 20

/** Sends the events of one source to its graph, in batches, and waits while the graph is too far behind. */
export class Sink {
  readonly name: string
  readonly #call: Call
  readonly #host: Host
  #batch: { readonly body: Json; readonly id: string }[] = []
  readonly #moving: Promise<unknown>[] = []
  #line: number
  #offset: number
  sent = 0

  constructor(name: string, call: Call, host: Host) {
    this.name = name
    this.#call = call
    this.#host = host
    const [offset = 0, line = 0] = readPosition(call.frame.position).read[name] ?? []
    this.#offset = Math.max(0, offset)
    this.#line = line
  }

  /** The end of the part that was read before this call, in bytes and lines. */
  get from(): { readonly offset: number; readonly line: number } {
    return { offset: this.#offset, line: this.#line }
  }

  get signal(): AbortSignal {
    return this.#call.signal
  }

  send(event: Json, offset: number, line: number): Promise<void> {
    return this.post({ event }, offset, line)
  }

  /** Sends what `sourcedEvent` reads in place of an event. */
  async post(what: JsonObject, offset: number, line: number): Promise<void> {
    this.#line = line
    this.#offset = offset
    this.sent++
    this.#batch.push({ body: { source: [this.name, offset, line], ...what }, id: `${this.name}:${line}` })
    if (this.#batch.length >= BATCH) await this.#flush()
  }

  /** Sends what is left, and waits until all of it is durable. */
  async flush(): Promise<void> {
    await this.#flush()
    await Promise.all(this.#moving.splice(0))
  }

  /** Says that the source has ended. */
  async end(): Promise<void> {
    await this.flush()
    await this.#message({ source: [this.name, this.#offset, this.#line] }, `${this.name}:end`)
  }

  #message(body: Json, id: string): Promise<boolean> {
    const run = this.#call.session as PortRun
    return run.message(EVENT_TOPIC, body, { id, frame: this.#call.frame.id })
  }

  /** Sends what was gathered at once, so that one record takes it. Waits while too many events are on their way. */
  async #flush(): Promise<void> {
    const moving = Promise.all(this.#batch.splice(0).map(({ body, id }) => this.#message(body, id)))
    // A rejection is thrown where the batch is awaited.
    moving.catch(() => undefined)
    this.#moving.push(moving)
    // Only a file that is far ahead waits: the record before is made durable while the next ones are read.
    if (this.#moving.length > MOST_MOVING) await this.#moving.shift()
    while (!this.signal.aborted && this.#waiting > MOST_WAITING) await this.#pause()
    if (this.signal.aborted) throw faults.make('R1387', `${this.name} was stopped`)
  }

  /** The number of lines that were sent and that no record has taken. */
  get #waiting(): number {
    const [, taken = 0] = readPosition(this.#call.frame.position).read[this.name] ?? []
    return this.#line - taken
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => this.#host.at(this.#host.now() + LOOK, resolve))
  }
}
