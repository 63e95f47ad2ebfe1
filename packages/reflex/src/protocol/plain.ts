import type { Json, JsonObject } from '../kernel/index.ts'

/** Returns a value as JSON, without its undefined fields. */
export function plainJson(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject
}

/** Returns a time in UTC, ISO 8601, for files and pipes; a time outside the calendar as its number. */
export function utc(at: number): string {
  const date = new Date(at)
  return Number.isNaN(date.getTime()) ? String(at) : date.toISOString()
}

/** Returns the name of a program without the prefix of its kind. */
export function programName(reference: string): string {
  return reference.slice(reference.indexOf(':') + 1)
}

/** Returns a text unchanged and any other value as JSON. */
export function textOf(found: Json | undefined): string {
  return typeof found === 'string' ? found : found === undefined ? '' : JSON.stringify(found)
}

/** Returns a number with separators: `1,212`. */
export function count(number: number): string {
  return String(number).replace(/\B(?=(?:\d{3}){1,8}$)/g, ',')
}

/** Returns a number with its noun: `1 record`, `1,212 records`. */
export function counted(number: number, noun: string): string {
  return `${count(number)} ${noun}${number === 1 ? '' : 's'}`
}
