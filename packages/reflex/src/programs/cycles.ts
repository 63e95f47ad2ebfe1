interface Visit {
  readonly node: string
  readonly successors: readonly string[]
  position: number
}

/**
 * Returns the members of each cycle, in the order of `nodes`: strongly connected components of more than one node, and nodes
 * with an edge to themselves. Uses Tarjan's algorithm with an explicit stack instead of recursion.
 */
export function cyclesOf(nodes: readonly string[], next: (node: string) => readonly string[]): string[][] {
  const place = new Map(nodes.map((node, i) => [node, i]))
  const cycles: string[][] = []
  const search = new CycleSearch(next, (members) => {
    const [only = ''] = members
    if (members.length > 1 || next(only).includes(only)) cycles.push(members.sort((a, b) => (place.get(a) ?? 0) - (place.get(b) ?? 0)))
  })
  for (const node of nodes) search.searchFrom(node)
  return cycles.sort(([a = ''], [b = '']) => (place.get(a) ?? 0) - (place.get(b) ?? 0))
}

class CycleSearch {
  readonly #next: (node: string) => readonly string[]
  readonly #onCycle: (members: string[]) => void
  readonly #index = new Map<string, number>()
  /** The lowest index that an open node can reach. */
  readonly #low = new Map<string, number>()
  readonly #open: string[] = []
  readonly #openSet = new Set<string>()

  constructor(next: (node: string) => readonly string[], onCycle: (members: string[]) => void) {
    this.#next = next
    this.#onCycle = onCycle
  }

  searchFrom(root: string): void {
    if (this.#index.has(root)) return
    const visits = [this.#enter(root)]
    for (let visit = visits.at(-1); visit !== undefined; visit = visits.at(-1)) {
      const to = visit.successors[visit.position++]
      if (to === undefined) {
        visits.pop()
        this.#leave(visit.node, visits.at(-1)?.node)
      } else if (!this.#index.has(to)) {
        visits.push(this.#enter(to))
      } else if (this.#openSet.has(to)) {
        this.#lower(visit.node, this.#index.get(to) ?? 0)
      }
    }
  }

  #enter(node: string): Visit {
    const index = this.#index.size
    this.#index.set(node, index)
    this.#low.set(node, index)
    this.#open.push(node)
    this.#openSet.add(node)
    return { node, successors: this.#next(node), position: 0 }
  }

  #leave(node: string, parent: string | undefined): void {
    const low = this.#low.get(node) ?? 0
    if (parent !== undefined) this.#lower(parent, low)
    if (low !== this.#index.get(node)) return
    const members = this.#open.splice(this.#open.lastIndexOf(node))
    for (const member of members) this.#openSet.delete(member)
    this.#onCycle(members)
  }

  #lower(node: string, to: number): void {
    if (to < (this.#low.get(node) ?? 0)) this.#low.set(node, to)
  }
}

/** Returns a shortest path around a cycle, from its first member back to it. The first node is also the last. */
export function shortestCycle(members: readonly string[], next: (node: string) => readonly string[]): string[] {
  const inside = new Set(members)
  const [start = ''] = members
  const previous = new Map<string, string>()
  const queue = [start]
  for (const node of queue) {
    for (const to of next(node)) {
      if (to === start) return [...pathBack(previous, start, node), start]
      if (!inside.has(to) || previous.has(to)) continue
      previous.set(to, node)
      queue.push(to)
    }
  }
  return [...members]
}

function pathBack(previous: ReadonlyMap<string, string>, start: string, end: string): string[] {
  const back = [end]
  for (let node = end; node !== start; ) {
    node = previous.get(node) ?? start
    back.push(node)
  }
  return back.reverse()
}
