import type { Frame } from './frame.ts'
import type { Input } from '../journal/record.ts'

/** An input that the fold itself made: going on, a return, an end, a cancellation. */
export interface QueuedInput {
  readonly frame: Frame
  readonly input: Input | undefined
}

/** Inputs made by the fold, first in, first out. Part of the state: a crash between two records loses none. */
export class Queue {
  #items: QueuedInput[] = []
  #head = 0

  push(frame: Frame, input: Input | undefined): void {
    this.#items.push({ frame, input })
  }

  /** The next input whose frame is still there. */
  peek(): QueuedInput | undefined {
    let next = this.#items[this.#head]
    while (next?.frame.gone) next = this.#items[++this.#head]
    if (next === undefined && this.#head > 0) {
      // Taken one by one: a list that is made anew asks for its memory again at every return.
      while (this.#items.length > 0) this.#items.pop()
      this.#head = 0
    }
    return next
  }

  /** Takes the input that `peek` shows. */
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

  /** What is queued for frames that are still there. */
  list(): QueuedInput[] {
    return this.#items.slice(this.#head).filter((item) => !item.frame.gone)
  }
}
