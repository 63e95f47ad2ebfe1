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
  const padded = pad(bytes)
  const hash = Int32Array.of(0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19)
  for (let offset = 0; offset < padded.length; offset += 64) {
    schedule(padded, offset)
    compress(hash)
  }
  let digits = ''
  for (let i = 0; i < 8; i++) digits += ((hash[i] ?? 0) >>> 0).toString(16).padStart(8, '0')
  return digits
}

/** Returns a number in [0, 1) that depends only on the text. */
export function digestFraction(text: string): number {
  const hex = digest(text)
  return (Number.parseInt(hex.slice(0, 8), 16) * 2 ** 21 + Number.parseInt(hex.slice(8, 16), 16) / 2 ** 11) / 2 ** 53
}

/** Returns the fractional parts of the cube roots of the first 64 primes, as the standard defines them. */
function roundConstants(): Int32Array {
  const primes: number[] = []
  for (let n = 2; primes.length < 64; n++) if (primes.every((p) => n % p !== 0)) primes.push(n)
  return Int32Array.from(primes, (p) => ((Math.cbrt(p) % 1) * 2 ** 32) | 0)
}

/** Returns the bytes with a mark behind them and their number of bits at the end, in whole blocks. */
function pad(bytes: Uint8Array): Uint8Array {
  const padded = new Uint8Array(((bytes.length + 72) >> 6) << 6)
  padded.set(bytes)
  padded[bytes.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29))
  view.setUint32(padded.length - 4, (bytes.length << 3) >>> 0)
  return padded
}

/** The words of the block that is being compressed: no digest is begun within another one. */
const W = new Int32Array(64)

const rotate = (x: number, by: number): number => (x >>> by) | (x << (32 - by))

/** Extends a block to the 64 words of its rounds. */
function schedule(bytes: Uint8Array, offset: number): void {
  for (let i = 0, at = offset; i < 16; i++, at += 4)
    W[i] = ((bytes[at] ?? 0) << 24) | ((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0)
  for (let i = 16; i < 64; i++) {
    const x = W[i - 15] ?? 0
    const y = W[i - 2] ?? 0
    const s0 = rotate(x, 7) ^ rotate(x, 18) ^ (x >>> 3)
    const s1 = rotate(y, 17) ^ rotate(y, 19) ^ (y >>> 10)
    W[i] = (W[i - 16] ?? 0) + s0 + (W[i - 7] ?? 0) + s1
  }
}

/** Mixes the block into the hash. The variables are moved one by one: a list of them would be an object in each of the rounds. */
function compress(hash: Int32Array): void {
  let a = hash[0] ?? 0
  let b = hash[1] ?? 0
  let c = hash[2] ?? 0
  let d = hash[3] ?? 0
  let e = hash[4] ?? 0
  let f = hash[5] ?? 0
  let g = hash[6] ?? 0
  let h = hash[7] ?? 0
  for (let i = 0; i < 64; i++) {
    const t1 = (h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + (ROUNDS[i] ?? 0) + (W[i] ?? 0)) | 0
    const t2 = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + t1) | 0
    d = c
    c = b
    b = a
    a = (t1 + t2) | 0
  }
  const mixed = [a, b, c, d, e, f, g, h]
  for (let i = 0; i < 8; i++) hash[i] = (hash[i] ?? 0) + (mixed[i] ?? 0)
}
