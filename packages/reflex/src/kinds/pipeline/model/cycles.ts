/** A node under way: where it stands, and how many of the ways out of it have been followed. */
interface Visit {
  readonly at: number
  followed: number
}

/**
 * The cycles of a graph: its strongly connected components of more than one node, and nodes that lead to themselves.
 * Members and cycles stand in the order of `ids`. Takes time in proportion to nodes and edges and no stack, also for a
 * chain of any length (Tarjan's algorithm).
 */
export function cyclesOf(ids: readonly string[], next: (id: string) => Iterable<string>): string[][] {
  const place = new Map(ids.map((id, i) => [id, i]))
  const ways = ids.map((id) => [...next(id)].flatMap((to) => place.get(to) ?? []))
  const components = new Components(ways).all()
  return components
    .map((members) => members.sort((a, b) => a - b))
    .filter((members) => members.length > 1 || members.some((at) => ways[at]?.includes(at)))
    .sort(([a = 0], [b = 0]) => a - b)
    .map((members) => members.flatMap((at) => ids[at] ?? []))
}

class Components {
  readonly #ways: readonly (readonly number[])[]
  /** When a node was first seen, from 1; 0 for not yet. */
  readonly #seen: Uint32Array
  /** The earliest node, of those still open, that can be reached from it. */
  readonly #earliest: Uint32Array
  readonly #isOpen: Uint8Array
  readonly #open: number[] = []
  readonly #found: number[][] = []
  #clock = 0

  constructor(ways: readonly (readonly number[])[]) {
    this.#ways = ways
    this.#seen = new Uint32Array(ways.length)
    this.#earliest = new Uint32Array(ways.length)
    this.#isOpen = new Uint8Array(ways.length)
  }

  all(): number[][] {
    for (let root = 0; root < this.#ways.length; root++) if (this.#seen[root] === 0) this.#walk(root)
    return this.#found
  }

  #walk(root: number): void {
    const path: Visit[] = [this.#enter(root)]
    for (let visit = path.at(-1); visit !== undefined; visit = path.at(-1)) {
      const to = this.#ways[visit.at]?.[visit.followed++]
      if (to === undefined) {
        path.pop()
        this.#leave(visit.at, path.at(-1)?.at)
      } else if (this.#seen[to] === 0) path.push(this.#enter(to))
      else if (this.#isOpen[to] === 1) this.#reaches(visit.at, this.#seen[to] ?? 0)
    }
  }

  #enter(at: number): Visit {
    this.#clock++
    this.#seen[at] = this.#clock
    this.#earliest[at] = this.#clock
    this.#isOpen[at] = 1
    this.#open.push(at)
    return { at, followed: 0 }
  }

  #leave(at: number, parent: number | undefined): void {
    const earliest = this.#earliest[at] ?? 0
    if (parent !== undefined) this.#reaches(parent, earliest)
    if (earliest !== this.#seen[at]) return
    const members: number[] = []
    for (let member = this.#open.pop(); member !== undefined; member = member === at ? undefined : this.#open.pop()) {
      this.#isOpen[member] = 0
      members.push(member)
    }
    this.#found.push(members)
  }

  #reaches(at: number, when: number): void {
    if (when < (this.#earliest[at] ?? 0)) this.#earliest[at] = when
  }
}
