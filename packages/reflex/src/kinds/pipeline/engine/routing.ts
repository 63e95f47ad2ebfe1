import type { Json, JsonObject } from '../../../kernel/index.ts'
import { quote } from '../../../text/index.ts'
import { isOn, textOf, type DotGraph } from '../dot/graph.ts'
import type { TypedEdge, TypedNode } from '../model/typed.ts'
import type { Outcome } from '../contract/outcome.ts'
import { mentionsOutcome } from '../language/condition.ts'
import { evaluateCondition, explainCondition, incomparableClauses, type ConditionScope } from '../language/condition-evaluate.ts'
import { normaliseLabel } from '../language/edge-labels.ts'
import type { ReadKey } from '../language/look-up.ts'

/** The parts of a compiled pipeline that routing reads. */
export interface Routes {
  readonly graph: DotGraph
  readonly nodes: ReadonlyMap<string, Pick<TypedNode, 'canonical' | 'node'>>
  readonly outgoing: ReadonlyMap<string, readonly TypedEdge[]>
}

/**
 * The facts that decide the edge from a node. Nothing else counts: the same request gives the same route, also in a
 * replay.
 */
export interface RouteRequest {
  readonly typed: Routes
  readonly node: string
  /** The outcome of the node; for a branch node, of the last stage before it (reference pipeline 3.4). */
  readonly outcome: Outcome
  /** Reads a key of the context as it is stored. */
  readonly get: ReadKey
  /** Returns the origin of the value of a key, such as `@6`, for explanations. */
  readonly from?: ((key: string) => string | undefined) | undefined
}

/** The rules by which a route is found, in order (reference pipeline 3.3, 3.4). */
export type RouteStep =
  | 'join'
  | 'chosen'
  | 'condition'
  | 'label'
  | 'suggested'
  | 'unconditional'
  | 'fail_label'
  | 'retry_target'
  | 'fallback_retry_target'
  | 'check'
  | 'graph_retry_target'
  | 'graph_fallback_retry_target'
  | 'lenient'

/** The next node, and the reason for it. */
export interface Route {
  readonly to: string
  readonly step: RouteStep
  /** The edge that is followed; undefined for a join or a jump. */
  readonly edge?: TypedEdge | undefined
  /** True for a return to a retry target, which is limited (reference pipeline 3.11). */
  readonly jump?: true
  /** True if the edge's condition was true. */
  readonly conditional?: true
  /** The reason in words. */
  readonly reason: string
  /** The other open edges and the closed ones, as data for a record; undefined if there are none. */
  readonly seen?: JsonObject | undefined
}

/**
 * Returns the route of an outcome that is not a failure (reference pipeline 3.3); undefined at a dead end. An edge with
 * a false condition is never followed, even if there is no other edge.
 */
export function selectEdge(request: RouteRequest): Route | undefined {
  const { typed, node, outcome } = request
  const edges = edgesOf(request)
  if (outcome.join !== undefined && typed.nodes.get(node)?.canonical === 'parallel' && typed.nodes.has(outcome.join)) {
    return { to: outcome.join, step: 'join', reason: 'its branches join there' }
  }
  const chosen = outcome.edge === undefined ? undefined : edges.find(({ edge }) => edge.index === outcome.edge)
  if (chosen !== undefined) return routeAlong(request, chosen, 'chosen', 'it was chosen', edges)
  const open = openEdges(request, edges)
  const best = heaviest(open)
  if (best !== undefined) return routeAlong(request, best, 'condition', whyOpen(request, best), open)
  const free = edges.filter(({ condition }) => condition === undefined)
  return byLabel(request, free) ?? bySuggestion(request, free) ?? byWeight(request, free)
}

/**
 * Returns the route of a failure (reference pipeline 3.4, F1 to F6); undefined if the run ends as failed. False
 * conditions do not prevent the later rules.
 */
export function routeFailure(request: RouteRequest): Route | undefined {
  const { typed, node } = request
  const edges = edgesOf(request)
  const open = edges.filter((edge) => isOpen(edge, scopeOf(request)))
  const best = heaviest(open)
  if (best !== undefined) return routeAlong(request, best, 'condition', why(request, best), open)
  const free = edges.filter(({ condition }) => condition === undefined)
  const labelled = free.filter(({ label }) => FAILURES.has(normaliseLabel(label)))
  const failing = heaviest(labelled)
  if (failing !== undefined) return routeAlong(request, failing, 'fail_label', `its label is ${quote(failing.label)}`, labelled)
  const attributes = typed.nodes.get(node)?.node.attributes ?? new Map()
  const target = jumpTo(request, 'retry_target', textOf(attributes, 'retry_target'))
  const fallback = jumpTo(request, 'fallback_retry_target', textOf(attributes, 'fallback_retry_target'))
  return target ?? fallback ?? throughCheck(request, free) ?? asGoalGate(request, isOn(attributes, 'goal_gate'))
}

/** Returns the closed edges of a node, each with the values that its condition read. */
export function closedEdges(request: RouteRequest): { readonly edge: TypedEdge; readonly why: string }[] {
  const scope = scopeOf(request)
  const closed = edgesOf(request).filter((edge) => edge.condition !== undefined && !isOpen(edge, scope))
  return closed.map((edge) => ({ edge, why: why(request, edge) }))
}

/** The labels of edges that are for failures (reference pipeline 3.4, F2). */
const FAILURES = new Set(['fail', 'failed', 'failure', 'error'])

/** Returns the edges whose condition is true; a partial success counts as a success unless an edge names it. */
function openEdges(request: RouteRequest, edges: readonly TypedEdge[]): TypedEdge[] {
  if (edges.every(({ condition }) => condition === undefined)) return []
  const scope = scopeOf(request)
  const exactly = edges.filter((edge) => isOpen(edge, scope))
  if (request.outcome.status !== 'partial_success') return exactly
  const named = exactly.filter(({ condition }) => condition?.text.includes('partial_success') === true)
  if (named.length > 0) return named
  const asSuccess = edges.filter((edge) => isOpen(edge, { ...scope, outcome: 'success' }))
  return asSuccess.length > 0 ? asSuccess : exactly
}

function byLabel(request: RouteRequest, free: readonly TypedEdge[]): Route | undefined {
  const { preferred_label: preferred = '' } = request.outcome
  const label = normaliseLabel(preferred)
  const edge = label === '' ? undefined : free.find((one) => normaliseLabel(one.label) === label)
  return edge === undefined ? undefined : routeAlong(request, edge, 'label', `label ${quote(preferred)} was preferred`, free)
}

function bySuggestion(request: RouteRequest, free: readonly TypedEdge[]): Route | undefined {
  for (const id of request.outcome.suggested_next_ids ?? []) {
    const edge = free.find((one) => one.edge.to === id)
    if (edge !== undefined) return routeAlong(request, edge, 'suggested', `${quote(id)} was suggested`, free)
  }
  return undefined
}

function byWeight(request: RouteRequest, free: readonly TypedEdge[]): Route | undefined {
  const { status } = request.outcome
  const best = heaviest(free, (label) => (label === status ? 0 : status !== 'fail' && FAILURES.has(label) ? 2 : 1))
  if (best === undefined) return undefined
  const rivals = free.filter((one) => one !== best)
  return routeAlong(request, best, 'unconditional', rivals.length === 0 ? 'no condition' : weightReason(best, rivals, status), free)
}

function weightReason(best: TypedEdge, rivals: readonly TypedEdge[], status: string): string {
  const equal = rivals.filter(({ weight }) => weight === best.weight)
  if (equal.length === 0) return `weight ${best.weight} is the highest`
  if (normaliseLabel(best.label) === status) return `its label is ${quote(best.label)}`
  const plain = equal.filter(({ label }) => !FAILURES.has(normaliseLabel(label)))
  return plain.length === 0 ? 'the others are for failures' : 'first by name'
}

/**
 * Returns the route through a diamond behind the node that reads its outcome: the diamond itself, or the next in a
 * chain of them (reference pipeline 3.4, F5).
 */
function throughCheck(request: RouteRequest, free: readonly TypedEdge[]): Route | undefined {
  const checks = free.filter(({ edge }) => catchesFailure(request, edge.to))
  const best = heaviest(checks)
  return best === undefined ? undefined : routeAlong(request, best, 'check', `${quote(best.edge.to)} asks for the outcome`, checks)
}

function catchesFailure(request: RouteRequest, first: string): boolean {
  const { preferred_label } = request.outcome
  const outcome: Outcome = { status: 'fail', ...(preferred_label === undefined ? {} : { preferred_label }) }
  const visited = new Set<string>()
  let id: string | undefined = first
  while (id !== undefined && !visited.has(id) && request.typed.nodes.get(id)?.canonical === 'branch') {
    visited.add(id)
    const at: RouteRequest = { ...request, node: id, outcome }
    const asks = edgesOf(at).filter(({ condition }) => condition !== undefined && mentionsOutcome(condition))
    if (asks.some((edge) => isOpen(edge, scopeOf(at)))) return true
    id = selectEdge(at)?.to
  }
  return false
}

/**
 * Returns the unconditional edge that a failure follows if nothing catches it and the operator allows it: the edge that
 * a success would follow.
 */
export function routeLeniently(request: RouteRequest): Route | undefined {
  const free = edgesOf(request).filter(({ condition }) => condition === undefined)
  const best = byLabel(request, free) ?? bySuggestion(request, free) ?? byWeight(request, free)
  return best === undefined ? undefined : { ...best, step: 'lenient', reason: `nothing catches the failure; ${best.reason}` }
}

function asGoalGate(request: RouteRequest, isGate: boolean): Route | undefined {
  if (!isGate) return undefined
  const { attributes } = request.typed.graph
  const target = jumpTo(request, 'graph_retry_target', textOf(attributes, 'retry_target'))
  return target ?? jumpTo(request, 'graph_fallback_retry_target', textOf(attributes, 'fallback_retry_target'))
}

function jumpTo(request: RouteRequest, step: RouteStep, to: string | undefined): Route | undefined {
  if (to === undefined || !request.typed.nodes.has(to)) return undefined
  const name = step.replace('graph_', '')
  return {
    to,
    step,
    jump: true,
    reason: step === name ? `its ${name}` : `the ${name} of the pipeline`,
    seen: seenIn(request, undefined, []),
  }
}

function routeAlong(request: RouteRequest, edge: TypedEdge, step: RouteStep, reason: string, candidates: readonly TypedEdge[]): Route {
  const conditional = step === 'condition' ? { conditional: true as const } : {}
  return { to: edge.edge.to, step, edge, ...conditional, reason, seen: seenIn(request, edge, candidates) }
}

/** Returns the other edges by their indexes: an id does not distinguish two edges to one node. */
function seenIn(request: RouteRequest, taken: TypedEdge | undefined, candidates: readonly TypedEdge[]): JsonObject | undefined {
  // The only edge of a node has no others beside it.
  if (taken !== undefined && edgesOf(request).length === 1) return undefined
  const seen: Record<string, Json> = {}
  const scope = scopeOf(request)
  const open = candidates.filter((edge) => edge !== taken).map(({ edge }) => edge.index)
  const closed = closedEdges(request).filter(({ edge }) => edge !== taken && !candidates.includes(edge))
  const odd = closed.filter(({ edge: { condition } }) => condition !== undefined && incomparableClauses(condition, scope).length > 0)
  if (open.length > 0) seen.open = open
  if (closed.length > 0) seen.closed = closed.map(({ edge, why: reason }) => [edge.edge.index, reason])
  if (odd.length > 0) seen.incomparable = odd.map(({ edge }) => edge.edge.index)
  return Object.keys(seen).length === 0 ? undefined : seen
}

/**
 * Returns the first edge by weight, then by the rank of its label, then by target and declaration (reference pipeline
 * 3.3).
 */
function heaviest(edges: readonly TypedEdge[], rank: (label: string) => number = () => 1): TypedEdge | undefined {
  let best: TypedEdge | undefined
  for (const edge of edges) if (best === undefined || isBefore(edge, best, rank)) best = edge
  return best
}

function isBefore(edge: TypedEdge, other: TypedEdge, rank: (label: string) => number): boolean {
  if (edge.weight !== other.weight) return edge.weight > other.weight
  const ranks = rank(normaliseLabel(edge.label)) - rank(normaliseLabel(other.label))
  return ranks === 0 ? edge.edge.to < other.edge.to : ranks < 0
}

function edgesOf({ typed, node }: RouteRequest): readonly TypedEdge[] {
  return typed.outgoing.get(node) ?? []
}

function scopeOf({ outcome, get }: RouteRequest): ConditionScope {
  return { outcome: outcome.status, preferredLabel: outcome.preferred_label, get }
}

function isOpen({ condition }: TypedEdge, scope: ConditionScope): boolean {
  return condition !== undefined && evaluateCondition(condition, scope)
}

function why(request: RouteRequest, { condition }: TypedEdge): string {
  return condition === undefined ? 'no condition' : explainCondition(condition, scopeOf(request), request.from)
}

/** Returns the condition of an edge that was followed; for a partial success it may only hold for a success. */
function whyOpen(request: RouteRequest, edge: TypedEdge): string {
  if (isOpen(edge, scopeOf(request))) return why(request, edge)
  return `a partial success counts: ${why({ ...request, outcome: { ...request.outcome, status: 'success' } }, edge)}`
}
