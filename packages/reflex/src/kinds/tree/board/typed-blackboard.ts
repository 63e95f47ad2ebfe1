import { copyJson, type Fault, isFault, type Json, type JsonObject } from '../../../kernel/index.ts'
import {
  checkArguments,
  FLAG,
  type Form,
  FUNCTION,
  instanceOf,
  NAMED_VALUES,
  NUMBER,
  options,
  optional,
  TEXT,
} from '../../../text/index.ts'
import { isReserved, otherSchema, reservedKey, unregisteredKey } from './board-faults.ts'
import { BoardFamily, DEFAULT_LIMIT } from './board-family.ts'
import { BoardScope, type KeyRule } from './board-scope.ts'
import { type SchemaRegistry, schemaOf, type SchemaType, type ValueOf } from './schema.ts'
import type { ScopeValues } from './scope-values.ts'
import { faultEvent, type TreeEvent } from './tree-error.ts'

const MAX_KEY = 256

const SCOPE_NAME = textOf('a text that is not empty', (text) => text !== '')
const KEY = textOf(`a key of 1 to ${MAX_KEY} characters`, (text) => text !== '' && text.length <= MAX_KEY)
const SCHEMA = formOf('a schema', (value) => value !== undefined && value !== null)

/** What a blackboard is made with. */
export interface BoardOptions {
  /** The most bytes of all scopes together; 100 MB by default. Only for a root. */
  readonly limit?: number
  /** The schemas of the host by name. Only for a root. */
  readonly schemas?: SchemaRegistry
  /** Receives the events: one for each refusal, and one when the size reaches 80 % of the limit. Only for a root. */
  readonly emit?: (event: TreeEvent) => void
  /** Keeps global writes of this scope and those below it until a `ParallelMerger` merges them. Only for a child scope. */
  readonly staged?: boolean
}

const ROOT_OPTIONS = options({ limit: NUMBER, schemas: NAMED_VALUES, emit: FUNCTION })
const CHILD_OPTIONS = options({ staged: FLAG })

/** A limit for one key. */
export interface KeyOptions {
  /** The most bytes of the key and its value as JSON. */
  readonly maxBytes?: number
}

/** The result of a write that reports its refusal. */
export type SetResult = { readonly ok: true; readonly error?: undefined } | { readonly ok: false; readonly error: Fault }

let readScope: (board: TypedBlackboard) => BoardScope

/**
 * Returns the scope of a blackboard, where the runtime writes. Only the kind itself imports this: nodes have a blackboard and never its scope, so
 * they cannot pass its checks (TS-02, SEC-05).
 */
export function scopeOf(board: TypedBlackboard): BoardScope {
  return readScope(board)
}

/**
 * A blackboard of typed keys in nested scopes, in memory (seed tree 2.1). A key is registered with a schema before it is written. A read finds the
 * nearest value outwards; a write goes to the scope itself. Values are frozen copies, in and out. All scopes together have one limit of size. For
 * one thread: children that run in parallel get child scopes.
 */
export class TypedBlackboard {
  readonly #scope: BoardScope
  readonly #schemas: SchemaRegistry

  static {
    readScope = (board: TypedBlackboard): BoardScope => board.#scope
  }

  /** Makes a root, or a child scope of `parent`. Throws `R1090` for an empty name, a parent that is not a blackboard, and wrong options. */
  constructor(parent?: TypedBlackboard, scopeName = 'root', given: BoardOptions = {}) {
    checkArguments('new TypedBlackboard', {
      parent: [parent, optional(instanceOf('a TypedBlackboard', TypedBlackboard))],
      scopeName: [scopeName, SCOPE_NAME],
      options: [given, parent === undefined ? ROOT_OPTIONS : CHILD_OPTIONS],
    })
    const outer = parent === undefined ? undefined : parent.#scope
    this.#schemas = parent === undefined ? (given.schemas ?? {}) : parent.#schemas
    const family = outer?.family ?? new BoardFamily(given.limit ?? DEFAULT_LIMIT, given.emit)
    this.#scope = new BoardScope(scopeName, outer, family, given.staged)
  }

  /** The name of this scope, for messages and events. */
  get scopeName(): string {
    return this.#scope.name
  }

  /** Registers the schema of a key, or replaces it. Values stay as they are. Throws `R1213` for a key with `_`, `R1202` for a wrong schema. */
  register(key: string, schema: SchemaType, { maxBytes }: KeyOptions = {}): void {
    this.#scope.register(key, { ...this.#newRule(key, schema), maxBytes })
  }

  /** Registers many schemas: all, or none if one of them is refused. */
  registerMany(schemas: Readonly<Record<string, SchemaType>>): void {
    const rules = Object.entries(schemas).map(([key, schema]) => [key, this.#newRule(key, schema)] as const)
    for (const [key, rule] of rules) this.#scope.register(key, rule)
  }

  #newRule(key: string, schema: SchemaType): KeyRule {
    checkArguments('register', { key: [key, KEY], schema: [schema, SCHEMA] })
    if (isReserved(key)) throw this.#refusal(reservedKey(key), 'register')
    return { schema: schemaOf(schema, this.#schemas) }
  }

  /**
   * Returns the nearest value of a key. Without a value: the fallback, else null for a registered key. Throws `R1211` for an unregistered key
   * without value and fallback, and `R1212` if the expected schema is not the registered one.
   */
  get(key: string): Json
  get<const Schema extends SchemaType>(key: string, schema: Schema): ValueOf<Schema> | null
  get<const Schema extends SchemaType, Fallback>(key: string, schema: Schema | undefined, fallback: Fallback): ValueOf<Schema> | Fallback
  get(key: string, schema?: SchemaType, fallback?: unknown): unknown {
    checkArguments('get', { key: [key, TEXT] })
    this.#scope.trackRead(key)
    const rule = this.#scope.rule(key)
    const expected = schema === undefined ? undefined : schemaOf(schema, this.#schemas)
    if (rule !== undefined && expected?.equals(rule.schema) === false) throw this.#refusal(otherSchema(key, rule.schema, expected), 'get')
    const value = this.#scope.find(key)
    if (value !== undefined) return value
    if (fallback !== undefined) return fallback
    if (rule !== undefined || isReserved(key)) return null
    throw this.#refusal(unregisteredKey(key, this.#scope.registered()), 'get')
  }

  /**
   * Writes a frozen copy of a value, as its schema returns it, to this scope. Throws, in this order and without a change: `R1213` for a reserved
   * key, `R1211` for an unregistered one, `R1212` for a value that its schema refuses, `R1214` for one that is too large.
   */
  set(key: string, value: unknown): void {
    this.#write(key, value, this.#requireRule(key), this.#scope.values)
  }

  /** Writes as `set` does, and returns the refusal instead of throwing it. */
  trySet(key: string, value: unknown): SetResult {
    try {
      this.set(key, value)
      return { ok: true }
    } catch (thrown) {
      if (isFault(thrown)) return { ok: false, error: thrown }
      throw thrown
    }
  }

  /** Writes to the root, with the checks of `set`. Below a scope with staged writes, others see it after the merge. */
  setGlobal(key: string, value: unknown): void {
    const { root, globals } = this.#scope
    const visible = this.#requireRule(key)
    const rule = root.rule(key) ?? visible
    this.#write(key, value, rule, globals)
    if (root.rule(key) === undefined) root.register(key, rule)
  }

  #requireRule(key: string): KeyRule {
    checkArguments('set', { key: [key, TEXT] })
    if (isReserved(key)) throw this.#refusal(reservedKey(key), 'set')
    const rule = this.#scope.rule(key)
    if (rule === undefined) throw this.#refusal(unregisteredKey(key, this.#scope.registered()), 'set')
    return rule
  }

  #write(key: string, value: unknown, rule: KeyRule, target: ScopeValues): void {
    const checked = this.#scope.check(key, rule, value)
    const fault = checked.fault ?? this.#scope.store(key, checked.value, rule, target)
    if (fault !== undefined) throw this.#refusal(fault, 'set')
  }

  /** Reports a refusal as an event and returns it. */
  #refusal(fault: Fault, operation: 'register' | 'get' | 'set' | 'delete'): Fault {
    this.#scope.family.emit(faultEvent(fault, { operation, scope_name: this.scopeName }))
    return fault
  }

  /** True if a key has a value here or further out. Is not tracked as a read. */
  has(key: string): boolean {
    return this.#scope.find(key) !== undefined
  }

  /** Deletes a key from this scope only, so that an outer value is visible again. Returns true if it had a value here. Throws `R1213`. */
  delete(key: string): boolean {
    checkArguments('delete', { key: [key, TEXT] })
    if (isReserved(key)) throw this.#refusal(reservedKey(key), 'delete')
    return this.#scope.values.delete(key)
  }

  /** Deletes all keys of this scope, and gives their bytes back. Call it when a child scope is no longer needed. Schemas stay. */
  clear(): void {
    for (const key of this.#scope.values.entries().keys()) if (!isReserved(key)) this.#scope.values.delete(key)
    this.#scope.staged?.clear()
  }

  /** Makes an empty child scope, which sees the schemas and values of this one. */
  createChildScope(scopeName: string, given: Pick<BoardOptions, 'staged'> = {}): TypedBlackboard {
    return new TypedBlackboard(this, scopeName, given)
  }

  /** Returns the keys that were read in this scope since the tracking was cleared. */
  getReads(): Set<string> {
    return new Set(this.#scope.reads)
  }

  /** Returns the keys that were written from this scope since the tracking was cleared. */
  getWrites(): Set<string> {
    return new Set(this.#scope.writes)
  }

  /** Forgets the reads and writes so far. A tick begins with it. */
  clearAccessTracking(): void {
    this.#scope.reads.clear()
    this.#scope.writes.clear()
  }

  /** Returns all visible values, those of the runtime too. */
  snapshot(): JsonObject {
    return Object.freeze(Object.fromEntries(this.#scope.visible()))
  }

  /** Returns the bytes of all scopes together: keys and values as JSON. */
  getSizeBytes(): number {
    return this.#scope.family.bytes
  }

  /** Returns the scope, its parent, its size, its keys, and what was read and written since the tracking was cleared. */
  debugInfo(): JsonObject {
    const { name, parent, family, values, reads, writes } = this.#scope
    return copyJson(
      {
        scope_name: name,
        parent_scope: parent?.name ?? null,
        size_bytes: family.bytes,
        key_count: values.size,
        registered_schemas: this.#scope.registered(),
        reads_this_tick: [...reads].toSorted(),
        writes_this_tick: [...writes].toSorted(),
      },
      'debug',
    ) as JsonObject
  }
}

function formOf(what: string, fits: (value: unknown) => boolean): Form {
  return { what, mismatch: (value) => (fits(value) ? undefined : { path: '', why: `must be ${what}` }) }
}

function textOf(what: string, fits: (text: string) => boolean): Form {
  return formOf(what, (value) => typeof value === 'string' && fits(value))
}
