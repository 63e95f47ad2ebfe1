import type { Frame } from './frame.ts'
import type { Input } from '../journal/record.ts'

/** An input from the fold itself: a step without input, a return, an end, a cancellation. */
export interface QueuedInput {
  readonly frame: Frame
  readonly input: Input | undefined
}

/** The inputs from the fold, first in, first out. They are part of the state: a crash between two records loses none. */
export class Queue {
  #items: QueuedInput[] = []
  #head = 0

  push(frame: Frame, input: Input | undefined): void {
    this.#items.push({ frame, input })
  }

  /** Returns the next input whose frame still exists. */
  peek(): QueuedInput | undefined {
    let next = this.#items[this.#head]
    while (next?.frame.gone) next = this.#items[++this.#head]
    if (next === undefined && this.#head > 0) {
      // Popped one by one: a new list would allocate its memory again at every return.
      while (this.#items.length > 0) this.#items.pop()
      this.#head = 0
    }
    return next
  }

  /** Takes the input that `peek` returns. */
  take(): QueuedInput | undefined {
    const next = this.peek()
    if (next === undefined) return undefined
    this.#head++
    if (this.#head > 1024 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head)
      this.#head = 0
    }
    return next
  }

  /** Returns the queued inputs of existing frames. */
  list(): QueuedInput[] {
    return this.#items.slice(this.#head).filter((item) => !item.frame.gone)
  }
}
