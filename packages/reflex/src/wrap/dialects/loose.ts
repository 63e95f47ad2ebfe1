import { digestBytes, isObject, type Json } from '../../kernel/index.ts'

/** An object whose fields are unknown: a request, a response or a part of one. */
export type Fields = Readonly<Record<string, unknown>>

/** Returns an object as it is, and no fields for anything else. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** An object without the fields that are undefined. */
export function compact<Value extends object>(value: Value): Value {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as Value
}

/** Returns a value without the named fields. */
export function without(value: unknown, ...names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fieldsOf(value)).filter(([name]) => !names.includes(name)))
}

/** The most parts of a value that are read, so that a shared object is not read without end. */
const MAX_PARTS = 1_000_000
const MAX_DEPTH = 256

/**
 * Returns the JSON of a value, for ids and records: `toJSON` is obeyed, bytes are their SHA-256, and what has no JSON (functions, cycles) is
 * null or absent. Never throws, and reads at most 256 levels and a million parts.
 */
export function jsonOf(value: unknown): Json {
  return copyPart(value, { open: new Set(), parts: 0 })
}

interface Copying {
  readonly open: Set<unknown>
  parts: number
}

function copyPart(value: unknown, copying: Copying): Json {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value !== 'object' || copying.open.has(value)) return null
  if (copying.open.size >= MAX_DEPTH || copying.parts++ >= MAX_PARTS) return null
  if (value instanceof Uint8Array) return { sha256: digestBytes(value) }
  copying.open.add(value)
  const copy = copyObject(value, copying)
  copying.open.delete(value)
  return copy
}

function copyObject(value: object, copying: Copying): Json {
  if (Array.isArray(value)) return value.map((each) => copyPart(each, copying))
  const { toJSON } = value as { readonly toJSON?: unknown }
  if (typeof toJSON === 'function')
    return copyPart(
      resultOf(() => toJSON.call(value) as unknown),
      copying,
    )
  const copy: Record<string, Json> = {}
  for (const [key, inner] of Object.entries(value)) {
    if (inner === undefined || typeof inner === 'function') continue
    const part = copyPart(inner, copying)
    // An assignment to it would change what the copy inherits.
    if (key === '__proto__') Object.defineProperty(copy, key, { value: part, enumerable: true, configurable: true, writable: true })
    else copy[key] = part
  }
  return copy
}

function resultOf(call: () => unknown): unknown {
  try {
    return call()
  } catch {
    return null
  }
}

/** Returns the arguments of a call as an object, which interfaces demand even of a call that the model wrote wrongly. */
export function argumentsObject(value: unknown): Json {
  const read = argumentsOf(value)
  return typeof read === 'object' && read !== null ? read : {}
}

/** Returns the value of arguments that may be JSON text; a text that is no JSON is the value. */
export function argumentsOf(value: unknown): Json {
  if (typeof value !== 'string') return jsonOf(value ?? {})
  try {
    return JSON.parse(value) as Json
  } catch {
    return value
  }
}

/** Returns the JSON text of arguments. */
export function argumentsText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(jsonOf(value ?? {}))
}

/**
 * Adds two values of usage: numbers are added, lists joined, and everything else is that of the second. The result has the class of the
 * second, so that a host can call its methods.
 */
export function addUsage(first: unknown, second: unknown): unknown {
  if (second === undefined || second === null) return first ?? second
  if (first === undefined || first === null) return second
  if (typeof first === 'number' && typeof second === 'number') return first + second
  if (Array.isArray(first) && Array.isArray(second)) return [...(first as unknown[]), ...(second as unknown[])]
  if (!isObject(first) || !isObject(second)) return second
  const names = new Set([...Object.keys(first), ...Object.keys(second)])
  return like(second, Object.fromEntries([...names].map((name) => [name, addUsage(fieldsOf(first)[name], fieldsOf(second)[name])])))
}

/** Returns an object of the same class with other fields. */
export function like<Value extends object>(value: Value, fields: Fields): Value {
  return Object.create(Object.getPrototypeOf(value) as object | null, Object.getOwnPropertyDescriptors(fields)) as Value
}

/** The ordinals of call ids, in the order in which they occur: `c1`, `c2`. */
export class CallOrdinals {
  readonly #ids = new Map<string, string>()

  of(id: unknown): string {
    const key = textOf(id)
    const known = this.#ids.get(key)
    if (known !== undefined) return known
    const ordinal = `c${this.#ids.size + 1}`
    this.#ids.set(key, ordinal)
    return ordinal
  }
}
