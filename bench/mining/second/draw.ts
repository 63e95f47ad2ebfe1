/** Draws a number in [0, 1). */
export type Draw = () => number

/** Returns a generator of numbers from a seed: xorshift, and not that of the first log. */
export function drawFrom(seed: number): Draw {
  let [a, b] = [(seed ^ 0x2545f491) >>> 0 || 1, Math.imul(seed + 0x1234567, 0x6c078965) >>> 0 || 2]
  const next = (): number => {
    let t = a
    a = b
    t ^= t << 23
    t ^= t >>> 17
    t ^= b ^ (b >>> 26)
    b = t >>> 0
    return ((a + b) >>> 0) / 2 ** 32
  }
  for (let i = 0; i < 16; i++) next()
  return next
}

/** Returns a whole number below a bound. */
export function upTo(draw: Draw, bound: number): number {
  return Math.floor(draw() * bound)
}

export function oneOf<Value>(draw: Draw, values: readonly Value[]): Value {
  const value = values[upTo(draw, values.length)]
  if (value === undefined) throw new RangeError('there is nothing to draw from')
  return value
}

export function chance(draw: Draw, share: number): boolean {
  return draw() < share
}

/** Returns a number from 0 on; each further one is rarer by a share. */
export function geometric(draw: Draw, share: number, most: number): number {
  let n = 0
  while (n < most && draw() < share) n++
  return n
}
