import { faults } from './faults.ts'
import type { Json, JsonObject } from './value.ts'

export type { Json, JsonObject } from './value.ts'

const MAX_DEPTH = 512

/**
 * A frozen JSON copy of a value, so that nobody can change what a record holds.
 *
 * Refuses what JSON cannot say (`undefined`, functions, `NaN`, dates, class instances, holes, cycles)
 * with `R2004`, naming `where` and the path inside the value. Values deeper than 512 levels are refused.
 */
export function copyJson(value: unknown, where: string): Json {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value
  if (typeof value === 'number' && Number.isFinite(value)) return value === 0 ? 0 : value
  return copyNested(value, { where, path: [], open: new Set() })
}

interface Walk {
  readonly where: string
  readonly path: (string | number)[]
  readonly open: Set<object>
}

function copyNested(value: unknown, walk: Walk): Json {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      if (!Number.isFinite(value)) throw refuse(walk, String(value))
      return value === 0 ? 0 : value
    case 'object':
      return value === null ? null : copyObject(value, walk)
    default:
      throw refuse(walk, typeof value === 'undefined' ? 'undefined' : `a ${typeof value}`)
  }
}

function copyObject(value: object, walk: Walk): Json {
  if (walk.open.has(value)) throw refuse(walk, 'a cycle')
  if (walk.open.size >= MAX_DEPTH) throw refuse(walk, `more than ${MAX_DEPTH} levels`)
  walk.open.add(value)
  const copy = Array.isArray(value) ? copyArray(value, walk) : copyRecord(value, walk)
  walk.open.delete(value)
  return copy
}

function copyArray(value: readonly unknown[], walk: Walk): Json {
  const copy: Json[] = []
  for (let i = 0; i < value.length; i++) {
    walk.path.push(i)
    if (!(i in value)) throw refuse(walk, 'a hole')
    copy.push(copyNested(value[i], walk))
    walk.path.pop()
  }
  return Object.freeze(copy)
}

function copyRecord(value: object, walk: Walk): Json {
  const proto: unknown = Object.getPrototypeOf(value)
  if (proto !== null && Object.getPrototypeOf(proto) !== null) {
    throw refuse(walk, `a ${value.constructor?.name || 'class instance'}`)
  }
  const copy: Record<string, Json> = {}
  for (const [key, inner] of Object.entries(value)) {
    walk.path.push(key)
    const json = copyNested(inner, walk)
    if (key === '__proto__') Object.defineProperty(copy, key, { value: json, enumerable: true })
    else copy[key] = json
    walk.path.pop()
  }
  return Object.freeze(copy)
}

function refuse(walk: Walk, what: string): Error {
  const at = walk.path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('')
  return faults.make('R2004', `${walk.where}${at} is ${what}; JSON has no such value`, {
    path: walk.where + at,
    fix: what === 'undefined' ? 'leave the key out, or write null' : 'write a string, number, boolean, null, list or plain object',
  })
}

/** Deep equality of JSON values; the order of keys does not count. */
export function equalJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((x, i) => equalJson(x, b[i]))
  }
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every((key) => Object.hasOwn(b, key) && equalJson(a[key as keyof typeof a], b[key as keyof typeof b]))
}

/** JSON text with sorted keys: the same for equal values, so it can be hashed. */
export function canonicalJson(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (isList(value)) return `[${value.map(canonicalJson).join(',')}]`
  const keys = Object.keys(value).sort()
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`).join(',')}}`
}

/** Narrows to a list; `Array.isArray` loses the element type of readonly arrays. */
export function isList(value: unknown): value is readonly Json[] {
  return Array.isArray(value)
}

/** Narrows to a JSON object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
