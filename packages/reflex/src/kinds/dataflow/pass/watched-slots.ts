import type { Banks } from './banks.ts'
import type { Slot } from './program.ts'

/** A slot with the chunks that read it. */
export interface Watch {
  readonly slot: Slot
  readonly readers: readonly number[]
}

/** The values that chunks have seen of a program, and which chunks read which value. A chunk that has seen all its inputs as they are is clean. */
export class WatchedSlots {
  readonly #banks: Banks
  /** The last values that were noted. */
  readonly #seen: Banks
  readonly #dirty: Uint8Array

  constructor(banks: Banks, chunks: number) {
    this.#banks = banks
    this.#seen = { f: banks.f.slice(), g: banks.g.slice(), s: [...banks.s], x: [...banks.x] }
    this.#dirty = new Uint8Array(chunks).fill(1)
  }

  /** Notes the value that was stored: the chunks that read it have to run, unless it has the same bits as before. */
  note({ slot, readers }: Watch): void {
    if (!this.#renew(slot)) return
    for (let i = 0; i < readers.length; i++) this.#dirty[readers[i] as number] = 1
  }

  /** True if a slot differs from what was noted, which is then noted. NaN differs from itself: its pass has failed. */
  #renew({ bank, at }: Slot): boolean {
    const [seen, banks] = [this.#seen, this.#banks]
    if (bank === 'f') {
      if (seen.f[at] === banks.f[at]) return false
      seen.f[at] = banks.f[at] as number
    } else if (bank === 'g') {
      if (seen.g[at] === banks.g[at]) return false
      seen.g[at] = banks.g[at] as number
    } else if (bank === 's') {
      if (seen.s[at] === banks.s[at]) return false
      seen.s[at] = banks.s[at] as string
    } else {
      if (isSameList(seen.x[at], banks.x[at])) return false
      seen.x[at] = banks.x[at] as readonly number[]
    }
    return true
  }

  isDirty(chunk: number): boolean {
    return this.#dirty[chunk] === 1
  }

  clean(chunk: number): void {
    this.#dirty[chunk] = 0
  }

  /** All chunks have to run: values were stored that were not noted. */
  forget(): void {
    this.#dirty.fill(1)
  }
}

function isSameList(one: readonly number[] = [], other: readonly number[] = []): boolean {
  if (one === other) return true
  if (one.length !== other.length) return false
  for (let i = 0; i < one.length; i++) if (one[i] !== other[i]) return false
  return true
}
