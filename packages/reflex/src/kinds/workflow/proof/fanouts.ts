import { quote } from '../../../text/index.ts'
import type { JsonObject } from '../../../kernel/journal/json.ts'
import { add } from '../key-flow.ts'
import { allOf, ANY, type Claim, claimInWords, hasValue, simplest } from './claim.ts'
import { type Condition, isDecided } from './condition.ts'
import { type Claims, meet } from './demand.ts'
import { type Finding, trailText, type Undecidable } from './finding.ts'
import type { Prover } from './prover.ts'
import type { Trail } from './search.ts'
import type { Arc, Sheet, Stop } from './sheet.ts'
import { meantValue, neverEqual } from './values.ts'

/** States without an open edge that one node is asked about. */
const MOST_STATES = 512
/** Keys of a state that are made as simple as can be; the rest is told as it was found. */
const MOST_SIMPLE = 12

/**
 * What the guards of a workflow leave no way for: nodes behind edges that are never open, edges that no state opens, and
 * nodes that some state leaves without an open edge (seed workflow 6.3). Nodes and edges behind a node that cannot be
 * reached are the same mistake and are not mentioned.
 */
export function fanoutFindings(prover: Prover, sheet: Sheet): { findings: Finding[]; undecided: Undecidable[] } {
  const found = { findings: [] as Finding[], undecided: [] as Undecidable[] }
  const reached = sheet.stops.map((stop, place) => stop.linked && prover.reaches(sheet, place, new Map(), 'allowed').verdict !== 'no')
  for (const [place, stop] of sheet.stops.entries()) {
    if (reached[place] !== true) {
      if (!stop.linked && sheet.graph.incoming(stop.id).length === 0) found.findings.push(lostNode(sheet, stop))
      if (stop.linked && stop.arriving.some(({ from }) => reached[from] === true)) found.findings.push(closedNode(sheet, stop))
      continue
    }
    for (const arc of stop.leaving) {
      if (reached[arc.to] === true && !opens(prover, sheet, place, arc)) found.findings.push(deadEdge(sheet, stop, arc))
    }
    const answer = wayOut(prover, sheet, place, stop)
    if ('why' in answer) found.undecided.push(answer)
    else if ('rule' in answer) found.findings.push(answer)
  }
  return found
}

function lostNode({ workflow }: Sheet, { id }: Stop): Finding {
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

function closedNode(sheet: Sheet, { id, arriving }: Stop): Finding {
  const [only] = arriving
  const why = only === undefined ? undefined : whyNever(sheet, only)
  const names = arriving
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
      arriving.length === 1
        ? `its one edge, ${names}, is never open${why === undefined ? '' : `: ${why}`}`
        : `none of its edges is ever open: ${names}${arriving.length > 3 ? ', …' : ''}`,
    fix: 'correct the guards of the edges that lead to it, or remove it',
  }
}

function opens(prover: Prover, sheet: Sheet, place: number, { edge }: Arc): boolean {
  if (edge.guard === undefined) return true
  const condition = sheet.condition(edge)
  if (!isDecided(condition)) return true
  return condition.open.some((claims) => {
    const possible = meet(new Map(), claims, sheet.domain)
    return possible !== undefined && prover.reaches(sheet, place, possible, 'allowed').verdict !== 'no'
  })
}

/** Why a guard never passes, where the schema of its key alone says so. */
function whyNever(sheet: Sheet, { edge: { guard } }: Arc): string | undefined {
  return guard?.type === 'equals' ? neverEqual(sheet, guard.key, guard.value) : undefined
}

function deadEdge(sheet: Sheet, { id }: Stop, arc: Arc): Finding {
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
      whyNever(sheet, arc) ?? (key === '' ? 'true in no state that the board can have here' : `${quote(key)} is never so at ${quote(id)}`),
    guess: () => (guard?.type === 'equals' ? meantValue(sheet, guard.key, guard.value) : undefined),
    fix: 'correct the guard, write what it asks for at a node before, declare the key as an inherited input, or remove the edge',
  }
}

type WayOut = Finding | Undecidable | { readonly ok: true }

/** Whether each state that a run can bring to a node leaves it an open edge. */
function wayOut(prover: Prover, sheet: Sheet, place: number, stop: Stop): WayOut {
  if (stop.leaving.every(({ edge }) => edge.guard === undefined)) return { ok: true }
  const conditions = stop.leaving.map(({ edge }) => sheet.condition(edge))
  const failing = stop.leaving.flatMap((arc, i) => failuresOf(conditions[i]).map((claims) => ({ arc, claims })))
  let unsure = false
  for (const { arc, claims } of failing) {
    const answer = prover.reaches(sheet, place, claims, 'shown')
    if (answer.verdict === 'yes') return stuck(prover, sheet, place, claims, answer.trail, arc)
    unsure ||= answer.verdict === 'unsure'
  }
  const shut = shutTogether(
    conditions.filter((condition) => condition !== undefined && isDecided(condition)),
    sheet,
  )
  if (shut === undefined) return { nodeId: stop.id, why: 'its guards have too many states to try' }
  if (shut.length > 0) {
    const open = conditions.find((condition) => !isDecided(condition))
    if (open !== undefined && !isDecided(open)) return stop.leaving.length < 2 ? { ok: true } : { nodeId: stop.id, why: open.why }
  }
  for (const claims of shut) {
    const answer = prover.reaches(sheet, place, claims, 'shown')
    if (answer.verdict === 'yes') return stuck(prover, sheet, place, claims, answer.trail)
    unsure ||= answer.verdict === 'unsure'
  }
  return unsure ? { nodeId: stop.id, why: 'what is written before it is not known' } : { ok: true }
}

function failuresOf(condition: Condition | object | undefined): readonly Claims[] {
  return condition !== undefined && 'fails' in condition ? condition.fails : []
}

/** The states in which all edges are closed; undefined where they are too many. */
function shutTogether(conditions: readonly Condition[], sheet: Sheet): readonly Claims[] | undefined {
  if (conditions.some(({ shut }) => shut.length === 0)) return []
  const single = singleClaims(conditions, sheet)
  if (single === undefined) return []
  let states: Claims[] = [single]
  for (const { shut } of conditions) {
    if (shut.length < 2) continue
    if (states.length * shut.length > MOST_STATES * 8) return undefined
    states = states.flatMap((state) => shut.flatMap((claims) => meet(state, claims, sheet.domain) ?? []))
    if (states.length === 0) return states
    if (states.length > MOST_STATES) return undefined
  }
  return states
}

/** What the conditions that leave no choice ask together; undefined where that cannot be. */
function singleClaims(conditions: readonly Condition[], sheet: Sheet): Claims | undefined {
  const byKey = new Map<string, Claim[]>()
  for (const { shut } of conditions) {
    const [claims, another] = shut
    if (claims !== undefined && another === undefined) for (const [key, claim] of claims) add(byKey, key, claim)
  }
  return meet(new Map(), new Map(Array.from(byKey, ([key, claims]) => [key, allOf(claims)])), sheet.domain)
}

function stuck(prover: Prover, sheet: Sheet, place: number, claims: Claims, trail: Trail, failed?: Arc): Finding {
  const { id } = sheet.stops[place] ?? { id: '' }
  const shown = simplified(prover, sheet, place, claims, trail)
  const told = [...shown.claims].slice(0, MOST_SIMPLE)
  const more = shown.claims.size - told.length
  const words = told.map(([key, claim]) => claimInWords(key, claim)).join(' and ') + (more > 0 ? `, and ${more} more` : '')
  const [first = ''] = shown.claims.keys()
  return {
    rule: 'NO_VALID_EDGE',
    onSomePaths: true,
    nodeId: id,
    key: first,
    message: `node ${quote(id)} has no open edge when ${words}`,
    path: failed === undefined ? ['nodes', id] : ['edges', failed.index, 'guard', 'expr'],
    ...(failed === undefined ? { part: 'key' as const } : {}),
    note: failed === undefined ? `on the way ${trailText(sheet, shown.trail)}` : `fails then, on the way ${trailText(sheet, shown.trail)}`,
    fix: told.some(([, { absent }]) => absent)
      ? 'add an edge for this state, or one without a guard; if a caller always gives the key, declare it as an input with "required" and "inherited"'
      : 'add an edge for this state, or one without a guard',
    data: { state: stateOf(told) },
  }
}

/** One state among those claimed that a run can bring, as simple as can be. */
function simplified(prover: Prover, sheet: Sheet, place: number, claims: Claims, trail: Trail): { claims: Claims; trail: Trail } {
  let shown = { claims, trail }
  for (const key of [...claims.keys()].slice(0, MOST_SIMPLE)) {
    const claim = shown.claims.get(key) ?? ANY
    for (const simple of choices(claim)) {
      const answer = prover.reaches(sheet, place, new Map([...shown.claims, [key, simple]]), 'shown')
      if (answer.verdict !== 'yes') continue
      shown = { claims: new Map([...shown.claims, [key, simple]]), trail: answer.trail }
      break
    }
  }
  return shown
}

function choices(claim: Claim): Claim[] {
  const first = simplest(claim)
  const values = [...claim.values.values()].slice(0, 8)
  const single = claim.only
    ? values.map((value) => simplest({ absent: false, only: true, values: new Map([[JSON.stringify(value), value]]) }))
    : []
  return [
    first,
    ...single,
    ...(claim.absent ? [simplest({ ...claim, only: true, values: new Map() })] : []),
    ...(hasValue(claim) ? [{ ...claim, absent: false }] : []),
  ]
}

/** A state as data: a value, `{absent: true}`, or `{not: [values]}`. */
function stateOf(claims: readonly (readonly [string, Claim])[]): JsonObject {
  const told = claims.map(([key, { only, values }]): [string, JsonObject] => {
    const [value] = values.values()
    return [key, !only ? { not: [...values.values()] } : value === undefined ? { absent: true } : { value }]
  })
  return Object.fromEntries(told)
}
