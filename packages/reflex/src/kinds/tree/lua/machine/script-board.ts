import type { Json } from '../../../../kernel/index.ts'
import { Abort } from './abort.ts'
import type { Machine } from './machine.ts'
import { pushText, pushValue } from './push-value.ts'
import { NotJson, readValue, ResultMeter } from './read-value.ts'

/** A write of a script, in order. */
export type Write = readonly [op: 'set' | 'delete', key: string, value?: Json]

/** The reason why a write was refused, with the code of the reference if it has one. */
export interface Refusal {
  readonly rule?: 'E1002' | 'E1003'
  readonly message: string
}

/** The longest key in characters. */
const KEY_LENGTH = 256
const RESERVED = '_'
/** Steps for the first access to a key: the worker may have to ask the host. */
const FIRST_STEPS = 2_000

/** A machine with its mark of empty lists. */
interface Border {
  readonly machine: Machine
  readonly emptyLists: number
}

/** Reads a key that did not travel along; undefined if it has no value. */
export type ReadKey = (key: string) => Json | undefined

/** The blackboard as one script sees it. Its writes are staged: they are seen by the script alone, and returned when it ends. */
export class ScriptBoard {
  readonly #values: Map<string, Json>
  readonly #read: ReadKey | undefined
  readonly #known = new Map<string, Json | undefined>()
  readonly #staged = new Map<string, Json | undefined>()
  readonly #isReadOnly: boolean
  #meter: ResultMeter | undefined
  readonly writes: Write[] = []
  /** The last write that was refused. */
  refusal: Refusal | undefined

  /** `read`: for keys that are not in `values`. `isReadOnly`: conditions write nothing. */
  constructor(values: Iterable<readonly [string, Json]> = [], read?: ReadKey, isReadOnly = false) {
    this.#values = new Map(values)
    this.#read = read
    this.#isReadOnly = isReadOnly
  }

  /** Counts what is written, and the value that the script returns, against one limit. */
  meter(machine: Machine): ResultMeter {
    return (this.#meter ??= new ResultMeter(machine))
  }

  get({ machine, emptyLists }: Border, key: string): number {
    pushValue(machine, this.#value(machine, key), emptyLists)
    return 1
  }

  has({ machine }: Border, key: string): number {
    machine.engine.lua_pushboolean(machine.L, this.#value(machine, key) === undefined ? 0 : 1)
    return 1
  }

  /** Stages the value at place 2 of the stack. Pushes the reason if it is refused. */
  set({ machine, emptyLists }: Border, key: string): number {
    const refusal = this.#refuse(key)
    if (refusal !== undefined) return this.#pushRefusal(machine, refusal)
    try {
      const value = readValue(machine, 2, emptyLists, this.meter(machine))
      this.#staged.set(key, value)
      this.writes.push(['set', key, value])
      return 0
    } catch (thrown) {
      if (!(thrown instanceof NotJson)) throw thrown
      return this.#pushRefusal(machine, { rule: 'E1002', message: `the value of ${key} is not JSON: ${thrown.message} (E1002)` })
    }
  }

  /** Pushes true if the key had a value, and the reason if the deletion is refused. */
  delete({ machine }: Border, key: string): number {
    const refusal = this.#refuse(key)
    const had = refusal === undefined && this.#value(machine, key) !== undefined
    machine.engine.lua_pushboolean(machine.L, had ? 1 : 0)
    if (refusal !== undefined) return 1 + this.#pushRefusal(machine, refusal)
    if (had) {
      this.meter(machine).add(key.length)
      this.#staged.set(key, undefined)
      this.writes.push(['delete', key])
    }
    return 1
  }

  #value(machine: Machine, key: string): Json | undefined {
    if (this.#staged.has(key)) return this.#staged.get(key)
    if (!this.#known.has(key)) {
      // A key that travelled along counts as much as one that is asked for, so that the steps do not depend on it.
      machine.charge(FIRST_STEPS)
      this.#known.set(key, this.#values.has(key) ? this.#values.get(key) : this.#ask(machine, key))
    }
    return this.#known.get(key)
  }

  #ask(machine: Machine, key: string): Json | undefined {
    try {
      return this.#read?.(key)
    } catch (thrown) {
      return machine.abort(new Abort('read', `${key} cannot be read: ${thrown instanceof Error ? thrown.message : String(thrown)}`))
    }
  }

  #refuse(key: string): Refusal | undefined {
    if (this.#isReadOnly) return { message: `a condition writes nothing: ${key}` }
    if (key.startsWith(RESERVED)) return { rule: 'E1003', message: `the key ${key} is reserved: keys with _ belong to the runtime (E1003)` }
    if (key.length > KEY_LENGTH) return { rule: 'E1002', message: `a key has at most ${KEY_LENGTH} characters (E1002)` }
    // Bytes of Lua that are not UTF-8 arrive as this character.
    if (key.includes('\ufffd')) return { rule: 'E1002', message: 'a key is text in UTF-8 (E1002)' }
    return undefined
  }

  #pushRefusal(machine: Machine, refusal: Refusal): number {
    this.refusal = refusal
    pushText(machine, refusal.message)
    return 1
  }
}
