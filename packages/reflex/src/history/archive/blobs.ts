import { createHash } from 'node:crypto'
import { type LineOf, PART_SIZE } from './format.ts'

/** The number of characters of large values that the writer and the reader of an archive remember. A forgotten value is written again. */
const MAX_REMEMBERED = 8_000_000
/** The maximum number of parts of a value. More parts would be longer than a text can be. */
const MAX_PARTS = 500

/** The large values of the latest records, up to a limit. The writer and the reader of an archive forget the same values. */
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

  /** Forgets the oldest values until the rest is within the limit. It is called after each record. */
  forget(bound = MAX_REMEMBERED): void {
    for (const [name, { length }] of this.#texts) {
      if (this.#size <= bound) return
      this.#texts.delete(name)
      this.#size -= length
    }
  }
}

/** The large values of an archive. Lines add them and records take them. */
export class IncomingBlobs {
  readonly #recent = new RecentBlobs()
  /** The values that the next record must need. */
  readonly #fresh = new Map<string, string>()
  #partial: { readonly name: string; readonly of: number; readonly texts: string[] } | undefined

  /** The name of the value with missing parts; undefined if there is none. */
  get unfinishedName(): string | undefined {
    return this.#partial?.name
  }

  /** True if the next record must need a value. */
  get hasUnused(): boolean {
    return this.#fresh.size > 0
  }

  get(name: string): string | undefined {
    return this.#recent.get(name)
  }

  /** Adds a part of a value. Returns what is wrong with it; undefined if it is valid. */
  addPart({ blob: name, part, of, text }: LineOf<'blob'>): 'missing' | 'twice' | 'changed' | undefined {
    const partial = this.#partial ?? { name, of, texts: [] }
    if (partial.name !== name || partial.of !== of || part !== partial.texts.length + 1 || part > of || of > MAX_PARTS) return 'missing'
    if (part < of ? text.length !== PART_SIZE : text.length === 0 || text.length > PART_SIZE) return 'changed'
    if (this.#fresh.has(name) || this.#recent.has(name)) return 'twice'
    partial.texts.push(text)
    this.#partial = partial
    if (part < of) return undefined
    const joined = partial.texts.join('')
    if (createHash('sha256').update(joined, 'utf8').digest('hex') !== name) return 'changed'
    this.#fresh.set(name, joined)
    this.#partial = undefined
    return undefined
  }

  /** Returns the values that a record needs and remembers them, or the name of the first value that no line has added. */
  resolve(names: readonly string[]): ReadonlyMap<string, string> | { readonly missing: string } {
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

  /** Forgets the oldest values. It is called after each record. `bound` is the limit in characters. */
  forget(bound?: number): void {
    this.#recent.forget(bound)
  }
}
