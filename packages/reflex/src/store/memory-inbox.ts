import type { MessageColumns } from './columns.ts'

/** A message in memory. */
export interface MemoryMessage extends MessageColumns {
  readonly row: number
}

interface Slot {
  readonly message: MemoryMessage
  isTaken: boolean
}

/** Slots that stay although they are taken, before the list is made again without them. */
const SPARE = 1024

/** The unread messages of one run, in order of arrival. No call costs more because many messages wait. */
export class MemoryInbox {
  #slots: Slot[] = []
  #head = 0
  #lastRow = 0
  #size = 0

  /** Changes with each message that is added. */
  get mark(): string {
    return `${this.#size} ${this.#lastRow}`
  }

  get size(): number {
    return this.#size
  }

  add(message: MemoryMessage): void {
    this.#slots.push({ message, isTaken: false })
    this.#lastRow = message.row
    this.#size++
  }

  /** Returns the id of the message, or undefined if it is not unread here. */
  take(row: number): string | undefined {
    const slot = this.#slots[this.#placeAfter(row - 1)]
    if (slot === undefined || slot.message.row !== row || slot.isTaken) return undefined
    slot.isTaken = true
    this.#size--
    this.#dropTaken()
    return slot.message.id
  }

  #dropTaken(): void {
    while (this.#slots[this.#head]?.isTaken === true) this.#head++
    const taken = this.#slots.length - this.#size
    if (taken <= SPARE || taken * 2 <= this.#slots.length) return
    this.#slots = this.#slots.filter(({ isTaken }) => !isTaken)
    this.#head = 0
  }

  /** The messages after a row. */
  *after(row = 0): Generator<MemoryMessage> {
    for (let place = this.#placeAfter(row); place < this.#slots.length; place++) {
      const slot = this.#slots[place]
      if (slot?.isTaken === false) yield slot.message
    }
  }

  #placeAfter(row: number): number {
    let [low, high] = [this.#head, this.#slots.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#slots[middle]?.message.row ?? 0) <= row) low = middle + 1
      else high = middle
    }
    return low
  }
}
