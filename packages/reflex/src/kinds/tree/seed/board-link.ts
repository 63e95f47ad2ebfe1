import type { Json, Rec } from '../../../kernel/index.ts'
import { GLOBAL_PREFIX } from '../board/merge.ts'
import { scopeOf, type TypedBlackboard } from '../board/typed-blackboard.ts'
import type { TreeSchema } from '../board/schema.ts'
import { TRACE_KEY } from '../tick/failures.ts'
import type { MemoryRun } from './memory-run.ts'

/**
 * Keeps the blackboard that the host sees equal to the scope of the frame: what the host has written goes into the frame before a tick, what a
 * record has written comes out after it.
 */
export class BoardLink {
  readonly board: TypedBlackboard
  readonly #schemas: Map<string, TreeSchema>
  readonly #defaults: Readonly<Record<string, Json>>
  /** The values of the frame, by key. */
  readonly #known = new Map<string, Json>()
  /** The values that the execution has written. */
  readonly #written = new Map<string, Json>()

  constructor(board: TypedBlackboard, schemas: Map<string, TreeSchema>, defaults: Readonly<Record<string, Json>>) {
    this.board = board
    this.#schemas = schemas
    this.#defaults = defaults
    const scope = scopeOf(board)
    for (const [key, schema] of schemas) if (scope.rule(key)?.schema.equals(schema) !== true) scope.register(key, { schema })
    this.#setDefaults(Object.keys(defaults))
  }

  #setDefaults(keys: readonly string[]): void {
    const { values } = scopeOf(this.board)
    for (const key of keys) if (values.get(key) === undefined) values.set(key, this.#defaults[key] ?? null)
  }

  /** Deletes what the last execution has written and nobody has written since. Inputs that were set between two executions stay. */
  beginExecution(): void {
    const { values } = scopeOf(this.board)
    for (const [key, value] of this.#written) if (values.get(key) === value) values.delete(key)
    this.#setDefaults([...this.#written.keys()].filter((key) => this.#defaults[key] !== undefined))
    this.#written.clear()
  }

  /** Deletes all values of the tree. Schemas stay, and so do the values that all trees share. */
  clear(): void {
    scopeOf(this.board).values.clear()
    this.#known.clear()
    this.#written.clear()
    this.#setDefaults(Object.keys(this.#defaults))
  }

  /** Writes what the tree has written for all trees to the blackboard that they share. */
  share(entries: readonly (readonly [key: string, value: Json])[]): void {
    const { root } = scopeOf(this.board)
    for (const [key, value] of entries) {
      const schema = this.#schemas.get(key)
      if (schema !== undefined && root.rule(key) === undefined) root.register(key, { schema })
      root.values.set(key, value)
    }
  }

  /** A new run has an empty scope. */
  forget(): void {
    this.#known.clear()
  }

  /** Writes into the frame what the host has changed. `withGlobals`: also the values that trees share. */
  push(run: MemoryRun, withGlobals: boolean): void {
    const scope = scopeOf(this.board)
    for (const key of scope.registered()) {
      const schema = scope.rule(key)?.schema
      if (schema !== undefined && this.#schemas.get(key) !== schema) this.#schemas.set(key, schema)
    }
    const now = scope.values.entries()
    if (withGlobals && scope.parent !== undefined)
      for (const [key, value] of scope.root.values.entries()) if (!key.startsWith('_')) now.set(GLOBAL_PREFIX + key, value)
    const writes: Json[] = []
    for (const [key, value] of now) {
      if (this.#known.get(key) === value) continue
      writes.push(key, value)
      this.#known.set(key, value)
    }
    const deleted = [...this.#known.keys()].filter((key) => !now.has(key) && (withGlobals || !key.startsWith(GLOBAL_PREFIX)))
    for (const key of deleted) this.#known.delete(key)
    run.write(writes, deleted)
  }

  /** Takes what a record of the tree has written. `trace` returns the failure trace, which stands in one key for each failure. */
  pull({ input, writes = [], more }: Rec, trace: () => readonly Json[]): void {
    if (input?.[0] === 'host' && isWrite(input[1])) return
    const { values } = scopeOf(this.board)
    for (const key of more?.tombstones ?? []) {
      this.#known.delete(key)
      values.delete(key)
    }
    let hasFailed = false
    for (let i = 0; i < writes.length; i += 2) {
      const [key, value] = [writes[i] as string, writes[i + 1] ?? null]
      this.#known.set(key, value)
      hasFailed ||= key.startsWith(FAILURE_KEYS)
      if (!key.startsWith(GLOBAL_PREFIX)) this.#put(key, value)
    }
    if (hasFailed) this.#put(TRACE_KEY, [...trace()])
  }

  #put(key: string, value: Json): void {
    scopeOf(this.board).values.set(key, value)
    this.#written.set(key, value)
  }
}

/** The keys under which a tree keeps its failures, one by one. */
const FAILURE_KEYS = '_failure.'

function isWrite(command: Json): boolean {
  return typeof command === 'object' && command !== null && 'do' in command && command.do === 'write'
}
