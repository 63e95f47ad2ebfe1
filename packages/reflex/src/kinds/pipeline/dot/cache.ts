import { createHash } from 'node:crypto'
import { freezeGraph } from './freeze.ts'
import type { DotGraph } from './graph.ts'
import { parse } from './parse.ts'

/** How a text is read through a cache. */
export interface CachedParseOptions {
  /** False neither looks into the cache nor fills it; the graph is then the caller's own. */
  readonly cache?: boolean | undefined
  /** The name of the text, for faults. */
  readonly file?: string | undefined
}

interface Entry {
  readonly source: string
  readonly graph: DotGraph
}

/** The SHA-256 of a text in UTF-8, as 64 small hexadecimal digits: its key in a `DotCache`. */
export function dotHash(source: string): string {
  return createHash('sha256').update(source, 'utf8').digest('hex')
}

/**
 * The graphs of texts that were parsed before, the least lately used dropped when there are too many (seed pipeline
 * 12.3, reference pipeline 1.4). What it gives is frozen, maps included. A text with errors is not kept.
 */
export class DotCache {
  /** How many graphs it keeps. */
  readonly capacity: number
  /** In the order of use, the latest last. */
  readonly #entries = new Map<string, Entry>()

  constructor(capacity = 100) {
    this.capacity = capacity
  }

  /** How many graphs it holds. */
  get size(): number {
    return this.#entries.size
  }

  /** The graph of a text; throws its first fault. */
  parse(source: string, { cache = true, file }: CachedParseOptions = {}): DotGraph {
    if (!cache) return parse(source, { file })
    return this.get(source) ?? this.put(source, parse(source, { file }))
  }

  /** The graph of a text that is here. */
  get(source: string): DotGraph | undefined {
    const hash = dotHash(source)
    const entry = this.#entries.get(hash)
    // Half characters are all the same to UTF-8, so equal hashes are not yet equal texts.
    if (entry?.source !== source) return undefined
    this.#entries.delete(hash)
    this.#entries.set(hash, entry)
    return entry.graph
  }

  /** Keeps the graph of a text, and gives it back frozen. */
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

  /** Forgets the text of a hash; whether it was there. */
  invalidate(hash: string): boolean {
    return this.#entries.delete(hash)
  }

  /** Forgets all texts. */
  clear(): void {
    this.#entries.clear()
  }
}
