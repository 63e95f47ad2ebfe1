import { quote } from '../../../text/index.ts'
import type { JsonObject } from '../../../kernel/index.ts'
import { addToGroup } from '../model/key-flow.ts'
import { intersectAll, ANY, type Claim, describeClaim, hasValue, simplestClaim } from './claim.ts'
import { type Condition, isDecided } from './condition.ts'
import { type Claims, intersectClaims } from './demand.ts'
import { type Finding, trailText, type Undecidable } from './finding.ts'
import type { Prover } from './prover.ts'
import type { Trail } from './search.ts'
import type { Arc, Layout, ProofNode } from './layout.ts'
import { meantValue, neverEqual } from './refused-values.ts'

/** The limit of states without an open edge that are checked for one node. */
const MOST_STATES = 512
/** The limit of keys of a state that are simplified and shown; the other keys stay as found. */
const MOST_SIMPLE = 12

/**
 * Returns the findings about guards: nodes that can only be reached over edges that are never open, edges that no state opens,
 * and nodes that some state leaves without an open edge (seed workflow 6.3). Nodes and edges after an unreachable node are not
 * reported: they are the same mistake.
 */
export function fanoutFindings(prover: Prover, layout: Layout): { findings: Finding[]; undecided: Undecidable[] } {
  const found = { findings: [] as Finding[], undecided: [] as Undecidable[] }
  const reached = layout.nodes.map(
    (proofNode, place) => proofNode.isLinked && prover.reaches(layout, place, new Map(), 'allowed').verdict !== 'no',
  )
  for (const [place, proofNode] of layout.nodes.entries()) {
    if (reached[place] !== true) {
      if (!proofNode.isLinked && layout.graph.incoming(proofNode.id).length === 0) found.findings.push(unreachableNode(layout, proofNode))
      if (proofNode.isLinked && proofNode.incoming.some(({ from }) => reached[from] === true))
        found.findings.push(closedNode(layout, proofNode))
      continue
    }
    for (const arc of proofNode.outgoing) {
      if (reached[arc.to] === true && !canOpen(prover, layout, place, arc)) found.findings.push(deadEdge(layout, proofNode, arc))
    }
    const answer = checkOpenEdge(prover, layout, place, proofNode)
    if ('why' in answer) found.undecided.push(answer)
    else if ('rule' in answer) found.findings.push(answer)
  }
  return found
}

function unreachableNode({ workflow }: Layout, { id }: ProofNode): Finding {
  return {
    rule: 'UNREACHABLE_NODE',
    nodeId: id,
    key: '',
    message: `node ${quote(id)} cannot be reached`,
    path: ['nodes', id],
    part: 'key',
    note: `no edge leads here from ${quote(workflow.entry)}`,
    fix: 'add an edge that leads to it, or remove it',
    structural: true,
  }
}

function closedNode(layout: Layout, { id, incoming }: ProofNode): Finding {
  const [only] = incoming
  const why = only === undefined ? undefined : neverReason(layout, only)
  const names = incoming
    .slice(0, 3)
    .map(({ edge }) => quote(edge.id))
    .join(', ')
  return {
    rule: 'UNREACHABLE_NODE',
    nodeId: id,
    key: '',
    message: `node ${quote(id)} cannot be reached`,
    path: ['nodes', id],
    part: 'key',
    note:
      incoming.length === 1
        ? `its one edge, ${names}, is never open${why === undefined ? '' : `: ${why}`}`
        : `none of its edges is ever open: ${names}${incoming.length > 3 ? ', …' : ''}`,
    fix: 'correct the guards of the edges that lead to it, or remove it',
  }
}

function canOpen(prover: Prover, layout: Layout, place: number, { edge }: Arc): boolean {
  if (edge.guard === undefined) return true
  const condition = layout.condition(edge)
  if (!isDecided(condition)) return true
  return condition.open.some((claims) => {
    const possible = intersectClaims(new Map(), claims, layout.domain)
    return possible !== undefined && prover.reaches(layout, place, possible, 'allowed').verdict !== 'no'
  })
}

/** Returns the reason why a guard never passes, if the schema of its key alone shows it. */
function neverReason(layout: Layout, { edge: { guard } }: Arc): string | undefined {
  return guard?.type === 'equals' ? neverEqual(layout, guard.key, guard.value) : undefined
}

function deadEdge(layout: Layout, { id }: ProofNode, arc: Arc): Finding {
  const { edge, index } = arc
  const { guard } = edge
  const key = guard !== undefined && 'key' in guard ? guard.key : ''
  return {
    rule: 'DEAD_EDGE',
    nodeId: id,
    key,
    message: `edge ${quote(edge.id)} is never open`,
    path: [
      'edges',
      index,
      'guard',
      guard?.type === 'cel' ? 'expr' : guard?.type === 'exists' || guard?.type === 'not-exists' ? 'key' : 'value',
    ],
    note:
      neverReason(layout, arc) ??
      (key === '' ? 'it is false in every state that the board can have here' : `${quote(key)} never has this state at ${quote(id)}`),
    guess: () => (guard?.type === 'equals' ? meantValue(layout, guard.key, guard.value) : undefined),
    fix: 'correct the guard, write the value that it needs at an earlier node, declare the key as an inherited input, or remove the edge',
  }
}

type OpenEdgeCheck = Finding | Undecidable | { readonly ok: true }

/** Returns a finding if some reachable state of a node has no open edge. */
function checkOpenEdge(prover: Prover, layout: Layout, place: number, proofNode: ProofNode): OpenEdgeCheck {
  if (proofNode.outgoing.every(({ edge }) => edge.guard === undefined)) return { ok: true }
  const conditions = proofNode.outgoing.map(({ edge }) => layout.condition(edge))
  const failing = proofNode.outgoing.flatMap((arc, i) => failureClaims(conditions[i]).map((claims) => ({ arc, claims })))
  let isUncertain = false
  for (const { arc, claims } of failing) {
    const answer = prover.reaches(layout, place, claims, 'shown')
    if (answer.verdict === 'yes') return noOpenEdge(prover, layout, place, claims, answer.trail, arc)
    isUncertain ||= answer.verdict === 'unsure'
  }
  const shut = allClosedStates(
    conditions.filter((condition) => condition !== undefined && isDecided(condition)),
    layout,
  )
  if (shut === undefined) return { nodeId: proofNode.id, why: 'its guards have too many states to try' }
  if (shut.length > 0) {
    const open = conditions.find((condition) => !isDecided(condition))
    if (open !== undefined && !isDecided(open))
      return proofNode.outgoing.length < 2 ? { ok: true } : { nodeId: proofNode.id, why: open.why }
  }
  for (const claims of shut) {
    const answer = prover.reaches(layout, place, claims, 'shown')
    if (answer.verdict === 'yes') return noOpenEdge(prover, layout, place, claims, answer.trail)
    isUncertain ||= answer.verdict === 'unsure'
  }
  return isUncertain ? { nodeId: proofNode.id, why: 'an earlier node writes unknown keys' } : { ok: true }
}

function failureClaims(condition: Condition | object | undefined): readonly Claims[] {
  return condition !== undefined && 'fails' in condition ? condition.fails : []
}

/** Returns the states in which all edges are closed; undefined if there are too many. */
function allClosedStates(conditions: readonly Condition[], layout: Layout): readonly Claims[] | undefined {
  if (conditions.some(({ shut }) => shut.length === 0)) return []
  const single = singleClaims(conditions, layout)
  if (single === undefined) return []
  let states: Claims[] = [single]
  for (const { shut } of conditions) {
    if (shut.length < 2) continue
    if (states.length * shut.length > MOST_STATES * 8) return undefined
    states = states.flatMap((state) => shut.flatMap((claims) => intersectClaims(state, claims, layout.domain) ?? []))
    if (states.length === 0) return states
    if (states.length > MOST_STATES) return undefined
  }
  return states
}

/** Returns the intersection of the conditions that have only one closed state; undefined if it is empty. */
function singleClaims(conditions: readonly Condition[], layout: Layout): Claims | undefined {
  const byKey = new Map<string, Claim[]>()
  for (const { shut } of conditions) {
    const [claims, another] = shut
    if (claims !== undefined && another === undefined) for (const [key, claim] of claims) addToGroup(byKey, key, claim)
  }
  return intersectClaims(new Map(), new Map(Array.from(byKey, ([key, claims]) => [key, intersectAll(claims)])), layout.domain)
}

function noOpenEdge(prover: Prover, layout: Layout, place: number, claims: Claims, trail: Trail, failed?: Arc): Finding {
  const { id } = layout.nodes[place] ?? { id: '' }
  const state = simplify(prover, layout, place, claims, trail)
  const reported = [...state.claims].slice(0, MOST_SIMPLE)
  const more = state.claims.size - reported.length
  const words = reported.map(([key, claim]) => describeClaim(key, claim)).join(' and ') + (more > 0 ? `, and ${more} more` : '')
  const [first = ''] = state.claims.keys()
  return {
    rule: 'NO_VALID_EDGE',
    onSomePaths: true,
    nodeId: id,
    key: first,
    message: `node ${quote(id)} has no open edge when ${words}`,
    path: failed === undefined ? ['nodes', id] : ['edges', failed.index, 'guard', 'expr'],
    ...(failed === undefined ? { part: 'key' as const } : {}),
    note:
      failed === undefined
        ? `on the path ${trailText(layout, state.trail)}`
        : `fails in this state, on the path ${trailText(layout, state.trail)}`,
    fix: reported.some(([, { absent }]) => absent)
      ? 'add an edge for this state, or one without a guard; if a caller always gives the key, declare it as an input with "required" and "inherited"'
      : 'add an edge for this state, or one without a guard',
    data: { state: stateOf(reported) },
  }
}

/** Returns one of the claimed states that a run can reach, as simple as possible. */
function simplify(prover: Prover, layout: Layout, place: number, claims: Claims, trail: Trail): { claims: Claims; trail: Trail } {
  let state = { claims, trail }
  for (const key of [...claims.keys()].slice(0, MOST_SIMPLE)) {
    const claim = state.claims.get(key) ?? ANY
    for (const simple of simplerClaims(claim)) {
      const answer = prover.reaches(layout, place, new Map([...state.claims, [key, simple]]), 'shown')
      if (answer.verdict !== 'yes') continue
      state = { claims: new Map([...state.claims, [key, simple]]), trail: answer.trail }
      break
    }
  }
  return state
}

function simplerClaims(claim: Claim): Claim[] {
  const first = simplestClaim(claim)
  const values = [...claim.values.values()].slice(0, 8)
  const single = claim.isListed
    ? values.map((value) => simplestClaim({ absent: false, isListed: true, values: new Map([[JSON.stringify(value), value]]) }))
    : []
  return [
    first,
    ...single,
    ...(claim.absent ? [simplestClaim({ ...claim, isListed: true, values: new Map() })] : []),
    ...(hasValue(claim) ? [{ ...claim, absent: false }] : []),
  ]
}

/** Returns a state as data: a value, `{absent: true}`, or `{not: [values]}`. */
function stateOf(claims: readonly (readonly [string, Claim])[]): JsonObject {
  const reported = claims.map(([key, { isListed, values }]): [string, JsonObject] => {
    const [value] = values.values()
    return [key, !isListed ? { not: [...values.values()] } : value === undefined ? { absent: true } : { value }]
  })
  return Object.fromEntries(reported)
}
