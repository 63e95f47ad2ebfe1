import type { Door } from './door.ts'

/** What is fuzzed: a format of programs, or a language inside one. */
export interface Subject {
  readonly name: string
  /** Texts from which mutants are made. */
  readonly seeds: readonly string[]
  /** Reads a mutant in every way in which a user can have it read. Throws for what must not happen. */
  try(text: string, door: Door): Promise<void>
}
