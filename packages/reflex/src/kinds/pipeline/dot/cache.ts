import { createHash } from 'node:crypto'
import { freezeGraph } from './freeze.ts'
import type { DotGraph } from './graph.ts'
import { parse } from './parse.ts'

/** The settings for parsing a text through a cache. */
export interface CachedParseOptions {
  /** `false` neither reads nor fills the cache; the caller can then change the graph. */
  readonly cache?: boolean | undefined
  /** The name of the text, for faults. */
  readonly file?: string | undefined
}

interface Entry {
  readonly source: string
  readonly graph: DotGraph
}

/** Returns the SHA-256 of a text in UTF-8 as 64 lower-case hexadecimal digits: its key in a `DotCache`. */
export function dotHash(source: string): string {
  return createHash('sha256').update(source, 'utf8').digest('hex')
}

/**
 * A cache of parsed graphs. It drops the least recently used graph when it is full (seed pipeline 12.3, reference pipeline 1.4). Its graphs
 * are frozen, including their maps. A text with errors is not cached.
 */
export class DotCache {
  /** The maximum number of graphs. */
  readonly capacity: number
  /** The entries in the order of use, the latest last. */
  readonly #entries = new Map<string, Entry>()

  constructor(capacity = 100) {
    this.capacity = capacity
  }

  /** The number of graphs. */
  get size(): number {
    return this.#entries.size
  }

  /** Returns the graph of a text. Throws its first fault. */
  parse(source: string, { cache = true, file }: CachedParseOptions = {}): DotGraph {
    if (!cache) return parse(source, { file })
    return this.get(source) ?? this.put(source, parse(source, { file }))
  }

  /** Returns the cached graph of a text; undefined if there is none. */
  get(source: string): DotGraph | undefined {
    const hash = dotHash(source)
    const entry = this.#entries.get(hash)
    // UTF-8 cannot encode lone surrogates, so different texts can have the same hash.
    if (entry?.source !== source) return undefined
    this.#entries.delete(hash)
    this.#entries.set(hash, entry)
    return entry.graph
  }

  /** Adds the graph of a text and returns it frozen. */
  put(source: string, graph: DotGraph): DotGraph {
    const hash = dotHash(source)
    const frozen = freezeGraph(graph)
    this.#entries.delete(hash)
    this.#entries.set(hash, { source, graph: frozen })
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.capacity) break
      this.#entries.delete(oldest)
    }
    return frozen
  }

  /** Removes the text of a hash. Returns true if it was there. */
  invalidate(hash: string): boolean {
    return this.#entries.delete(hash)
  }

  /** Removes all texts. */
  clear(): void {
    this.#entries.clear()
  }
}
