import { isObject, type Json, type JsonObject } from '../../../../kernel/index.ts'
import { renderText } from '../../language/render.ts'
import { combine, type Label } from '../../../../policy/label.ts'
import type { MemoryOperation } from './memory-operation.ts'
import { TextIndex, wordsOf } from './text-index.ts'

/** The limit of memories of one agent; the oldest are deleted. */
const MOST = 20_000
/** The limit of characters of one memory. */
const LONGEST = 20_000
const DAY = 86_400_000
/** The days in which a memory loses half of its strength, and the strength below which it expires. */
const HALF_LIFE = 30
const FORGOTTEN = 0.1

interface Memory {
  readonly content: string
  readonly at: number
  readonly run: string
  readonly metadata: JsonObject
  readonly label: Label
  /** The strength: 1 for a new memory, decreasing over time. */
  strength: number
  /** The time at which the strength was computed. */
  since: number
}

/** The memories of an agent, with full-text search. */
export class Memories {
  readonly #memories = new Map<string, Memory>()
  readonly #index = new TextIndex()

  get size(): number {
    return this.#memories.size
  }

  /** Stores a text and returns its id. */
  add(id: string, { at, run, args, label }: MemoryOperation): Json {
    const content = renderText(args['content'] ?? '').slice(0, LONGEST)
    if (content.trim() === '') return { id: null, indexed: false }
    const metadata = isObject(args['metadata']) ? args['metadata'] : {}
    this.#memories.set(id, { content, at, run, metadata, label, strength: 1, since: at })
    this.#index.add(id, content)
    const [first] = this.#memories.keys()
    if (this.#memories.size > MOST && first !== undefined) this.#remove(first)
    return { id, indexed: true }
  }

  /** Returns the best matches for a query, with their label; for a query without words, the newest memories. */
  recall(query: string, limit: number): { readonly found: readonly JsonObject[]; readonly label: Label } {
    const found = this.#find(query, limit)
    const labels = found.flatMap(({ id }) => this.#memories.get(renderText(id))?.label ?? [])
    return { found, label: combine(...labels) }
  }

  #find(query: string, limit: number): readonly JsonObject[] {
    if (wordsOf(query).length === 0)
      return [...this.#memories]
        .slice(-limit)
        .reverse()
        .map(([id, memory]) => memoryJson(id, memory, 0))
    return this.#index.search(query, limit).flatMap(({ id, score }) => {
      const memory = this.#memories.get(id)
      return memory === undefined ? [] : [memoryJson(id, memory, score)]
    })
  }

  /** Weakens memories by their age (`decay_only`), deletes expired ones and older duplicates (`prune_only`), or does both (`full`). */
  consolidate(strategy: string, at: number): Json {
    const before = this.#memories.size
    const decayed = strategy === 'prune_only' ? 0 : this.#decay(at)
    const { pruned, merged } = strategy === 'decay_only' ? { pruned: 0, merged: 0 } : this.#prune()
    return { strategy, before, after: this.#memories.size, decayed, pruned, merged }
  }

  #decay(at: number): number {
    let decayed = 0
    for (const memory of this.#memories.values()) {
      const days = Math.max(0, at - memory.since) / DAY
      if (days === 0) continue
      memory.strength *= 0.5 ** (days / HALF_LIFE)
      memory.since = at
      decayed++
    }
    return decayed
  }

  #prune(): { readonly pruned: number; readonly merged: number } {
    const newest = new Map<string, string>()
    for (const [id, { content }] of this.#memories) newest.set(wordsOf(content).join(' '), id)
    const faded = [...this.#memories].filter(([, { strength }]) => strength < FORGOTTEN).map(([id]) => id)
    const duplicates = [...this.#memories].filter(([id, { content }]) => newest.get(wordsOf(content).join(' ')) !== id).map(([id]) => id)
    for (const id of new Set([...faded, ...duplicates])) this.#remove(id)
    return { pruned: faded.length, merged: duplicates.filter((id) => !faded.includes(id)).length }
  }

  #remove(id: string): void {
    this.#memories.delete(id)
    this.#index.remove(id)
  }

  get newest(): number | null {
    return [...this.#memories.values()].at(-1)?.at ?? null
  }
}

function memoryJson(id: string, { content, at, run, metadata, strength }: Memory, score: number): JsonObject {
  return { id, content, at, run, score: Math.round(score * 1e6) / 1e6, strength: Math.round(strength * 1e6) / 1e6, metadata }
}
