import { type Call, type Host, isFault, type Json, type JsonObject, type PortRun } from '../../../kernel/index.ts'
import { faults } from '../run/faults.ts'
import { readPosition } from '../run/position.ts'
import { TOO_LARGE } from '../run/read-event.ts'
import { placeOfSource, type ReadPlace } from '../run/read-place.ts'
import { EVENT_TOPIC } from '../run/topics.ts'
import { problemOf } from './event-line.ts'

/** The events that are sent together, and the most that may wait. */
const BATCH = 256
const MOST_WAITING = 2048
/** The batches that may be on their way at once. */
const MOST_MOVING = 4
/** Milliseconds between two looks at how far the graph is, while too many events wait. */
const LOOK = 20
/** How often events are sent again after the store has failed; the pause before doubles each time. */
const MOST_TRIES = 8

/** One line of a source: the line before it among those that are sent, and its event. Without one it is the end of the source. */
interface SourceLine {
  readonly line: number
  readonly offset: number
  readonly before: number
  readonly content: JsonObject
}

/** Lines that are on their way: where the first of them failed, if one did. */
interface Moving {
  readonly lines: readonly SourceLine[]
  readonly failure: Promise<{ readonly at: number; readonly thrown: unknown } | undefined>
}

/**
 * Sends the events of one source to its graph, in batches, and waits while the graph is too far behind.
 *
 * Each line names the line before it, and a graph passes over a line that does not follow the last one that it took. So a line that is sent
 * twice, by a process that another one has replaced or after a failure of the store, counts once, and none is left out.
 */
export class EventSink {
  readonly name: string
  readonly #call: Call
  readonly #run: PortRun
  readonly #host: Host
  #batch: SourceLine[] = []
  readonly #moving: Moving[] = []
  #line: number
  #offset: number
  /** The beginning of the ids of messages: no other process, and no other attempt, has the same. */
  #mark: string
  sent = 0

  /** `run`: takes the messages. */
  constructor(name: string, call: Call, { run, host }: { readonly run: PortRun; readonly host: Host }) {
    this.name = name
    this.#call = call
    this.#run = run
    this.#host = host
    const [offset, line] = this.#taken
    this.#offset = Math.max(0, offset)
    this.#line = line
    this.#mark = this.#newMark()
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

  /** Sends a line that cannot be an event, with the reason: the graph refuses it at its place. */
  refuse(problem: string, offset: number, line: number): Promise<void> {
    return this.post({ problem }, offset, line)
  }

  /** Sends what is left, and waits until all of it is durable. */
  async flush(): Promise<void> {
    await this.#flush()
    while (this.#moving.length > 0) await this.#settle()
  }

  /** Says that the source has ended. */
  async end(): Promise<void> {
    this.#batch.push({ line: this.#line, offset: this.#offset, before: this.#line, content: {} })
    await this.flush()
  }

  /** Sends what `sourcedEvent` reads in place of an event. */
  async post(content: JsonObject, offset: number, line: number): Promise<void> {
    this.#batch.push({ line, offset, before: this.#line, content })
    this.#line = line
    this.#offset = offset
    this.sent++
    if (this.#batch.length >= BATCH) await this.#flush()
  }

  /** Sends what was gathered at once, so that one record takes it. Waits while too many events are on their way. */
  async #flush(): Promise<void> {
    if (this.#batch.length > 0) this.#moving.push(this.#post(this.#batch.splice(0)))
    // Only a source that is far ahead waits: the record before is made durable while the next ones are read.
    if (this.#moving.length > MOST_MOVING) await this.#settle()
    while (!this.signal.aborted && this.#waiting > MOST_WAITING) await this.#pause(LOOK)
    if (this.signal.aborted) throw faults.make('R1387', `${this.name} was stopped`)
  }

  #post(lines: readonly SourceLine[]): Moving {
    const results = Promise.allSettled(lines.map((line) => this.#message(line)))
    const failure = results.then((all) => {
      const at = all.findIndex(({ status }) => status === 'rejected')
      const failed = all[at]
      return failed?.status === 'rejected' ? { at, thrown: failed.reason as unknown } : undefined
    })
    return { lines, failure }
  }

  #message({ line, offset, before, content }: SourceLine): Promise<boolean> {
    const run = this.#run
    const source = before === line - 1 || Object.keys(content).length === 0 ? [this.name, offset, line] : [this.name, offset, line, before]
    const options = { id: `${this.#mark}${line}${Object.keys(content).length === 0 ? 'e' : ''}`, frame: this.#call.frame.id }
    try {
      return run.message(EVENT_TOPIC, { source, ...content }, options)
    } catch (thrown) {
      if (!isFault(thrown) || !Object.hasOwn(content, 'event')) throw thrown
      // No record can hold it: it is nested too deeply, or has a number that JSON does not have.
      const problem = thrown.code === 'R2019' ? TOO_LARGE : problemOf(thrown, 'message.event')
      return run.message(EVENT_TOPIC, { source, problem }, options)
    }
  }

  /**
   * Waits for the oldest lines that are on their way. If the store has failed, sends what did not arrive again, with all lines after it: the
   * graph has passed over those.
   */
  async #settle(): Promise<void> {
    for (let tries = 0; ; ) {
      const [first] = this.#moving
      const failed = await first?.failure
      if (first === undefined || failed === undefined) {
        this.#moving.shift()
        return
      }
      const later = this.#moving.splice(0).slice(1)
      await Promise.all(later.map(({ failure }) => failure))
      if (this.signal.aborted || tries === MOST_TRIES) throw failed.thrown
      tries = failed.at > 0 ? 1 : tries + 1
      await this.#pause(LOOK * 2 ** (tries - 1))
      this.#mark = this.#newMark()
      this.#moving.push(this.#post([...first.lines.slice(failed.at), ...later.flatMap(({ lines }) => lines)]))
    }
  }

  /** The last line of the source that the graph has taken. */
  get #taken(): ReadPlace {
    return placeOfSource(readPosition(this.#call.frame.position).read, this.name) ?? [0, 0]
  }

  /** The number of lines that were sent and that no record has taken. */
  get #waiting(): number {
    return this.#line - this.#taken[1]
  }

  #newMark(): string {
    return `${this.#host.entropy().slice(0, 6)}:`
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#host.at(this.#host.now() + ms, resolve))
  }
}
