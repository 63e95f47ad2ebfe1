import type { Json } from '../../kernel/index.ts'

/** Returns the number of the record in a line by the start of the line; 0 if the line has no record. */
export function recordNumberOf(line: string): number {
  return Number(/^\{"record":(\d+),/.exec(line)?.[1] ?? 0)
}

/**
 * Returns the content of a line if it is JSON in exactly the form that an export writes; otherwise undefined. A repeated key or a number in
 * another form is not ours.
 */
export function parseContent(content: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(content)
    const isWritten = typeof value === 'object' && value !== null && !Array.isArray(value) && JSON.stringify(value) === content
    return isWritten && !isDeep(value) ? (value as Readonly<Record<string, unknown>>) : undefined
  } catch {
    return undefined
  }
}

/** The maximum size in characters of the large values of one record, each counted as often as it occurs. */
const MAX_VALUE_SIZE = 500_000_000

/**
 * True if the values of a record are too large. A record can name a value in any number of places, so a short archive can need more than
 * the memory.
 */
export function isTooLarge(row: readonly Json[], blobs: ReadonlyMap<string, string>): boolean {
  return valueSize(row, blobs) > MAX_VALUE_SIZE
}

/** Returns the size in characters of the large values of a record, each counted as often as it occurs. */
export function valueSize(row: readonly Json[], blobs: ReadonlyMap<string, string>): number {
  if (blobs.size === 0) return 0
  const text = JSON.stringify(row)
  return [...blobs].reduce((sum, [name, { length }]) => sum + length * (text.split(name).length - 1), 0)
}

/** The maximum number of levels of a record and its values. A deeper value would overflow the stack of the code that walks it. */
const MAX_DEPTH = 600

/** True if a value has more levels than any of ours. */
export function isDeep(value: unknown, levels = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isDeep(inner, levels - 1))
}
