import { type Attributes, textOf } from '../dot/graph.ts'
import { CANONICAL_TYPES, CHOICES } from './canonical-types.ts'
import type { Dispatch, OperationFacts } from './operation-facts.ts'
import type { CanonicalType, Resolution } from './resolution.ts'

/** The meaning of a type name (seed pipeline appendix B). */
export interface TypeName {
  readonly canonical: CanonicalType
  /** The attributes that it adds for dispatch; authored attributes never change them (reference pipeline 2.6, 34). */
  readonly injected: Readonly<Record<string, string>>
  /** The operation that it names. Absent for canonical types. */
  readonly operation?: string
}

/** The operations that one value can select: alone, or with a second value in `op`. */
interface WordChoice {
  operation?: string
  readonly ops: Map<string, string>
}

/** The operations that a canonical type can select. */
interface Choosing {
  readonly words: Map<string, WordChoice>
  readonly present: (readonly [attributes: readonly string[], operation: string])[]
  otherwise?: string
}

/** The operation of a value that selects none. */
export const UNKNOWN_OPERATION = 'unknown'

/** The default dispatch of an operation: its own type name, handled as `exec`. */
const OWN: readonly Dispatch[] = [{ type: 'exec' }]

export function dispatchOf({ dispatch = OWN }: OperationFacts): readonly Dispatch[] {
  return dispatch
}

/** The type names of a list of operations, and the operation of a node of each type. */
export class TypeNames {
  readonly #names = new Map<string, TypeName>()
  readonly #choosing = new Map<CanonicalType, Choosing>()
  readonly #shapes = new Map<string, string>()

  constructor(operations: readonly OperationFacts[]) {
    for (const operation of operations) this.#add(operation)
    for (const type of CANONICAL_TYPES) this.#names.set(type, { canonical: type, injected: {} })
  }

  get(name: string): TypeName | undefined {
    return this.#names.get(name)
  }

  names(): Iterable<string> {
    return this.#names.keys()
  }

  /** Returns the type name of a shape. */
  shape(shape: string): string | undefined {
    return this.#shapes.get(shape)
  }

  /** Returns the selecting attribute of a canonical type and its values. Undefined for a type with one operation. */
  choice(type: CanonicalType): { readonly attribute: string; readonly words: readonly string[] } | undefined {
    const choice = CHOICES[type]
    return choice && { attribute: choice.attribute, words: [...(this.#choosing.get(type)?.words.keys() ?? [])] }
  }

  /**
   * Returns the operation of a node, one name for all its spellings: `type="codergen"`, a plain box and `type="compute"
   * purpose="llm"` are all `codergen`. No authored attribute changes the operation of a type name (reference pipeline 4.1).
   * Returns `unknown` for a value that selects no operation; such a node must fail when it is executed.
   */
  operationOf({ canonical, rawType, custom }: Resolution, attributes: Attributes): string {
    if (custom !== undefined) return 'custom'
    if (rawType !== canonical) return this.#names.get(rawType)?.operation ?? rawType
    const choosing = this.#choosing.get(canonical)
    if (choosing === undefined) return UNKNOWN_OPERATION
    const word = (name: string | undefined): string | undefined => (name && textOf(attributes, name)?.trim()) || undefined
    const chosen = word(CHOICES[canonical]?.attribute) ?? word(CHOICES[canonical]?.also)
    if (chosen === undefined)
      return choosing.present.find(([names]) => names.some((name) => attributes.has(name)))?.[1] ?? choosing.otherwise ?? UNKNOWN_OPERATION
    const known = choosing.words.get(chosen)
    const op = word('op')
    return (op !== undefined && known !== undefined && known.ops.size > 0 ? known.ops.get(op) : known?.operation) ?? UNKNOWN_OPERATION
  }

  #add(operation: OperationFacts): void {
    const { name, types = [name], usual, shape } = operation
    const dispatch = dispatchOf(operation)
    const [first] = dispatch
    if (first !== undefined) {
      for (const type of types) this.#names.set(type, { canonical: first.type, injected: first.injects ?? first.by ?? {}, operation: name })
      if (shape !== undefined) this.#shapes.set(shape, types[0] ?? first.type)
      const choosing = this.#choosingOf(first.type)
      if (usual?.length === 0) choosing.otherwise = name
      else if (usual !== undefined) choosing.present.push([usual, name])
    }
    for (const { type, by } of dispatch) {
      const [word, op] = Object.values(by ?? {})
      const choosing = this.#choosingOf(type)
      if (word === undefined) {
        if (CHOICES[type] === undefined) choosing.otherwise ??= name
        continue
      }
      const known: WordChoice = choosing.words.get(word) ?? { ops: new Map() }
      choosing.words.set(word, known)
      if (op === undefined) known.operation = name
      else known.ops.set(op, name)
    }
  }

  #choosingOf(type: CanonicalType): Choosing {
    const known = this.#choosing.get(type) ?? { words: new Map(), present: [] }
    this.#choosing.set(type, known)
    return known
  }
}
