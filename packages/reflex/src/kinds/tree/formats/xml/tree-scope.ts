import type { Expression } from '../../lua/expression/forms.ts'
import { reads } from '../../lua/expression/forms.ts'
import type { XmlElement } from './elements.ts'

/** A SubTree element: the tree that it names, and what it connects. */
export interface SubtreeUse {
  readonly id: string
  readonly element: XmlElement
  /** True if keys of the same name are connected, too. */
  readonly isAutomatic: boolean
  /** The keys of the subtree that are connected, each with the key of this tree. Grows with those that are connected by name. */
  readonly bind: Map<string, string>
  /** The keys of this tree that get a value back, each with the key of the subtree. */
  readonly exports: Map<string, string>
  /** The keys of the subtree that are given a value. */
  readonly given: readonly string[]
  /** The keys of the node, which get both maps once they are complete. */
  readonly keys: Map<string, unknown>
}

/** A BehaviorTree element that was read. */
export interface ReadTree {
  readonly id: string
  readonly element: XmlElement
  readonly scope: TreeScope
  readonly keys: Map<string, unknown>
}

/** The keys of the blackboard, the ids and the subtrees that the nodes of one BehaviorTree use. */
export class TreeScope {
  readonly ids = new Set<string>()
  readonly subtrees: SubtreeUse[] = []
  readonly #types = new Map<string, string>()
  /** Names in capital letters that are written or remapped somewhere in the tree, and so are keys. */
  readonly #capitals: ReadonlySet<string>

  constructor(tree: XmlElement) {
    this.#capitals = new Set(capitalsIn(tree))
  }

  /** The keys that the tree has to declare, each with its schema. */
  get keys(): ReadonlyMap<string, string> {
    return this.#types
  }

  readonly isKey = (name: string): boolean => this.#capitals.has(name) || this.#types.has(name)

  /** Notes a key. A key of the root blackboard is declared nowhere; two ports with other types make the key one of any type. */
  use(key: string, type = 'any'): void {
    if (key.startsWith('@')) return
    const known = this.#types.get(key)
    this.#types.set(key, known === undefined || known === 'any' ? type : type === 'any' || type === known ? known : 'any')
  }

  useAll(expression: Expression): void {
    for (const key of reads(expression)) this.use(key)
  }
}

function* capitalsIn({ name, attributes, children }: XmlElement): Generator<string> {
  for (const attribute of attributes.values()) {
    for (const [, key = ''] of attribute.value.matchAll(/\{\s*(\p{Lu}[\p{Lu}\p{N}_]+)\s*\}/gu)) yield key
    for (const [, key = ''] of attribute.value.matchAll(/(?<![\p{L}\p{N}_])(\p{Lu}[\p{Lu}\p{N}_]+)\s*(?::=|[-+*/]?=(?!=))/gu)) yield key
    if (name === 'SetBlackboard' && attribute.name === 'output_key') yield attribute.value
    if (name === 'SubTree') yield attribute.name
  }
  for (const child of children) yield* capitalsIn(child)
}
