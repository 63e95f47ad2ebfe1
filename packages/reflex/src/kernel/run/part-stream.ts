import { joinDeltas } from '../journal/deltas.ts'
import type { Json } from '../journal/json.ts'
import type { StreamRedactor } from '../journal/redact.ts'
import type { Host } from '../ports/host.ts'

/** The milliseconds between two parts of one effect. */
const PART_INTERVAL = 100

/** The things that the parts of an effect need of their run. */
export interface PartStreamOptions {
  readonly host: Host
  /** Redacts the parts; absent if nothing is redacted. */
  readonly redaction: StreamRedactor | undefined
  /** Makes a delta a record. */
  record(delta: Json): void
}

/**
 * The parts that an effect reports, each of which steps its frame and becomes a record: at most ten per second, and one more before the
 * settlement. The first is recorded at once; those between two records are joined.
 */
export class PartStream {
  readonly #options: PartStreamOptions
  #waiting: Json[] = []
  /** The time of the host's monotonic clock from which the next part is recorded at once. */
  #next = Number.NEGATIVE_INFINITY
  #cancelTimer: (() => void) | undefined

  constructor(options: PartStreamOptions) {
    this.#options = options
  }

  /** Adds a delta. One that `begins` replaces the deltas that are not recorded yet. */
  add(delta: Json, begins: boolean): void {
    const { host, redaction } = this.#options
    if (begins) this.#waiting = []
    const visible = redaction === undefined ? delta : redaction.take(delta, begins)
    if (visible === undefined) return
    this.#waiting.push(visible)
    const wait = this.#next - host.monotonic()
    if (wait <= 0) this.#record()
    else this.#cancelTimer ??= host.at(host.now() + wait, () => this.#record(), true)
  }

  /** Takes the deltas that are not recorded yet, joined; undefined if there are none. The stream may continue. */
  take(): Json | undefined {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    return joinDeltas(this.#waiting.splice(0))
  }

  /** Ends the stream: takes the rest, with the text that was held back as a possible start of a secret. */
  end(): Json | undefined {
    const heldBack = this.#options.redaction?.end()
    if (heldBack !== undefined) this.#waiting.push(heldBack)
    return this.take()
  }

  #record(): void {
    const delta = this.take()
    this.#next = this.#options.host.monotonic() + PART_INTERVAL
    if (delta !== undefined) this.#options.record(delta)
  }
}
