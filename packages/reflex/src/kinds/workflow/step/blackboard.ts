import { checkArguments, listOf, OBJECT } from '../../../text/index.ts'
import { Scope, type Entry, copyJson, type Json } from '../../../kernel/index.ts'
import type { BlackboardEntry, BlackboardReader, BlackboardSource, BlackboardWrite, Cursor, CursorReader } from '../types/index.ts'

/** One scope of a board as readers see it: its entries up to a record, with their authors. */
export interface ReadableScope {
  readonly scope: Scope
  readonly bound: number
  readonly source: (entry: Entry) => BlackboardSource
  /** True if readers need only values: the entries name no workflow. */
  readonly isUnnamed?: true
}

/** Returns an entry in the form of the seed (seed workflow 2.7). */
function boardEntry(entry: Entry, source: BlackboardSource): BlackboardEntry {
  return Object.freeze({ key: entry.key, value: entry.value, source, timestamp: entry.at })
}

/** The entries of a scope that were read so far. A scope only grows, so each entry is created once. A tombstone is a gap. */
interface ShownEntries {
  readonly entries: (BlackboardEntry | undefined)[]
  gaps: boolean
}

const namedEntries = new WeakMap<Scope, ShownEntries>()
const unnamedEntries = new WeakMap<Scope, ShownEntries>()

/** Returns the entries of a scope from a position on. The caller owns the list. */
export function scopeEntries({ scope, bound, source, isUnnamed }: ReadableScope, from = 0, end = scope.sizeAt(bound)): BlackboardEntry[] {
  const known = isUnnamed === true ? unnamedEntries : namedEntries
  let shown = known.get(scope)
  if (shown === undefined) known.set(scope, (shown = { entries: [], gaps: false }))
  const { entries } = shown
  if (entries.length < end) {
    for (const entry of scope.entries(undefined, entries.length)) {
      shown.gaps ||= entry.value === undefined
      entries.push(entry.value === undefined ? undefined : boardEntry(entry, source(entry)))
    }
  }
  const selected = entries.slice(from, end)
  return (shown.gaps ? selected.filter((entry) => entry !== undefined) : selected) as BlackboardEntry[]
}

/** Returns the entries of a scope after a cursor, and the next cursor. */
export function entriesAfter(scope: ReadableScope, cursor: Cursor): [entries: BlackboardEntry[], next: Cursor] {
  const end = scope.scope.sizeAt(scope.bound)
  const from = Math.max(cursor, 0)
  return [from < end ? scopeEntries(scope, from, end) : [], end]
}

/** Reads a board lexically over its scopes, nearest first (seed workflow 2.11). Entries are frozen. */
export class ScopedBlackboardReader implements BlackboardReader {
  readonly #scopes: readonly ReadableScope[]

  constructor(scopes: readonly (ReadableScope | ScopedBlackboard)[]) {
    if (!Array.isArray(scopes)) checkArguments('ScopedBlackboardReader', { scopes: [scopes, listOf(OBJECT)] })
    this.#scopes = scopes.map((scope) => (scope instanceof ScopedBlackboard ? scope.view() : scope))
  }

  get(key: string): Json | undefined {
    for (const { scope, bound } of this.#scopes) {
      const place = scope.find(key, bound)
      // A caller of another kind may have deleted the key in its own scope: the outer scopes are read then.
      const value = place < 0 ? undefined : scope.valueAt(place)
      if (value !== undefined) return value
    }
    return undefined
  }

  has(key: string): boolean {
    return this.get(key) !== undefined
  }

  getAll(key: string): BlackboardEntry[] {
    return this.entries().filter((entry) => entry.key === key)
  }

  entries(): BlackboardEntry[] {
    return this.#scopes.flatMap((scope) => scopeEntries(scope))
  }

  keys(): string[] {
    return [...new Set(this.entries().map((entry) => entry.key))]
  }

  local(): BlackboardEntry[] {
    const [nearest] = this.#scopes
    return nearest === undefined ? [] : scopeEntries(nearest)
  }
}

/** An append-only board of one workflow, to test an agent or a guard without an engine. */
export class ScopedBlackboard implements CursorReader {
  readonly #scope = new Scope()
  readonly #sources: BlackboardSource[] = []

  /** Appends writes of one source. Throws `R2004` for a value that is not JSON. `timestamp` is in milliseconds since the epoch. */
  append(writes: readonly BlackboardWrite[], source: BlackboardSource, timestamp = 0): BlackboardEntry[] {
    const frozen = Object.freeze({ ...source })
    const values = writes.map(({ key, value }) => ({ key, value: copyJson(value, `${source.workflowId}/${source.nodeId}.${key}`) }))
    const from = this.#scope.size
    for (const { key, value } of values) this.#scope.append(key, value, this.#sources.length, timestamp, undefined)
    this.#sources.push(frozen)
    return scopeEntries(this.view(), from)
  }

  /** Returns a reader of this board and of the boards of its callers, nearest first. */
  reader(...callers: ScopedBlackboard[]): ScopedBlackboardReader {
    return new ScopedBlackboardReader([this, ...callers])
  }

  /** Returns the number of entries so far. `entriesFrom` reads on from it. */
  cursor(): Cursor {
    return this.#scope.size
  }

  /** Returns the entries after a cursor, and the next cursor. */
  entriesFrom(cursor: Cursor): [entries: BlackboardEntry[], next: Cursor] {
    return entriesAfter(this.view(), cursor)
  }

  view(): ReadableScope {
    return {
      scope: this.#scope,
      bound: Number.POSITIVE_INFINITY,
      source: (entry) => this.#sources[entry.record] ?? { workflowId: '', nodeId: '', stackDepth: 0 },
    }
  }
}
