import { textOf, isOn } from '../dot/graph.ts'
import type { TypedEdge, TypedGraph, TypedNode } from '../model/typed.ts'
import type { CanonicalType } from '../model/resolution.ts'
import { casesOf } from '../language/condition-cases.ts'
import { evaluateCondition, type ConditionScope } from '../language/condition-evaluate.ts'
import { normaliseLabel } from '../language/edge-labels.ts'
import { numberIn, type Condition } from '../language/condition.ts'

/**
 * The reason why an edge is never taken: its condition is never true, another edge always wins, or one of the conditions is
 * always true.
 */
export type DeadReason =
  | { readonly why: 'never true' }
  | { readonly why: 'nothing left'; readonly by: readonly TypedEdge[] }
  | { readonly why: 'shadowed'; readonly by: TypedEdge }

/** Two edges that are open at the same time, with the same weight and different targets. `taken` is the edge that wins. */
export interface Tie {
  readonly taken: TypedEdge
  readonly other: TypedEdge
}

/** The facts about the edges of one node that hold for every context. */
export interface NodeRoutes {
  readonly dead: ReadonlyMap<TypedEdge, DeadReason>
  readonly ties: readonly Tie[]
  /** True if an edge is open after a success and after a failure, for every context. */
  readonly covered: boolean
}

/** The budget of evaluated conditions for one pipeline: cases times edges. Further nodes are ignored when it is used up. */
const WORK = 400_000
/** Types whose handlers never prefer a label or a next node (reference pipeline 3.3). */
const SILENT: ReadonlySet<CanonicalType> = new Set(['start', 'branch', 'transform', 'read', 'write'])

/** True if a person chooses among all edges of a node, regardless of their conditions (reference pipeline 3.3, step 0h). */
export function isChosen(node: TypedNode): boolean {
  return node.facts.form === 'choice'
}

/**
 * Finds the edges of each node that are never taken, and the ties that the alphabet breaks, by evaluating every distinct case
 * of their conditions (reference pipeline 3.3). Skips exits, choices of people, nodes with an unreadable condition or too many
 * cases, and nodes with a single edge without a condition, which is always taken.
 */
export function routesOf(typed: TypedGraph): Map<string, NodeRoutes> {
  const routes = new Map<string, NodeRoutes>()
  const known = new KnownCases()
  let work = WORK
  for (const [id, edges] of typed.outgoing) {
    const only = edges[0]
    if (only === undefined || (edges.length === 1 && only.condition === undefined)) continue
    const node = typed.nodes.get(id)
    if (node === undefined || node.canonical === 'exit' || isChosen(node)) continue
    const cases = known.of(edges)
    if (cases === undefined) continue
    work -= cases.length * edges.length
    if (work < 0) break
    routes.set(id, edges.length === 1 ? known.single(only, cases) : new RouteTrial(typed, node, edges).tryCases(cases))
  }
  return routes
}

/** The cases of conditions that were tried. Nodes of one pipeline often have the same conditions, and then share them. */
class KnownCases {
  readonly #cases = new Map<Condition | string | undefined, ConditionScope[] | undefined>()
  readonly #singles = new Map<Condition | undefined, { readonly isTaken: boolean; readonly routes: NodeRoutes }>()

  /** Returns the cases of the conditions of edges; undefined if one is unreadable or there are too many. */
  of(edges: readonly TypedEdge[]): readonly ConditionScope[] | undefined {
    const key = edges.length === 1 ? edges[0]?.condition : JSON.stringify(edges.map(({ condition }) => condition?.text))
    const known = this.#cases.get(key)
    if (known !== undefined || this.#cases.has(key)) return known
    const conditions = edges.flatMap(({ condition }) => condition ?? [])
    const cases = conditions.some(({ unreadable }) => unreadable) ? undefined : casesOf(conditions)
    this.#cases.set(key, cases)
    return cases
  }

  /** Returns the routes of a node with one edge: they depend on its condition alone. */
  single(edge: TypedEdge, cases: readonly ConditionScope[]): NodeRoutes {
    let known = this.#singles.get(edge.condition)
    if (known === undefined) {
      const open = cases.filter((scope) => openIn([edge], scope).length > 0)
      const covered = cases.every((scope) => open.includes(scope) || (scope.outcome !== 'success' && scope.outcome !== 'fail'))
      known = { isTaken: open.length > 0 || isSwitchedOff(edge.condition), routes: { dead: NONE_DEAD, ties: NO_TIES, covered } }
      this.#singles.set(edge.condition, known)
    }
    return known.isTaken ? known.routes : { ...known.routes, dead: new Map([[edge, { why: 'never true' }]]) }
  }
}

const NONE_DEAD: NodeRoutes['dead'] = new Map()
const NO_TIES: readonly Tie[] = []

/** The evaluation of one node's edges in every case. */
class RouteTrial {
  readonly #typed: TypedGraph
  readonly #node: TypedNode
  readonly #edges: readonly TypedEdge[]
  readonly #conditional: readonly TypedEdge[]
  readonly #free: readonly TypedEdge[]
  readonly #taken = new Set<TypedEdge>()
  readonly #beaten = new Map<TypedEdge, TypedEdge>()
  readonly #ties = new Map<string, Tie>()
  #leftOver = false
  #covered = true

  constructor(typed: TypedGraph, node: TypedNode, edges: readonly TypedEdge[]) {
    this.#typed = typed
    this.#node = node
    this.#edges = edges
    this.#conditional = edges.filter(({ condition }) => condition !== undefined)
    this.#free = edges.filter(({ condition }) => condition === undefined)
  }

  tryCases(cases: readonly ConditionScope[]): NodeRoutes {
    for (const scope of cases) {
      const open = openIn(this.#conditional, scope)
      if (open.length > 0) this.#choose(open)
      else {
        this.#leftOver = true
        if (this.#free.length === 0 && (scope.outcome === 'success' || scope.outcome === 'fail')) this.#covered = false
      }
    }
    if (this.#leftOver || this.#node.canonical === 'parallel') this.#chooseFree()
    return { dead: this.#dead(), ties: [...this.#ties.values()], covered: this.#covered }
  }

  /** All branches of a parallel node are taken. */
  #choose(open: readonly TypedEdge[]): void {
    if (this.#node.canonical === 'parallel') {
      for (const edge of open) this.#taken.add(edge)
      return
    }
    const weight = Math.max(...open.map((edge) => edge.weight))
    const equal = open.filter((edge) => edge.weight === weight)
    const best = first(equal)
    for (const edge of open) {
      if (edge.edge.to === best.edge.to) this.#taken.add(edge)
      else if (!this.#beaten.has(edge)) this.#beaten.set(edge, best)
    }
    const [earliest = best] = equal
    // If the order in the file agrees with the alphabet, the tie surprises nobody.
    if (earliest.edge.to !== best.edge.to) this.#tie(best, earliest)
  }

  #tie(taken: TypedEdge, other: TypedEdge): void {
    this.#ties.set(`${taken.edge.index} ${other.edge.index}`, { taken, other })
  }

  /** Handles edges without a condition: the heaviest wins, unless a stage names a label or a node. */
  #chooseFree(): void {
    const { canonical, node, custom } = this.#node
    const named = !SILENT.has(canonical) || custom !== undefined || textOf(node.attributes, 'condition_key') !== undefined
    if (canonical === 'parallel' || isOn(node.attributes, 'fan_out')) {
      for (const edge of this.#free) this.#taken.add(edge)
      return
    }
    const ordinary = this.#free.filter(({ label }) => !isFailure(label))
    const pool = ordinary.length > 0 ? ordinary : this.#free
    const weight = Math.max(...pool.map((edge) => edge.weight))
    const equal = pool.filter(
      (edge) => edge.weight === weight && (!named || edge.label === '') && !STATUS_WORDS.has(normaliseLabel(edge.label)),
    )
    const best = equal.length === 0 ? undefined : first(equal)
    const rival = equal.find((edge) => edge.edge.to !== best?.edge.to)
    if (best !== undefined && rival !== undefined) this.#tie(best, rival)
    for (const edge of this.#free) {
      if (named || best === undefined || edge.weight >= best.weight || this.#mayFollow(edge)) this.#taken.add(edge)
      else this.#beaten.set(edge, best)
    }
  }

  /** True if a lighter edge may still be taken: after a failure, or because its label names the outcome (reference pipeline 3.3, 3.4). */
  #mayFollow({ edge, label }: TypedEdge): boolean {
    return isFailure(label) || this.#typed.nodes.get(edge.to)?.canonical === 'branch'
  }

  #dead(): Map<TypedEdge, DeadReason> {
    const dead = new Map<TypedEdge, DeadReason>()
    for (const edge of this.#edges) {
      if (this.#taken.has(edge) || isSwitchedOff(edge.condition)) continue
      const by = this.#beaten.get(edge)
      if (by !== undefined) dead.set(edge, { why: 'shadowed', by })
      else dead.set(edge, edge.condition === undefined ? { why: 'nothing left', by: this.#conditional } : { why: 'never true' })
    }
    return dead
  }
}

/** The words for outcomes. As labels, they break ties among edges of equal weight (reference pipeline 3.3). */
const STATUS_WORDS = new Set(['success', 'partial_success', 'retry', 'fail', 'failed', 'failure', 'error', 'skipped'])
const FAILURES = new Set(['fail', 'failed', 'failure', 'error'])

export function isStatusWord(label: string): boolean {
  return STATUS_WORDS.has(normaliseLabel(label))
}

function isFailure(label: string): boolean {
  return FAILURES.has(normaliseLabel(label))
}

/** Returns the edge whose target comes first alphabetically, then first in the file. */
function first(edges: readonly TypedEdge[]): TypedEdge {
  return edges.reduce((best, edge) => (edge.edge.to < best.edge.to ? edge : best))
}

/** Returns the open edges with conditions. A partial success counts as a success if no edge tests for it (reference pipeline 3.3). */
function openIn(edges: readonly TypedEdge[], scope: ConditionScope): TypedEdge[] {
  const as = (outcome: string): TypedEdge[] => {
    const given = outcome === scope.outcome ? scope : { ...scope, outcome }
    return edges.filter(({ condition }) => condition !== undefined && evaluateCondition(condition, given))
  }
  if (scope.outcome !== 'partial_success') return as(scope.outcome)
  const exact = as('partial_success')
  const named = exact.filter(({ condition }) => condition?.text.includes('partial_success') === true)
  if (named.length > 0) return named
  const asSuccess = as('success')
  return asSuccess.length > 0 ? asSuccess : exact
}

/** True if an edge is disabled on purpose by a comparison of two literals, such as `0=1`. */
function isSwitchedOff(condition: Condition | undefined): boolean {
  return condition?.clauses.some(({ key, operator }) => operator !== undefined && numberIn(key) !== undefined) === true
}
