import { type Domain, join, NIL } from './domain.ts'
import type { EntryValues, Known } from './entry.ts'
import type { Values } from './truth.ts'
import type { Writes } from './writes.ts'

/** What a node changes in what is known, on its way to one answer. */
export interface Delta {
  readonly keys: ReadonlyMap<string, Known>
  readonly code: CodeRun
}

/** Code without a contract, which can write every key: none has run, it may have run in an earlier round of a loop, or it has run. */
export type CodeRun = 0 | 1 | 2

/** What is known after a node has succeeded, and after it has failed; undefined for an answer that it cannot give. */
export interface Ends {
  readonly success: Delta | undefined
  readonly failure: Delta | undefined
}

/** Takes a change of one key back, or a run of code. */
interface Undo {
  readonly key: string | undefined
  readonly code?: CodeRun
  take(): void
}

export const NO_CHANGE: Delta = { keys: new Map(), code: 0 }

/** What is known of the keys at the place that the walk has reached. */
export class ValuesAt implements Values {
  readonly #entry: EntryValues
  /** The keys that code without a contract may write, and the others. */
  #open = new Map<string, Known>()
  readonly #closed = new Map<string, Known>()
  #code: CodeRun = 0
  readonly #undo: Undo[] = []

  constructor(entry: EntryValues) {
    this.#entry = entry
  }

  known(key: string): Known {
    return this.#keysOf(key).get(key) ?? this.#unchanged(key, this.#code)
  }

  #keysOf(key: string): Map<string, Known> {
    return this.#entry.isOpenToCode(key) ? this.#open : this.#closed
  }

  #unchanged(key: string, code: CodeRun): Known {
    const entry = this.#entry.at(key)
    return code === 0 || !this.#entry.isOpenToCode(key) ? entry : this.#changedByCode(key, entry, code)
  }

  /** In its first round nothing has run yet. After code has run, nobody can say that a key has no value. */
  #changedByCode(key: string, { domain, isMissing }: Known, code: CodeRun): Known {
    return { domain: join(join(this.#entry.schema(key), domain), NIL), isMissing: code === 1 && isMissing, isWritten: true }
  }

  /** Returns the values that the schema of a key admits. */
  schema(key: string): Domain {
    return this.#entry.schema(key)
  }

  valueOf(key: string): Domain {
    return this.known(key).domain
  }

  set(key: string, known: Known): void {
    const keys = this.#keysOf(key)
    const before = keys.get(key)
    keys.set(key, known)
    const take = (): void => {
      if (before === undefined) keys.delete(key)
      else keys.set(key, before)
    }
    this.#undo.push({ key, take })
  }

  /** Gives a key a value. Without one: any that its schema admits. */
  write(key: string, value?: Domain): void {
    this.set(key, { domain: value ?? this.#entry.schema(key), isMissing: false, isWritten: true })
  }

  /** Takes the value of a key away. */
  remove(key: string): void {
    this.set(key, { domain: NIL, isMissing: true, isWritten: false })
  }

  restrict(key: string, domain: Domain): void {
    const { isMissing, isWritten } = this.known(key)
    this.set(key, { domain, isMissing: isMissing && domain.nil, isWritten })
  }

  present(key: string): void {
    this.set(key, { ...this.known(key), isMissing: false })
  }

  /** Code without a contract runs, or may have run. */
  runCode(code: CodeRun): void {
    if (code === 0) return
    const [keys, before] = [this.#open, this.#code]
    this.#open = new Map(code === 2 ? [] : [...keys].map(([key, known]) => [key, this.#changedByCode(key, known, code)]))
    this.#code = before === 2 ? 2 : code
    const take = (): void => {
      this.#open = keys
      this.#code = before
    }
    this.#undo.push({ key: undefined, code, take })
  }

  /** Something below may have written: each key has its value or any other. `code`: 1 for the earlier rounds of a loop. */
  blur({ keys, isOpaque }: Writes, code: CodeRun = 2): void {
    if (isOpaque) this.runCode(code)
    for (const key of keys) {
      const { domain, isMissing } = this.known(key)
      this.set(key, { domain: join(domain, this.#entry.schema(key)), isMissing, isWritten: true })
    }
  }

  apply({ keys, code }: Delta): void {
    this.runCode(code)
    for (const [key, known] of keys) this.set(key, known)
  }

  mark(): number {
    return this.#undo.length
  }

  undo(mark: number): void {
    while (this.#undo.length > mark) this.#undo.pop()?.take()
  }

  /** Returns one delta for two ways, as seen from here. */
  either(a: Delta | undefined, b: Delta | undefined): Delta | undefined {
    if (a === undefined || b === undefined) return a ?? b
    const keys = new Map<string, Known>()
    for (const key of new Set([...a.keys.keys(), ...b.keys.keys()])) {
      const [left, right] = [this.#after(key, a), this.#after(key, b)]
      keys.set(key, {
        domain: join(left.domain, right.domain),
        isMissing: left.isMissing || right.isMissing,
        isWritten: left.isWritten || right.isWritten,
      })
    }
    return { keys, code: a.code > b.code ? a.code : b.code }
  }

  #after(key: string, { keys, code }: Delta): Known {
    const known = keys.get(key)
    if (known !== undefined) return known
    return code === 0 || !this.#entry.isOpenToCode(key) ? this.known(key) : this.#changedByCode(key, this.known(key), code)
  }

  /** Returns what has changed since a mark. */
  since(mark: number): Delta {
    const keys = new Map<string, Known>()
    let run: CodeRun = 0
    for (const { key, code = 0 } of this.#undo.slice(mark)) {
      if (code > run) run = code
      const known = key === undefined ? undefined : this.#keysOf(key).get(key)
      if (key !== undefined && known !== undefined) keys.set(key, known)
    }
    return { keys, code: run }
  }
}
