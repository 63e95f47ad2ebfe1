import type { Fault } from './fault.ts'
import { faults } from './faults.ts'
import type { Json, JsonObject } from './value.ts'

export type { Json, JsonObject } from './value.ts'

const MAX_DEPTH = 512
/** The limit in characters of JSON text. JavaScript allows eight times as many in one text, and escapes can make six of one. */
const MAX_SIZE = 64_000_000
/** The size of a number, a list or an object, and of a text or key in addition to its characters. */
const PART_SIZE = 8

/**
 * Returns a frozen JSON copy of a value, so that nobody can change the content of a record.
 *
 * A property that is `undefined` is absent, as in `JSON.stringify`. Throws `R2004` for values that JSON does not have
 * (`undefined` as the value or as an item, functions, `NaN`, dates, class instances, holes, cycles), with `where`, the path
 * inside the value and a fix; also for values deeper than 512 levels. Throws `R2019` for a value of more than about 64 MB of
 * JSON text; a part that occurs several times counts each time.
 */
export function copyJson(value: unknown, where: string): Json {
  if (typeof value === 'boolean' || value === null) return value
  if (typeof value === 'string' && value.length <= MAX_SIZE - PART_SIZE) return value
  if (typeof value === 'number' && Number.isFinite(value)) return value === 0 ? 0 : value
  return copyNested(value, { where, path: [], open: new Set(), size: 0 })
}

/** True if `copyJson` refuses a JSON value for its size. */
export function isOversized(value: Json): boolean {
  return sizeOf(value, 0) > MAX_SIZE
}

/** Returns the fault for a value that is too large. */
export function oversizedFault(where: string): Fault {
  return faults.make('R2019', `${where} is larger than ${MAX_SIZE / 1_000_000} MB`, {
    path: where,
    fix: 'keep it in a file and record its name, or take less of it',
  })
}

interface CopyState {
  readonly where: string
  size: number
  readonly path: (string | number)[]
  readonly open: Set<object>
}

/** Adds the size of a value to `before`. Stops once the sum is too large: a value may contain one part very many times. */
function sizeOf(value: Json, before: number): number {
  let size = before + PART_SIZE
  if (typeof value === 'string') return size + value.length
  if (isList(value)) for (let i = 0; i < value.length && size <= MAX_SIZE; i++) size = sizeOf(value[i] ?? null, size)
  else if (isObject(value)) {
    for (const key of Object.keys(value)) {
      if (size > MAX_SIZE) break
      size = sizeOf(value[key] as Json, size + key.length + PART_SIZE)
    }
  }
  return size
}

function addSize(state: CopyState, characters: number): void {
  state.size += characters + PART_SIZE
  if (state.size > MAX_SIZE) throw oversizedFault(state.where)
}

function copyNested(value: unknown, state: CopyState): Json {
  addSize(state, typeof value === 'string' ? value.length : 0)
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      if (!Number.isFinite(value)) throw notJson(state, String(value))
      return value === 0 ? 0 : value
    case 'object':
      return value === null ? null : copyObject(value, state)
    default:
      throw notJson(state, typeof value === 'undefined' ? 'undefined' : `a ${typeof value}`)
  }
}

function copyObject(value: object, state: CopyState): Json {
  if (state.open.has(value)) throw notJson(state, 'a cycle')
  if (state.open.size >= MAX_DEPTH) throw notJson(state, `more than ${MAX_DEPTH} levels`)
  state.open.add(value)
  const copy = Array.isArray(value) ? copyArray(value, state) : copyRecord(value, state)
  state.open.delete(value)
  return copy
}

function copyArray(value: readonly unknown[], state: CopyState): Json {
  const copy: Json[] = []
  for (let i = 0; i < value.length; i++) {
    state.path.push(i)
    if (!(i in value)) throw notJson(state, 'a hole')
    copy.push(copyNested(value[i], state))
    state.path.pop()
  }
  return Object.freeze(copy)
}

function copyRecord(value: object, state: CopyState): Json {
  const proto: unknown = Object.getPrototypeOf(value)
  if (proto !== null && Object.getPrototypeOf(proto) !== null) {
    throw notJson(state, `a ${value.constructor?.name || 'class instance'}`)
  }
  const copy: Record<string, Json> = {}
  for (const [key, inner] of Object.entries(value) as [string, unknown][]) {
    if (inner === undefined) continue
    state.path.push(key)
    addSize(state, key.length)
    const json = copyNested(inner, state)
    if (key === '__proto__') Object.defineProperty(copy, key, { value: json, enumerable: true })
    else copy[key] = json
    state.path.pop()
  }
  return Object.freeze(copy)
}

function notJson(state: CopyState, what: string): Error {
  const at = state.path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('')
  return faults.make('R2004', `${state.where}${at} is ${what}; JSON has no such value`, {
    path: state.where + at,
    fix:
      FIXES[what] ??
      (what.startsWith('a ') ? 'write its fields as a plain object' : 'write a string, number, boolean, null, list or plain object'),
  })
}

/** The replacements for values that JSON does not have. */
const FIXES: Readonly<Record<string, string>> = {
  undefined: 'leave it out, or write null',
  'a hole': 'write null in its place',
  'a function': 'write its result, or the name of the function',
  'a symbol': 'write its description as text',
  'a bigint': 'write it as text: String(value)',
  'a Date': 'write date.toISOString()',
  'a Map': 'write Object.fromEntries(map)',
  'a Set': 'write [...set]',
  'a cycle': 'write a name in place of the value that contains it',
}

/** True if two JSON values are equal, regardless of the order of keys. */
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

/** Returns JSON text with sorted keys: equal values have the same text, so it can be hashed. */
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
