import type { PipelineEvent } from '../folder/events.ts'

/** The largest number of events that wait for a slow reader. */
const MOST = 10_000

/**
 * An async iterable of the events of a run (reference pipeline 10.2). For a slow reader, the oldest events are dropped and
 * counted in `dropped`; the run never waits. The iteration ends with the run.
 */
export class EventStream implements AsyncIterable<PipelineEvent> {
  readonly #most: number
  readonly #waiting: PipelineEvent[] = []
  #wake: (() => void) | undefined
  #isOver = false
  /** The number of events that were dropped. */
  dropped = 0

  constructor(most = MOST) {
    this.#most = most
  }

  push(event: PipelineEvent): void {
    if (this.#isOver) return
    this.#waiting.push(event)
    if (this.#waiting.length > this.#most) {
      this.#waiting.shift()
      this.dropped++
    }
    this.#wake?.()
  }

  /** Ends the stream: no event follows. */
  end(): void {
    this.#isOver = true
    this.#wake?.()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<PipelineEvent> {
    for (;;) {
      const next = this.#waiting.shift()
      if (next !== undefined) yield next
      else if (this.#isOver) return
      else await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }
}
