import { textOf } from '../dot/graph.ts'
import type { TypedEdge, TypedNode } from './typed.ts'

/** The part of a typed graph that determines joins. */
export interface JoinView {
  readonly nodes: ReadonlyMap<string, Pick<TypedNode, 'id' | 'canonical' | 'custom' | 'node'>>
  readonly outgoing: ReadonlyMap<string, readonly TypedEdge[]>
}

export interface Joins {
  readonly joins: ReadonlyMap<string, string>
  /** Parallel nodes whose join was not searched because the budget for this graph was used up. */
  readonly unresolved: readonly string[]
}

/** The budget of visited nodes for all joins of one graph: about a fifth of a second. */
const MOST_VISITS = 1_000_000

/**
 * Returns the join of the branches of each parallel node (reference pipeline 3.9.2): its `join_target`, if that is a node;
 * otherwise the nearest fan-in that every branch can reach, by the smallest sum of distances, then by id; otherwise, with two
 * branches or more, the nearest node that every branch can reach. A fan-in after another parallel node that all branches reach
 * belongs to the block of that node. Nodes that work on items have no branches.
 */
export function joinsOf(view: JoinView): Joins {
  const joins = new Map<string, string>()
  const unresolved: string[] = []
  const leadsToFanIn = ancestorsOfFanIns(view)
  const budget = { left: MOST_VISITS }
  for (const node of view.nodes.values()) {
    if (!isBlock(node)) continue
    const written = textOf(node.node.attributes, 'join_target')?.trim()
    if (written !== undefined && view.nodes.has(written)) {
      joins.set(node.id, written)
      continue
    }
    const search = new JoinSearch(view, node.id, budget)
    const mayMeetFanIn = search.branches.every((id) => leadsToFanIn.has(id))
    if (search.branches.length === 0 || (search.branches.length === 1 && !mayMeetFanIn)) continue
    const join = budget.left > 0 ? search.find(mayMeetFanIn) : undefined
    if (join !== undefined) joins.set(node.id, join)
    else if (budget.left <= 0) unresolved.push(node.id)
  }
  return { joins, unresolved }
}

/** True if a node starts one branch per edge. */
export function isBlock({ canonical, custom, node }: Pick<TypedNode, 'canonical' | 'custom' | 'node'>): boolean {
  return canonical === 'parallel' && custom === undefined && !node.attributes.has('items') && !node.attributes.has('items_key')
}

function isFanIn({ canonical, custom }: Pick<TypedNode, 'canonical' | 'custom'>): boolean {
  return canonical === 'fan_in' && custom === undefined
}

/** Returns all fan-ins and all nodes from which one can be reached. */
function ancestorsOfFanIns({ nodes, outgoing }: JoinView): ReadonlySet<string> {
  const found = new Set([...nodes.values()].filter(isFanIn).map(({ id }) => id))
  if (found.size === 0) return found
  const predecessors = new Map<string, string[]>()
  for (const edges of outgoing.values()) {
    for (const { edge } of edges) {
      const others = predecessors.get(edge.to)
      if (others === undefined) predecessors.set(edge.to, [edge.from])
      else others.push(edge.from)
    }
  }
  for (const id of found) for (const from of predecessors.get(id) ?? []) found.add(from)
  return found
}

interface Reached {
  readonly id: string
  /** The number of branches that reached it, and the sum of their distances. */
  branches: number
  distance: number
}

/** A search through all branches of a parallel node in parallel, one edge at a time. */
class JoinSearch {
  readonly branches: readonly string[]
  readonly #view: JoinView
  readonly #parallel: string
  readonly #budget: { left: number }
  readonly #reached = new Map<string, Reached>()
  readonly #seen: Set<string>[]
  #fronts: string[][]
  #bestFanIn: Reached | undefined
  #best: Reached | undefined

  constructor(view: JoinView, parallel: string, budget: { left: number }) {
    this.#view = view
    this.#parallel = parallel
    this.#budget = budget
    this.branches = [...new Set(this.#next(parallel))]
    this.#fronts = this.branches.map((id) => [id])
    this.#seen = this.branches.map((id) => new Set([id]))
  }

  find(mayMeetFanIn: boolean): string | undefined {
    for (let distance = 0; this.#fronts.some((front) => front.length > 0) && this.#budget.left > 0; distance++) {
      for (const front of this.#fronts) for (const id of front) this.#reach(id, distance)
      if (this.#isDecided(distance, mayMeetFanIn)) break
      this.#fronts = this.#fronts.map((front, branch) => this.#step(front, this.#seen[branch] ?? new Set()))
    }
    return this.#bestFanIn?.id ?? (this.branches.length > 1 ? this.#best?.id : undefined)
  }

  #reach(id: string, distance: number): void {
    this.#budget.left--
    const reached = this.#reached.get(id) ?? { id, branches: 0, distance: 0 }
    this.#reached.set(id, reached)
    reached.branches++
    reached.distance += distance
    if (!this.#isCommon(reached)) return
    this.#best = nearest(reached, this.#best)
    const node = this.#view.nodes.get(id)
    if (node !== undefined && isFanIn(node)) this.#bestFanIn = nearest(reached, this.#bestFanIn)
  }

  /** True if no node that is still unknown can be nearer than the best. */
  #isDecided(distance: number, mayMeetFanIn: boolean): boolean {
    const best = mayMeetFanIn ? this.#bestFanIn : this.#best
    if (best === undefined) return false
    for (const reached of this.#reached.values()) {
      this.#budget.left--
      const missing = this.branches.length - reached.branches
      if (missing > 0 && reached.distance + missing * (distance + 1) <= best.distance) return false
    }
    return true
  }

  /** Returns the next nodes of a branch. Does not pass the parallel node again, nor a block that all branches have reached. */
  #step(front: readonly string[], seen: Set<string>): string[] {
    const next: string[] = []
    for (const id of front) {
      const reached = this.#reached.get(id)
      const node = this.#view.nodes.get(id)
      if (node !== undefined && reached !== undefined && isBlock(node) && this.#isCommon(reached)) continue
      for (const to of this.#next(id)) {
        this.#budget.left--
        if (seen.has(to)) continue
        seen.add(to)
        next.push(to)
      }
    }
    return next
  }

  #isCommon({ branches }: Reached): boolean {
    return branches === this.branches.length
  }

  #next(id: string): string[] {
    return (this.#view.outgoing.get(id) ?? []).map(({ edge }) => edge.to).filter((to) => to !== this.#parallel && this.#view.nodes.has(to))
  }
}

function nearest(reached: Reached, best: Reached | undefined): Reached {
  if (best === undefined || reached.distance < best.distance) return reached
  return reached.distance === best.distance && reached.id < best.id ? reached : best
}
