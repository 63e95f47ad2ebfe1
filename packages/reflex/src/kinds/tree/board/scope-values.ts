import type { Json } from '../../../kernel/index.ts'
import type { BoardFamily } from './board-family.ts'

interface Slot {
  readonly value: Json
  readonly bytes: number
}

/** Returns the size of a key and its value as JSON in UTF-8, in bytes: the count of the kernel. */
export function entryBytes(key: string, value: Json): number {
  return Buffer.byteLength(key) + Buffer.byteLength(JSON.stringify(value))
}

/** The values of one scope, which count for its family. They are frozen. */
export class ScopeValues {
  readonly #slots = new Map<string, Slot>()
  readonly #family: BoardFamily

  constructor(family: BoardFamily) {
    this.#family = family
  }

  get size(): number {
    return this.#slots.size
  }

  get(key: string): Json | undefined {
    return this.#slots.get(key)?.value
  }

  /** Returns the bytes of a key; 0 if it has no value. */
  bytesOf(key: string): number {
    return this.#slots.get(key)?.bytes ?? 0
  }

  set(key: string, value: Json, bytes = entryBytes(key, value)): void {
    const difference = bytes - this.bytesOf(key)
    this.#slots.set(key, { value, bytes })
    this.#family.count(difference)
  }

  delete(key: string): boolean {
    const bytes = this.bytesOf(key)
    if (!this.#slots.delete(key)) return false
    this.#family.count(-bytes)
    return true
  }

  clear(): void {
    for (const key of this.#slots.keys()) this.delete(key)
  }

  /** Returns the values in the order in which their keys were first written. */
  entries(): Map<string, Json> {
    return new Map(Array.from(this.#slots, ([key, { value }]) => [key, value]))
  }
}
