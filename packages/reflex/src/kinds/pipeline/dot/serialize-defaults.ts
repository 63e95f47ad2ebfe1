import type { Attributes, AttributeValue } from './graph.ts'

/** The state of a key in a group of nodes or edges: the shared default, or `own` if each has its own value. */
type SharedDefault = { readonly value: AttributeValue } | 'own'

/** The defaults that all nodes, or all edges, of a scope and its inner scopes share. One statement can set them. */
export class SharedDefaults {
  readonly #defaults: (Map<string, SharedDefault> | undefined)[] = []

  /** Adds a node or edge of a scope, in any order. */
  add(scope: number, attributes: Attributes): void {
    const defaults = new Map<string, SharedDefault>()
    for (const [key, { value, provenance }] of attributes) defaults.set(key, provenance === 'default' ? { value } : 'own')
    this.#defaults[scope] = intersect(this.#defaults[scope], defaults)
  }

  /** Adds the content of a scope to the enclosing scope. Inner scopes must be closed first. */
  close(scope: number, outer: number): void {
    const defaults = this.#defaults[scope]
    if (defaults !== undefined) this.#defaults[outer] = intersect(this.#defaults[outer], new Map(defaults))
  }

  /** Returns the shared defaults of a scope. */
  valuesIn(scope: number): Map<string, AttributeValue> {
    const shared = new Map<string, AttributeValue>()
    for (const [key, entry] of this.#defaults[scope] ?? []) if (entry !== 'own') shared.set(key, entry.value)
    return shared
  }
}

/** Returns the keys that two groups share. Changes and returns the first group; returns the second if there is no first. */
function intersect(one: Map<string, SharedDefault> | undefined, other: Map<string, SharedDefault>): Map<string, SharedDefault> {
  if (one === undefined) return other
  for (const [key, entry] of one) {
    const match = other.get(key)
    if (match === undefined || (entry !== 'own' && match !== 'own' && entry.value !== match.value)) one.delete(key)
    else if (entry === 'own') one.set(key, match)
  }
  return one
}
