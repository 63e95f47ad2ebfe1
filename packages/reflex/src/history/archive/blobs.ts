import { createHash } from 'node:crypto'
import { type LineOf, PART_SIZE } from './format.ts'

/** Characters of large values that both sides remember; one that was forgotten stands in the archive again. */
const MAX_REMEMBERED = 8_000_000
/** Parts of a value at most: more make no text. */
const MAX_PARTS = 500

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
  forget(bound = MAX_REMEMBERED): void {
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
  #partial: { readonly name: string; readonly of: number; readonly texts: string[] } | undefined

  /** The value of which parts are still to come. */
  get unfinishedName(): string | undefined {
    return this.#partial?.name
  }

  /** Whether the next record must need a value. */
  get hasUnused(): boolean {
    return this.#fresh.size > 0
  }

  get(name: string): string | undefined {
    return this.#recent.get(name)
  }

  /** Takes a part of a value. Answers with what is wrong with it. */
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

  /** The values that a record needs, which are remembered from then on, or the first that nobody has brought. */
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

  /** After each record. `bound`: how many characters are kept. */
  forget(bound?: number): void {
    this.#recent.forget(bound)
  }
}
