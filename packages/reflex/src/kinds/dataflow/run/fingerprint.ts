const NUMBER = new DataView(new ArrayBuffer(8))

/**
 * A number of 53 bits that stands for everything that was added, in order. A record states that of its passes, so that a replay which
 * computes other outputs or effects differs. It is no protection against intent: exported captures have SHA-256.
 */
export class Fingerprint {
  #low = 0xdeadbeef
  #high = 0x41c6ce57

  /** Adds a value of JSON, the keys of an object in their order. A number is the bits that it has. */
  add(value: unknown): void {
    if (typeof value === 'number') return this.#number(value)
    if (typeof value === 'string') return this.#text(value)
    if (typeof value !== 'object' || value === null) return this.#word(value === true ? 1 : value === false ? 2 : 3)
    if (Array.isArray(value)) {
      this.#word(value.length + 4)
      for (const item of value) this.add(item)
      return
    }
    this.#word(-1)
    for (const [key, inner] of Object.entries(value)) {
      if (inner === undefined) continue
      this.#text(key)
      this.add(inner)
    }
    this.#word(-2)
  }

  #number(value: number): void {
    NUMBER.setFloat64(0, value + 0)
    this.#word(NUMBER.getInt32(0))
    this.#word(NUMBER.getInt32(4))
  }

  #text(text: string): void {
    for (let i = 0; i < text.length; i++) this.#word(text.charCodeAt(i))
    this.#word(-text.length - 3)
  }

  #word(word: number): void {
    this.#low = Math.imul(this.#low ^ word, 2654435761)
    this.#high = Math.imul(this.#high ^ word, 1597334677)
  }

  get value(): number {
    const low = mix(this.#low) ^ mix2(this.#high)
    const high = mix(this.#high) ^ mix2(low)
    return 4294967296 * (high & 2097151) + (low >>> 0)
  }
}

function mix(part: number): number {
  return Math.imul(part ^ (part >>> 16), 2246822507)
}

function mix2(part: number): number {
  return Math.imul(part ^ (part >>> 13), 3266489909)
}
