/** The author of an entry: workflow, node, and depth on the call stack; the root has depth 0 (seed workflow 2.7). */
export interface BlackboardSource {
  readonly workflowId: string
  readonly nodeId: string
  readonly stackDepth: number
}

/** One write. It is never changed or removed; a later write of the same key shadows it (seed workflow 2.7). */
export interface BlackboardEntry {
  readonly key: string
  readonly value: unknown
  readonly source: BlackboardSource
  readonly timestamp: number
}

/** A key and its value, to be appended to the board of the running workflow. */
export interface BlackboardWrite {
  key: string
  value: unknown
}

/** A view of the boards on the call stack: own scope first, then outward (seed workflow 2.11). */
export interface BlackboardReader {
  /** Returns the latest value of the nearest scope that has the key. */
  get(key: string): unknown
  has(key: string): boolean
  /** Returns all entries of a key, nearest scope first; within a scope, oldest first. */
  getAll(key: string): BlackboardEntry[]
  /** Returns all entries, in the order of `getAll`. */
  entries(): BlackboardEntry[]
  keys(): string[]
  /** Returns the entries of the own scope only. */
  local(): BlackboardEntry[]
}

/** The number of entries read from one scope's board. It is valid for this scope only. */
export type Cursor = number

/** Reads the board of the active scope from a cursor on. */
export interface CursorReader {
  cursor(): Cursor
  /** Returns the entries after a cursor, and the next cursor. */
  entriesFrom(cursor: Cursor): [entries: BlackboardEntry[], next: Cursor]
}
