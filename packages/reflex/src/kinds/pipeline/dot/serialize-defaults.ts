import type { Attributes, AttributeValue } from './graph.ts'

/** What nodes or edges say of a key together: the default that they have, or that each has a value of its own. */
type Said = { readonly value: AttributeValue } | 'own'

/** The defaults that all the nodes, or all the edges, of a scope and of those inside it share, so that one statement can set them. */
export class SharedDefaults {
  readonly #said: (Map<string, Said> | undefined)[] = []

  /** A node or edge of a scope, in any order. */
  add(scope: number, attributes: Attributes): void {
    const said = new Map<string, Said>()
    for (const [key, { value, provenance }] of attributes) said.set(key, provenance === 'default' ? { value } : 'own')
    this.#said[scope] = both(this.#said[scope], said)
  }

  /** All that stands in a scope belongs to the one around it as well. Inner scopes first. */
  close(scope: number, around: number): void {
    const said = this.#said[scope]
    if (said !== undefined) this.#said[around] = both(this.#said[around], new Map(said))
  }

  /** The shared defaults of a scope. */
  of(scope: number): Map<string, AttributeValue> {
    const shared = new Map<string, AttributeValue>()
    for (const [key, said] of this.#said[scope] ?? []) if (said !== 'own') shared.set(key, said.value)
    return shared
  }
}

/** What two groups say together; changes and gives the first, or gives the second when there is none. */
function both(one: Map<string, Said> | undefined, other: Map<string, Said>): Map<string, Said> {
  if (one === undefined) return other
  for (const [key, said] of one) {
    const more = other.get(key)
    if (more === undefined || (said !== 'own' && more !== 'own' && said.value !== more.value)) one.delete(key)
    else if (said === 'own') one.set(key, more)
  }
  return one
}
