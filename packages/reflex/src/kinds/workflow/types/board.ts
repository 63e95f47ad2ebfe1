/** Who wrote an entry: workflow, node, and depth on the call stack, the root being 0 (seed workflow 2.7). */
export interface BlackboardSource {
  readonly workflowId: string
  readonly nodeId: string
  readonly stackDepth: number
}

/** One write. Never changed and never removed; a later one of the same key shadows it (seed workflow 2.7). */
export interface BlackboardEntry {
  readonly key: string
  readonly value: unknown
  readonly source: BlackboardSource
  readonly timestamp: number
}

/** A key and its value, to be appended to the board of the workflow that runs. */
export interface BlackboardWrite {
  key: string
  value: unknown
}

/** A view of the boards on the call stack: own scope first, then outward (seed workflow 2.11). */
export interface BlackboardReader {
  /** The latest entry of the nearest scope that has the key. */
  get(key: string): unknown
  has(key: string): boolean
  /** All entries of a key, scope by scope, the nearest first; the oldest first within a scope. */
  getAll(key: string): BlackboardEntry[]
  /** All entries, in the order of `getAll`. */
  entries(): BlackboardEntry[]
  keys(): string[]
  /** Entries of the own scope alone. */
  local(): BlackboardEntry[]
}

/** How many entries of one scope's board have been seen. It means nothing on another scope's. */
export type Cursor = number

/** Reads the board of the active scope from where one left off. */
export interface CursorReader {
  cursor(): Cursor
  /** The entries after a cursor, and the cursor behind them. */
  entriesFrom(cursor: Cursor): [entries: BlackboardEntry[], next: Cursor]
}
