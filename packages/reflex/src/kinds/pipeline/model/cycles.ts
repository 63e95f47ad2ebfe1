import type { EdgeTargets } from './adjacency.ts'

/** A node on the current path: its position, the edge to follow next, and the end of its edges. */
interface Visit {
  readonly at: number
  next: number
  readonly end: number
}

/**
 * Returns the cycles of a graph: strongly connected components of more than one node, and nodes with an edge to themselves.
 * Members and cycles are in the order of `ids`. Runs in linear time without recursion, also for long chains (Tarjan's
 * algorithm).
 */
export function cyclesOf(ids: readonly string[], edges: EdgeTargets): string[][] {
  const components = new Components(edges).all()
  return components
    .map((members) => members.sort((a, b) => a - b))
    .sort(([a = 0], [b = 0]) => a - b)
    .map((members) => members.flatMap((at) => ids[at] ?? []))
}

/** Finds the components that are cycles. */
class Components {
  readonly #targets: Int32Array
  readonly #begins: Uint32Array
  /** The time at which a node was first seen, from 1; 0 if not yet seen. */
  readonly #seen: Uint32Array
  /** The earliest open node that can be reached from a node. */
  readonly #earliest: Uint32Array
  readonly #isOpen: Uint8Array
  readonly #open: number[] = []
  readonly #found: number[][] = []
  #clock = 0

  constructor({ targets, begins }: EdgeTargets) {
    this.#targets = targets
    this.#begins = begins
    const count = begins.length - 1
    this.#seen = new Uint32Array(count)
    this.#earliest = new Uint32Array(count)
    this.#isOpen = new Uint8Array(count)
  }

  all(): number[][] {
    for (let root = 0; root < this.#seen.length; root++) if (this.#seen[root] === 0) this.#visitFrom(root)
    return this.#found
  }

  #visitFrom(root: number): void {
    const path: Visit[] = [this.#enter(root)]
    for (let visit = path.at(-1); visit !== undefined; visit = path.at(-1)) {
      const edge = visit.next++
      const to = this.#targets[edge] ?? -1
      if (edge >= visit.end) {
        path.pop()
        this.#leave(visit.at, path.at(-1)?.at)
      } else if (to < 0) continue
      else if (this.#seen[to] === 0) path.push(this.#enter(to))
      else if (this.#isOpen[to] === 1) this.#lowerEarliest(visit.at, this.#seen[to] ?? 0)
    }
  }

  #enter(at: number): Visit {
    this.#clock++
    this.#seen[at] = this.#clock
    this.#earliest[at] = this.#clock
    this.#isOpen[at] = 1
    this.#open.push(at)
    return { at, next: this.#begins[at] ?? 0, end: this.#begins[at + 1] ?? 0 }
  }

  #leave(at: number, parent: number | undefined): void {
    const earliest = this.#earliest[at] ?? 0
    if (parent !== undefined) this.#lowerEarliest(parent, earliest)
    if (earliest !== this.#seen[at]) return
    if (this.#open.at(-1) === at && !this.#leadsToItself(at)) {
      this.#open.pop()
      this.#isOpen[at] = 0
      return
    }
    const members: number[] = []
    for (let member = this.#open.pop(); member !== undefined; member = member === at ? undefined : this.#open.pop()) {
      this.#isOpen[member] = 0
      members.push(member)
    }
    this.#found.push(members)
  }

  #leadsToItself(at: number): boolean {
    const end = this.#begins[at + 1] ?? 0
    for (let edge = this.#begins[at] ?? 0; edge < end; edge++) if (this.#targets[edge] === at) return true
    return false
  }

  #lowerEarliest(at: number, clock: number): void {
    if (clock < (this.#earliest[at] ?? 0)) this.#earliest[at] = clock
  }
}
