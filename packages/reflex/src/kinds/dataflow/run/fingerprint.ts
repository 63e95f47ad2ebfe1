/**
 * A number of 53 bits that stands for everything that was added, in order. A record states that of its passes, so that a replay which
 * computes other outputs or effects differs. It is no protection against intent: exported captures have SHA-256.
 */
export class Fingerprint {
  #low = 0xdeadbeef
  #high = 0x41c6ce57

  add(text: string): void {
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i)
      this.#low = Math.imul(this.#low ^ code, 2654435761)
      this.#high = Math.imul(this.#high ^ code, 1597334677)
    }
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
