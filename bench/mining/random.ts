/** A seeded generator of numbers from 0 to 1: equal seeds give equal numbers on every machine. */
export type Random = () => number

/** Returns a generator for a seed (mulberry32). */
export function randomOf(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Returns a whole number from 0 to below a bound. */
export function below(random: Random, bound: number): number {
  return Math.floor(random() * bound)
}

/** Returns an item of a list. */
export function pick<Item>(random: Random, items: readonly Item[]): Item {
  const item = items[below(random, items.length)]
  if (item === undefined) throw new Error('the list is empty')
  return item
}
