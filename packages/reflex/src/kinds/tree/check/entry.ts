import type { CompiledTree } from '../compile/compiled.ts'
import { type Domain, EVERYTHING, join, NIL, ofJson, ofSchema } from './domain.ts'
import type { Writes } from './writes.ts'

/** What is known of a key at a place. */
export interface Known {
  readonly domain: Domain
  /** On some way to this place nothing has given it a value. */
  readonly isMissing: boolean
  /** On some way to this place something has given it a value. */
  readonly isWritten: boolean
}

const ABSENT: Known = { domain: NIL, isMissing: true, isWritten: false }

/** What is known of the keys of a tree before its first node. */
export class EntryValues {
  readonly #tree: CompiledTree
  readonly #writes: Writes
  readonly #open: ReadonlySet<string>
  readonly #known = new Map<string, Known>()

  /** `writes`: those of the whole tree. */
  constructor(tree: CompiledTree, writes: Writes) {
    this.#tree = tree
    this.#writes = writes
    const { board = {}, contract = {} } = tree.source
    const { inputs = {}, optional_inputs = {}, outputs = {}, inouts = {} } = contract
    this.#open = new Set([board, inputs, optional_inputs, outputs, inouts].flatMap((keys) => Object.keys(keys)))
  }

  /** True if any code without a contract may write a key. */
  isOpenToCode(key: string): boolean {
    return this.#open.has(key)
  }

  at(key: string): Known {
    const known = this.#known.get(key) ?? this.#find(key)
    this.#known.set(key, known)
    return known
  }

  /** Returns the values that the schema of a key admits. */
  schema(key: string): Domain {
    const { board = {}, contract = {} } = this.#tree.source
    const { inputs = {}, optional_inputs = {}, outputs = {}, inouts = {} } = contract
    return ofSchema(board[key]?.type ?? inputs[key] ?? optional_inputs[key] ?? outputs[key] ?? inouts[key])
  }

  #find(key: string): Known {
    if (key.startsWith('_')) return { domain: EVERYTHING, isMissing: false, isWritten: true }
    const { board = {}, contract } = this.#tree.source
    const { inputs = {}, optional_inputs = {}, inouts = {} } = contract ?? {}
    const declared = board[key]
    const schema = this.schema(key)
    if (declared?.global === true) return { domain: join(schema, NIL), isMissing: false, isWritten: true }
    if (inputs[key] !== undefined) return { domain: schema, isMissing: false, isWritten: true }
    const isOptional = optional_inputs[key] !== undefined
    const isInput = isOptional || inouts[key] !== undefined
    const isChanged = this.#isChanged(key)
    if (declared?.default !== undefined) return this.#withDefault(key, isInput || contract === undefined, isChanged)
    const open = { domain: join(schema, NIL), isMissing: true, isWritten: false }
    if (isInput) return { ...open, isMissing: isOptional, isWritten: true }
    if (declared !== undefined && contract === undefined && !this.#writes.keys.has(key))
      return { ...open, isMissing: false, isWritten: true }
    // An earlier execution may have written it.
    return isChanged ? open : ABSENT
  }

  /** True if something in the tree may write a key. */
  #isChanged(key: string): boolean {
    return this.#writes.keys.has(key) || (this.#writes.isOpaque && this.isOpenToCode(key))
  }

  #withDefault(key: string, isInput: boolean, isChanged: boolean): Known {
    const first = this.#tree.source.board?.[key]?.default ?? null
    const schema = this.schema(key)
    const domain = isInput || isChanged ? (this.#writes.isOpaque ? join(schema, NIL) : schema) : ofJson(first)
    return { domain, isMissing: false, isWritten: true }
  }
}
