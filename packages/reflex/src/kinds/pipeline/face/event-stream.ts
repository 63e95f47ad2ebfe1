import type { PipelineEvent } from '../folder/events.ts'

/** Events that wait for a slow reader at most. */
const MOST = 10_000

/**
 * The events of a run for whoever iterates over them (reference pipeline 10.2). A reader that is too slow loses the oldest,
 * and `dropped` says how many; the run never waits. It ends with the run.
 */
export class EventStream implements AsyncIterable<PipelineEvent> {
  readonly #most: number
  readonly #waiting: PipelineEvent[] = []
  #wake: (() => void) | undefined
  #isOver = false
  /** Events that nobody took in time. */
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

  /** No further event comes. */
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
