const ROUNDS = roundConstants()
const encoder = new TextEncoder()

/**
 * Returns the SHA-256 of a text as 64 hexadecimal digits. It is implemented here because the kernel imports nothing, a step
 * needs it synchronously, and the studio folds journals in a browser.
 */
export function digest(text: string): string {
  return digestBytes(encoder.encode(text))
}

/** Returns the SHA-256 of bytes as 64 hexadecimal digits. */
export function digestBytes(bytes: Uint8Array): string {
  const words = pad(bytes)
  const hash = Uint32Array.of(0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19)
  const schedule = new Uint32Array(64)
  for (let block = 0; block < words.length; block += 16) compress(hash, schedule, words.subarray(block, block + 16))
  return Array.from(hash, (word) => word.toString(16).padStart(8, '0')).join('')
}

/** Returns a number in [0, 1) that depends only on the text. */
export function digestFraction(text: string): number {
  const hex = digest(text)
  return (Number.parseInt(hex.slice(0, 8), 16) * 2 ** 21 + Number.parseInt(hex.slice(8, 16), 16) / 2 ** 11) / 2 ** 53
}

/** Returns the fractional parts of the cube roots of the first 64 primes, as the standard defines them. */
function roundConstants(): Uint32Array {
  const primes: number[] = []
  for (let n = 2; primes.length < 64; n++) if (primes.every((p) => n % p !== 0)) primes.push(n)
  return Uint32Array.from(primes, (p) => (Math.cbrt(p) % 1) * 2 ** 32)
}

function pad(bytes: Uint8Array): Uint32Array {
  const padded = new Uint8Array(((bytes.length + 72) >> 6) << 6)
  padded.set(bytes)
  padded[bytes.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29))
  view.setUint32(padded.length - 4, (bytes.length << 3) >>> 0)
  return Uint32Array.from({ length: padded.length / 4 }, (_, i) => view.getUint32(i * 4))
}

const rotate = (x: number, by: number): number => (x >>> by) | (x << (32 - by))

function compress(hash: Uint32Array, w: Uint32Array, block: Uint32Array): void {
  w.set(block)
  for (let i = 16; i < 64; i++) {
    const a = w[i - 15] ?? 0
    const b = w[i - 2] ?? 0
    const s0 = rotate(a, 7) ^ rotate(a, 18) ^ (a >>> 3)
    const s1 = rotate(b, 17) ^ rotate(b, 19) ^ (b >>> 10)
    w[i] = (w[i - 16] ?? 0) + s0 + (w[i - 7] ?? 0) + s1
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = hash
  for (let i = 0; i < 64; i++) {
    const t1 = (h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + (ROUNDS[i] ?? 0) + (w[i] ?? 0)) | 0
    const t2 = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0
    ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0]
  }
  ;[a, b, c, d, e, f, g, h].forEach((word, i) => {
    hash[i] = (hash[i] ?? 0) + word
  })
}
