import type { Attributes, AttributeValue } from './graph.ts'

/** What nodes or edges say of a key together: the default that they have, or that each has a value of its own. */
type SharedDefault = { readonly value: AttributeValue } | 'own'

/** The defaults that all the nodes, or all the edges, of a scope and of those inside it share, so that one statement can set them. */
export class SharedDefaults {
  readonly #defaults: (Map<string, SharedDefault> | undefined)[] = []

  /** A node or edge of a scope, in any order. */
  add(scope: number, attributes: Attributes): void {
    const defaults = new Map<string, SharedDefault>()
    for (const [key, { value, provenance }] of attributes) defaults.set(key, provenance === 'default' ? { value } : 'own')
    this.#defaults[scope] = intersect(this.#defaults[scope], defaults)
  }

  /** All that stands in a scope belongs to the one around it as well. Inner scopes first. */
  close(scope: number, outer: number): void {
    const defaults = this.#defaults[scope]
    if (defaults !== undefined) this.#defaults[outer] = intersect(this.#defaults[outer], new Map(defaults))
  }

  /** The shared defaults of a scope. */
  valuesIn(scope: number): Map<string, AttributeValue> {
    const shared = new Map<string, AttributeValue>()
    for (const [key, entry] of this.#defaults[scope] ?? []) if (entry !== 'own') shared.set(key, entry.value)
    return shared
  }
}

/** What two groups say together; changes and gives the first, or gives the second when there is none. */
function intersect(one: Map<string, SharedDefault> | undefined, other: Map<string, SharedDefault>): Map<string, SharedDefault> {
  if (one === undefined) return other
  for (const [key, entry] of one) {
    const match = other.get(key)
    if (match === undefined || (entry !== 'own' && match !== 'own' && entry.value !== match.value)) one.delete(key)
    else if (entry === 'own') one.set(key, match)
  }
  return one
}
