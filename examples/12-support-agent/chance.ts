import { createHash } from 'node:crypto'

/** Returns a number from 0 to 1 that depends on a text alone: equal tasks get equal luck, in every arm and on every machine. */
export function chance(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32
}

/** Returns one of several values by the luck of a text. */
export function pick<Value>(values: readonly Value[], text: string): Value {
  const value = values[Math.floor(chance(text) * values.length)]
  if (value === undefined) throw new Error('there is nothing to pick from')
  return value
}
