import { createHash } from 'node:crypto'
import { type LineOf, PART } from './format.ts'

/** Characters of large values that both sides remember; one that was forgotten stands in the archive again. */
const REMEMBERED = 8_000_000
/** Parts of a value at most: more make no text. */
const MOST_PARTS = 500

/** The large values of the last records, within bounds. Whoever writes and whoever reads forget the same ones. */
export class RecentBlobs {
  readonly #texts = new Map<string, string>()
  #size = 0

  has(name: string): boolean {
    return this.#texts.has(name)
  }

  get(name: string): string | undefined {
    return this.#texts.get(name)
  }

  add(name: string, text: string): void {
    this.#texts.set(name, text)
    this.#size += text.length
  }

  /** After each record: forgets the oldest until what is left is within bounds, or everything. */
  forget(bound = REMEMBERED): void {
    for (const [name, { length }] of this.#texts) {
      if (this.#size <= bound) return
      this.#texts.delete(name)
      this.#size -= length
    }
  }
}

/** The large values of an archive, as its lines bring them and its records need them. */
export class IncomingBlobs {
  readonly #recent = new RecentBlobs()
  /** Those that the next record must need. */
  readonly #fresh = new Map<string, string>()
  #growing: { readonly name: string; readonly of: number; readonly texts: string[] } | undefined

  /** The value of which parts are still to come. */
  get unfinished(): string | undefined {
    return this.#growing?.name
  }

  /** Whether the next record must need a value. */
  get waiting(): boolean {
    return this.#fresh.size > 0
  }

  get(name: string): string | undefined {
    return this.#recent.get(name)
  }

  /** Takes a part of a value. Answers with what is wrong with it. */
  take({ blob: name, part, of, text }: LineOf<'blob'>): 'missing' | 'twice' | 'changed' | undefined {
    const growing = this.#growing ?? { name, of, texts: [] }
    if (growing.name !== name || growing.of !== of || part !== growing.texts.length + 1 || part > of || of > MOST_PARTS) return 'missing'
    if (part < of ? text.length !== PART : text.length === 0 || text.length > PART) return 'changed'
    if (this.#fresh.has(name) || this.#recent.has(name)) return 'twice'
    growing.texts.push(text)
    this.#growing = growing
    if (part < of) return undefined
    const whole = growing.texts.join('')
    if (createHash('sha256').update(whole, 'utf8').digest('hex') !== name) return 'changed'
    this.#fresh.set(name, whole)
    this.#growing = undefined
    return undefined
  }

  /** The values that a record needs, which are remembered from then on, or the first that nobody has brought. */
  need(names: readonly string[]): ReadonlyMap<string, string> | { readonly missing: string } {
    const blobs = new Map<string, string>()
    for (const name of names) {
      const fresh = this.#fresh.get(name)
      const text = fresh ?? this.#recent.get(name)
      if (text === undefined) return { missing: name }
      blobs.set(name, text)
      if (fresh !== undefined) this.#recent.add(name, fresh)
      this.#fresh.delete(name)
    }
    return blobs
  }

  /** After each record. `bound`: how many characters are kept. */
  forget(bound?: number): void {
    this.#recent.forget(bound)
  }
}
