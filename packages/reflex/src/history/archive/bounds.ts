import type { Json } from '../../kernel/index.ts'

/** The number of the record that a line holds by its looks, or 0. */
export function recordNumberOf(line: string): number {
  return Number(/^\{"record":(\d+),/.exec(line)?.[1] ?? 0)
}

/** What a line says, if it says so in the one way in which it is written. Whatever says a thing twice, or in numbers that are none, is not ours. */
export function parseContent(content: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(content)
    const isWritten = typeof value === 'object' && value !== null && !Array.isArray(value) && JSON.stringify(value) === content
    return isWritten && !isDeep(value) ? (value as Readonly<Record<string, unknown>>) : undefined
  } catch {
    return undefined
  }
}

/** Characters of the large values of one record at most, each as often as it stands there. */
const MAX_VALUE_SIZE = 500_000_000

/** A record can name a value at any number of places: a short archive would be more than fits into memory. */
export function isTooLarge(row: readonly Json[], blobs: ReadonlyMap<string, string>): boolean {
  if (blobs.size === 0) return false
  const text = JSON.stringify(row)
  const size = [...blobs].reduce((sum, [name, { length }]) => sum + length * (text.split(name).length - 1), 0)
  return size > MAX_VALUE_SIZE
}

/** Levels that no value of a run has, with those of the record around it: whoever walks through more runs out of stack. */
const MAX_DEPTH = 600

/** Whether a value has more levels than any of ours. */
export function isDeep(value: unknown, levels = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isDeep(inner, levels - 1))
}
