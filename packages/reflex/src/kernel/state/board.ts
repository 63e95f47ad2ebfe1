import { faults } from '../journal/faults.ts'
import { type Frame, scopeChain } from './frame.ts'
import { copyJson, type Json } from '../journal/json.ts'
import type { Ref } from '../journal/record.ts'
import type { Scope } from './scope.ts'

/** A validator with the Standard Schema v1 interface that answers synchronously. */
export interface Validator {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => ValidatorResult | Promise<ValidatorResult>
  }
}

/** The result of a Standard Schema validator. */
export type ValidatorResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string; readonly path?: readonly unknown[] | undefined }[] }

/** The features that a kind enables for the boards of its frames. */
export interface BoardRules {
  /** Earlier entries of a key can be read: snapshots contain them. */
  readonly history?: true
  /** Keys can be deleted from the frame's own scope. */
  readonly tombstones?: true
  /** Scopes can be opened inside a frame. */
  readonly scopes?: true
  /** Each step knows the keys that it has read and written. */
  readonly tracks?: true
  /** Keys with this prefix are reserved: only internal writes may use them. */
  readonly isReserved?: string
  /** The outermost scope can be written from inside. */
  readonly root?: true
  /** The limit in bytes of live keys and values, as JSON, in a frame's scopes and the outer scopes that it reads. */
  readonly limit?: number
  /** `required`: a key without a schema cannot be written. */
  readonly schemas?: 'optional' | 'required'
}

/** The rules for a write: the features of the kind and the schemas of the program. */
export interface BoardContract {
  readonly rules: BoardRules
  readonly schemas: Readonly<Record<string, Validator>> | undefined
  /** True for keys of the kind itself: only frames of that kind can read them. */
  readonly isInternal?: ((key: string) => boolean) | undefined
}

/** The board of a kind without any feature. */
export const NO_RULES: BoardContract = { rules: {}, schemas: undefined }

/**
 * Checks a write and returns the value to store: a frozen JSON copy of the schema's result. The checks in order: reserved
 * prefix `R2005`, unknown key `R2006`, schema `R2007`, JSON `R2004` (seed tree 2.1, UB-04, SEC-05).
 */
export function checkWrite(contract: BoardContract, key: string, value: unknown, at: string, isInternal: boolean): Json {
  const { rules, schemas } = contract
  const isReserved = rules.isReserved !== undefined && key.startsWith(rules.isReserved)
  if (isReserved && !isInternal) {
    throw faults.make('R2005', `${at} wrote ${key}; keys that begin with ${rules.isReserved} are the runtime's`, {
      path: `${at}.${key}`,
      fix: 'choose another key',
    })
  }
  if (rules.schemas === undefined || (isReserved && isInternal)) return copyJson(value, `${at}.${key}`)
  if (schemas !== undefined && Object.hasOwn(schemas, key)) return copyJson(checkSchema(contract, key, value, at), `${at}.${key}`)
  if (rules.schemas === 'required') {
    throw faults.make('R2006', `${at} wrote ${key}, which the program does not declare`, {
      path: `${at}.${key}`,
      fix: `declare ${key} with a schema`,
    })
  }
  return copyJson(value, `${at}.${key}`)
}

/** Returns a value as the schema of its key returns it, or unchanged if the key has no schema. Throws `R2007`. */
export function checkSchema({ schemas }: BoardContract, key: string, value: unknown, at: string): unknown {
  const schema = schemas !== undefined && Object.hasOwn(schemas, key) ? schemas[key] : undefined
  return schema === undefined ? value : validate(schema, key, value, at)
}

function validate(schema: Validator, key: string, value: unknown, at: string): unknown {
  const result = schema['~standard'].validate(value)
  if (result instanceof Promise) {
    throw faults.make('R2007', `the schema of ${key} answers later; a write needs its answer at once`, {
      path: `${at}.${key}`,
      fix: 'use a validator that answers synchronously',
    })
  }
  if (result.issues === undefined) return result.value
  const issues = result.issues.map(({ message, path }) => (path?.length ? `${key}.${path.map(stepName).join('.')}: ${message}` : message))
  throw faults.make('R2007', `${at} wrote ${key} as ${preview(value)}: ${issues.join('; ')}`, {
    path: `${at}.${key}`,
    fix: `write what the schema of ${key} allows`,
  })
}

function stepName(step: unknown): string {
  return String(typeof step === 'object' && step !== null && 'key' in step ? step.key : step)
}

function preview(value: unknown): string {
  try {
    const text = JSON.stringify(value) ?? String(value)
    return text.length > 60 ? `${text.slice(0, 40)}…${text.slice(-15)}` : text
  } catch {
    return typeof value
  }
}

/** The measured size of a scope. It is updated from the last measured entry. */
interface Measure {
  readonly generation: number
  measured: number
  bytes: number
  readonly keys: Map<string, number>
}

const measures = new WeakMap<Scope, Measure>()
const encoder = new TextEncoder()

function bytesOf(key: string, value: Json | undefined): number {
  return value === undefined ? 0 : utf8Length(key) + utf8Length(JSON.stringify(value))
}

/** Texts up to this length are counted without being encoded, which costs an allocation. */
const COUNTED = 1024

/** Returns the length of a text in UTF-8. A surrogate without its other half counts as the three bytes of its replacement. */
function utf8Length(text: string): number {
  if (text.length > COUNTED) return encoder.encode(text).length
  let bytes = text.length
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) continue
    bytes += unit < 0x800 ? 1 : 2
    if (isHigh(unit) && isLow(text.charCodeAt(i + 1))) i++
  }
  return bytes
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000
}

function measure(scope: Scope): Measure {
  let known = measures.get(scope)
  if (known?.generation !== scope.generation)
    measures.set(scope, (known = { generation: scope.generation, measured: 0, bytes: 0, keys: new Map() }))
  for (const entry of scope.entries(undefined, known.measured)) count(known, entry.key, entry.value)
  known.measured = scope.size
  return known
}

function count(known: { bytes: number; readonly keys: Map<string, number> }, key: string, value: Json | undefined): void {
  const bytes = bytesOf(key, value)
  known.bytes += bytes - (known.keys.get(key) ?? 0)
  known.keys.set(key, bytes)
}

/**
 * The size of a frame's board in bytes of live keys and values as JSON: its own scope, its inner scopes and the outer scopes that it reads. It
 * follows the writes of one step; a replaced value counts by the difference (seed tree SEC-03).
 */
export class BoardSize {
  #total = 0
  /** What the step has changed, by scope. A scope that the step opens is named by its ref. */
  readonly #changed = new Map<Scope | Ref, Map<string, number>>()

  constructor(frame: Frame) {
    const scopes = new Set([...(frame.subs?.values() ?? []), ...scopeChain(frame)].map(({ scope }) => scope))
    for (const scope of scopes) this.#total += measure(scope).bytes
  }

  /** Counts a write. Throws `R2008`, and counts nothing, if the board would become larger than `limit` bytes. */
  write(scope: Scope | Ref, key: string, value: Json, limit: number, at: string): void {
    const bytes = bytesOf(key, value)
    const total = this.#total - this.#bytesOf(scope, key) + bytes
    if (total > limit) {
      throw faults.make('R2008', `${at} wrote ${key} of ${bytes} B; the board would hold ${total} of ${limit} B`, {
        path: `${at}.${key}`,
        fix: 'write less, or raise the limit of the board',
      })
    }
    this.#set(scope, key, bytes)
  }

  delete(scope: Scope | Ref, key: string): void {
    this.#set(scope, key, 0)
  }

  #bytesOf(scope: Scope | Ref, key: string): number {
    return this.#changed.get(scope)?.get(key) ?? (typeof scope === 'object' ? (measure(scope).keys.get(key) ?? 0) : 0)
  }

  #set(scope: Scope | Ref, key: string, bytes: number): void {
    this.#total += bytes - this.#bytesOf(scope, key)
    let changed = this.#changed.get(scope)
    if (changed === undefined) this.#changed.set(scope, (changed = new Map<string, number>()))
    changed.set(key, bytes)
  }
}
