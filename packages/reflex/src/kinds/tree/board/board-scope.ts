import type { Fault, Json } from '../../../kernel/index.ts'
import type { Access, BoardFamily } from './board-family.ts'
import { schemaMismatch, tooLarge } from './board-faults.ts'
import type { TreeSchema } from './schema.ts'
import { entryBytes, ScopeValues } from './scope-values.ts'

/** The declaration of a key. */
export interface KeyRule {
  readonly schema: TreeSchema
  /** The most bytes of the key and its value. */
  readonly maxBytes?: number | undefined
}

/** A value that its schema has accepted, or the reason why not. */
export type CheckedValue = { readonly value: Json; readonly fault?: undefined } | { readonly fault: Fault }

/**
 * A scope of a blackboard without the checks of nodes: the runtime writes here. The parent of a scope exists before it and never changes, so
 * scopes cannot form a cycle (E1005).
 */
export class BoardScope {
  readonly name: string
  readonly parent: BoardScope | undefined
  readonly root: BoardScope
  readonly family: BoardFamily
  readonly values: ScopeValues
  /** The global writes of a child of a parallel node, until they are merged. */
  readonly staged: ScopeValues | undefined
  /** The place of global writes: the values of the root, or of the nearest scope that stages them. */
  readonly globals: ScopeValues
  /** The keys that nodes have read and written since the tracking was cleared. */
  readonly reads = new Set<string>()
  readonly writes = new Set<string>()
  readonly #rules = new Map<string, KeyRule>()

  constructor(name: string, parent: BoardScope | undefined, family: BoardFamily, isStaging = false) {
    this.name = name
    this.parent = parent
    this.root = parent?.root ?? this
    this.family = family
    this.values = new ScopeValues(family)
    this.staged = isStaging ? new ScopeValues(family) : undefined
    this.globals = this.staged ?? parent?.globals ?? this.values
  }

  register(key: string, rule: KeyRule): void {
    this.#rules.set(key, rule)
  }

  /** Returns the nearest declaration of a key. */
  rule(key: string): KeyRule | undefined {
    for (const scope of outwards(this)) {
      const rule = scope.#rules.get(key)
      if (rule !== undefined) return rule
    }
    return undefined
  }

  /** Returns the keys that are registered here or further out, sorted. */
  registered(): string[] {
    return [...new Set([...outwards(this)].flatMap((scope) => [...scope.#rules.keys()]))].toSorted()
  }

  /** Returns the value that is visible here: of the nearest scope below the root, then staged for the root, then of the root. */
  find(key: string): Json | undefined {
    let staged: Json | undefined
    for (const { parent, values, staged: pending } of outwards(this)) {
      const own = values.get(key)
      if (parent === undefined) return staged === undefined ? own : staged
      if (own !== undefined) return own
      if (staged === undefined) staged = pending?.get(key)
    }
    return undefined
  }

  /** Returns all visible values. */
  visible(): Map<string, Json> {
    const chain = [...outwards(this)].toReversed()
    const layers = [chain[0]?.values, ...chain.map(({ staged }) => staged), ...chain.slice(1).map(({ values }) => values)]
    return new Map(layers.flatMap((layer) => [...(layer?.entries() ?? [])]))
  }

  /** Returns a value as the schema of its key gives it, or the fault for it: `R1212`, or `R1214` for a value that is too large to be copied. */
  check(key: string, { schema }: KeyRule, value: unknown): CheckedValue {
    try {
      const result = schema.validate(value)
      return result.issues === undefined ? result : { fault: schemaMismatch(key, schema, value, result.issues) }
    } catch (thrown) {
      const { bytes: current, limit } = this.family
      return { fault: tooLarge(key, { bytes: undefined, current, limit }, thrown) }
    }
  }

  /**
   * Stores a value that its schema has accepted, here or in `target`. Returns the fault `R1214` if it is too large; nothing is changed then.
   */
  store(key: string, value: Json, { maxBytes }: KeyRule, target: ScopeValues): Fault | undefined {
    const { bytes: current, limit } = this.family
    const bytes = entryBytes(key, value)
    if (maxBytes !== undefined && bytes > maxBytes) return tooLarge(key, { bytes, current, limit, keyLimit: maxBytes })
    const growth = bytes - target.bytesOf(key)
    // Values of the runtime can exceed the limit. A smaller value must be welcome then.
    if (growth > 0 && current + growth > limit) return tooLarge(key, { bytes, current, limit })
    target.set(key, value, bytes)
    this.#track('writes', key)
    return undefined
  }

  /** Deletes all values of this scope, those of the runtime too, and what it has staged. Schemas stay. */
  clear(): void {
    this.values.clear()
    this.staged?.clear()
  }

  /** Records a read of a node, in this scope and for the node. */
  trackRead(key: string): void {
    this.#track('reads', key)
  }

  #track(access: keyof Access, key: string): void {
    this[access].add(key)
    this.family.track(access, key)
  }
}

/** Yields a scope and those around it, up to the root. */
function* outwards(scope: BoardScope): Generator<BoardScope, void> {
  for (let at: BoardScope | undefined = scope; at !== undefined; at = at.parent) yield at
}
