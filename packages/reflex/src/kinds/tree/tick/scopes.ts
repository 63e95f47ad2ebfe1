import type { Json, Ref, StepContext } from '../../../kernel/index.ts'
import type { LaidNode } from '../compile/layout.ts'
import type { TreeState } from './tree-state.ts'

/** The scopes of a tree. A scope is opened with the first write in it, so one in which nothing is written leaves nothing in a record. */
export class Scopes {
  readonly #x: StepContext
  readonly #state: TreeState

  constructor(x: StepContext, state: TreeState) {
    this.#x = x
    this.#state = state
  }

  /** Gives a node, and everything below it, a scope of its own, unless it has one. */
  open({ index }: LaidNode): void {
    if (!this.#state.scopes.has(index)) this.#state.scopes.set(index, null)
  }

  /** Returns the scope from which a node reads; undefined: that of the frame. */
  read(node: LaidNode): Ref | undefined {
    const { scopes } = this.#state
    if (scopes.size === 0) return undefined
    for (let at: LaidNode | undefined = node; at !== undefined; at = at.parent) {
      const scope = scopes.get(at.index)
      if (scope !== undefined && scope !== null) return scope
    }
    return undefined
  }

  /** True if a node reads in a scope; null is that of the frame. */
  sees(node: LaidNode, scope: Ref | null): boolean {
    if (scope === null) return true
    for (let at: LaidNode | undefined = node; at !== undefined; at = at.parent) if (this.#state.scopes.get(at.index) === scope) return true
    return false
  }

  /** Returns the scope in which a node writes; undefined: that of the frame. */
  write(node: LaidNode): Ref | undefined {
    const owner = this.#ownerOf(node)
    return owner === undefined ? undefined : this.#opened(owner)
  }

  /** Returns the scope that keeps what a node writes for all trees until it is merged; undefined: it counts at once. */
  stage(node: LaidNode): Ref | undefined {
    let owner = this.#ownerOf(node)
    while (owner !== undefined && !isMerged(owner)) owner = owner.parent === undefined ? undefined : this.#ownerOf(owner.parent)
    return owner === undefined ? undefined : this.#opened(owner)
  }

  /** Deletes a key from the scope of a node. Returns true if it had a value there. */
  delete(node: LaidNode, key: string): boolean {
    const owner = this.#ownerOf(node)
    if (owner === undefined) return this.#x.delete(key)
    const scope = this.#state.scopes.get(owner.index)
    return scope !== undefined && scope !== null && this.#x.deleteIn(scope, key)
  }

  /** Returns the values that were written in the scope of a node and are still there. */
  writes({ index }: LaidNode): ReadonlyMap<string, Json> {
    const scope = this.#state.scopes.get(index)
    return scope === undefined || scope === null ? new Map() : this.#x.ownValues(scope)
  }

  shut({ index }: LaidNode): void {
    const scope = this.#state.scopes.get(index)
    this.#state.scopes.delete(index)
    if (scope !== undefined && scope !== null) this.#x.shut(scope)
  }

  /** Returns the nearest node, from a node outwards, that has a scope. */
  #ownerOf(node: LaidNode): LaidNode | undefined {
    if (this.#state.scopes.size === 0) return undefined
    let at: LaidNode | undefined = node
    while (at !== undefined && !this.#state.scopes.has(at.index)) at = at.parent
    return at
  }

  #opened(owner: LaidNode): Ref {
    const known = this.#state.scopes.get(owner.index)
    if (known !== undefined && known !== null) return known
    const outer = owner.parent === undefined ? undefined : this.write(owner.parent)
    const scope = this.#x.open(outer ?? null)
    this.#state.scopes.set(owner.index, scope)
    return scope
  }
}

/** True for the scope of one of several children, whose writes are merged once all have ended. */
function isMerged({ parent }: LaidNode): boolean {
  return parent?.manifest.role === 'composite'
}
