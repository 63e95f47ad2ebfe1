import { type Precondition, callPreconditions, type CalledLayouts } from './call-preconditions.ts'
import { ANY, intersect, type Claim, claimOf, PRESENT } from './claim.ts'
import { isDecided, type Undecided } from './condition.ts'
import {
  withClaims,
  demandBeforeUnknown,
  demandBeforeWrites,
  type Claims,
  type Demand,
  demandOf,
  demandKey,
  isEmptyDemand,
  missingKey,
} from './demand.ts'
import type { BoardWrite, KnownFlow, DecisionCase } from './flow.ts'
import { claimsToPass, requiredReads } from './claims-to-pass.ts'
import type { Arc, Layout, ProofNode } from './layout.ts'

/** A moment of a run, followed backwards: a node at its decision, and the demand at this moment. */
export interface Moment {
  readonly place: number
  readonly demand: Demand
  /** True if the node was only entered: its call has not been made. */
  readonly entered?: boolean
  /** True if the moment is reached only when a node with unknown writes does not write. */
  readonly isUncertain: boolean
  /** The moment after this one. */
  readonly next?: Moment
}

/** A path of nodes from the entry, in reverse order. */
export interface Trail {
  readonly place: number
  readonly before: Trail | undefined
}

/** The answer if a run can reach a moment, with the path. */
export type ReachAnswer = { readonly verdict: 'yes'; readonly trail: Trail } | { readonly verdict: 'no' | 'unsure' }

/**
 * `shown`: only cases that decisions can take according to the known facts, for findings that show a path. `allowed`: every case
 * that is not impossible, for findings that exclude every path.
 */
export type PathMode = 'shown' | 'allowed'

/** Returns the work that comparing a demand costs. */
function workOf({ claims }: Demand): number {
  let work = 1
  for (const { values } of claims.values()) work += 1 + values.size / 8
  return work
}

/** A queue of moments in the order of discovery, each once. */
class MomentQueue {
  readonly #known = new Map<string, Set<number>>()
  readonly #list: Moment[] = []
  #nextIndex = 0

  add(moment: Moment): void {
    const text = demandKey(moment.demand)
    const places = this.#known.get(text)
    const place = momentIndex(moment)
    if (places?.has(place) === true) return
    if (places === undefined) this.#known.set(text, new Set([place]))
    else places.add(place)
    this.#list.push(moment)
  }

  has(moment: Moment): boolean {
    return this.#known.get(demandKey(moment.demand))?.has(momentIndex(moment)) === true
  }

  next(): Moment | undefined {
    return this.#nextIndex < this.#list.length ? this.#list[this.#nextIndex++] : undefined
  }
}

/** Returns a number for a node at its decision, and a different one for a node that was only entered. */
function momentIndex({ place, entered }: Moment): number {
  return entered === true ? -1 - place : place
}

/**
 * Searches backwards from moments to the entry, over every edge whose guard can be open and every write that can have happened.
 * Each pair of a node and a demand is visited once, certain moments first. Only calls of other workflows recurse.
 */
export class Search {
  readonly #callees: CalledLayouts
  readonly #spend: (work: number) => boolean
  readonly #sheet: Layout
  readonly #mode: PathMode
  readonly #certain = new MomentQueue()
  readonly #uncertain = new MomentQueue()

  /** `spend` returns true if this much more work may be done. */
  constructor(callees: CalledLayouts, layout: Layout, mode: PathMode, spend: (work: number) => boolean) {
    this.#callees = callees
    this.#spend = spend
    this.#sheet = layout
    this.#mode = mode
  }

  /**
   * Returns true if the search is complete, false if the budget ran out. `visit` gets each moment and the demand when its node
   * is entered. It ends the search with `enough`, or returns the demand to search further back, or undefined for none.
   */
  run(starts: Iterable<Moment>, visit: (moment: Moment, demand: Demand, isUncertain: boolean) => Demand | 'enough' | undefined): boolean {
    for (const start of starts) this.#enqueue(start)
    for (;;) {
      const moment = this.#certain.next() ?? this.#uncertain.next()
      if (moment === undefined) return true
      if (!this.#spend(workOf(moment.demand))) return false
      for (const before of this.#entryPreconditions(moment)) {
        const left = visit(moment, before.demand, before.isUncertain)
        if (left === 'enough') return true
        if (left !== undefined) this.#stepBack(moment, left, before.isUncertain)
      }
    }
  }

  #enqueue(moment: Moment): void {
    if (!moment.isUncertain) this.#certain.add(moment)
    else if (!this.#certain.has(moment)) this.#uncertain.add(moment)
  }

  /** Returns the demands when the node is entered, before its call and before its writes while it waits. */
  #entryPreconditions({ place, demand, entered, isUncertain }: Moment): readonly Precondition[] {
    const proofNode = this.#sheet.nodes[place]
    if (proofNode === undefined) return []
    if (entered === true || (isEmptyDemand(demand) && proofNode.invokes === undefined)) return [{ demand, isUncertain }]
    const waited = proofNode.flow.mayWait ? this.#beforeWaiting(proofNode.flow, demand) : demand
    if (proofNode.invokes === undefined) return [{ demand: waited, isUncertain }]
    return callPreconditions(this.#callees, this.#sheet, proofNode.invokes, waited, this.#mode).map((before) => ({
      demand: before.demand,
      isUncertain: isUncertain || before.isUncertain,
    }))
  }

  #beforeWaiting(flow: KnownFlow, demand: Demand): Demand {
    const possibleWrites = flow.writes.map((write) => ({ ...write, isCertain: false }))
    const before = demandBeforeWrites(demand, possibleWrites, this.#sheet.domain) ?? demand
    return flow.writesAnyKey ? demandBeforeUnknown(before).demand : before
  }

  #stepBack(moment: Moment, demand: Demand, isUncertain: boolean): void {
    const proofNode = this.#sheet.nodes[moment.place]
    for (const arc of proofNode?.incoming ?? []) {
      const from = this.#sheet.nodes[arc.from]
      if (from?.isLinked !== true) continue
      for (const left of edgePreconditions(this.#sheet, from, arc, demand, this.#mode)) {
        this.#enqueue({ place: arc.from, demand: left.demand, isUncertain: isUncertain || left.isUncertain, next: moment })
      }
    }
  }
}

/** Returns the demands at the decision of a node, so that the demand is met after the node is left over an edge. */
function edgePreconditions(layout: Layout, proofNode: ProofNode, arc: Arc, demand: Demand, mode: PathMode): Precondition[] {
  const condition = layout.condition(arc.edge)
  const open = isDecided(condition) ? condition.open : [likelyClaims(condition, mode)]
  return decisionPreconditions(layout, proofNode, arc.edge.id, demand, mode).flatMap((before) =>
    open.flatMap((claims) => {
      const met = withClaims(before.demand, claims, layout.domain)
      return met === undefined ? [] : [{ demand: met, isUncertain: before.isUncertain }]
    }),
  )
}

/**
 * Returns the keys that an undecided edge probably needs. In mode `shown`, an expression that fails without a key is assumed not
 * to open its edge.
 */
function likelyClaims({ needs }: Undecided, mode: PathMode): Claims {
  return new Map(mode === 'shown' ? needs.map((key) => [key, PRESENT]) : [])
}

/** Returns the demands before a decision that takes an edge or, without an edge, ends the workflow. */
export function decisionPreconditions(
  layout: Layout,
  proofNode: ProofNode,
  edge: string | undefined,
  demand: Demand,
  mode: PathMode,
): Precondition[] {
  const { flow } = proofNode
  const shown = mode === 'shown'
  const cases = shown
    ? flow.cases.filter((decisionCase) => decisionCase.edge === undefined || decisionCase.edge === edge)
    : [combinedCase(flow)]
  return cases.flatMap((decisionCase) => {
    const before = demandBeforeWrites(demand, decisionCase.writes, layout.domain)
    const met =
      before === undefined
        ? undefined
        : withClaims(before, shown ? caseClaims(layout, decisionCase) : conditionClaims(decisionCase), layout.domain)
    const left = met === undefined ? undefined : demandBeforeWrites(met, flow.writes, layout.domain)
    const unknownWriter = left !== undefined && flow.writesAnyKey ? demandBeforeUnknown(left) : undefined
    const first = unknownWriter?.demand ?? left
    const all = first === undefined ? undefined : shown ? withClaims(first, claimsToPass(layout, proofNode), layout.domain) : first
    return all === undefined ? [] : [{ demand: all, isUncertain: unknownWriter?.isUncertain ?? false }]
  })
}

/**
 * Returns one case that may do what any of the cases does. Another agent than that of the spec may choose the edge, so writes
 * under conditions are not certain.
 */
function combinedCase({ cases }: KnownFlow): DecisionCase {
  const [only] = cases
  if (only !== undefined && cases.length === 1 && only.when.length === 0) return only
  const keys = new Set(cases.flatMap(({ writes }) => writes.map(({ key }) => key)))
  const isUnconditional = cases.every(({ when }) => when.length === 0)
  const writes = Array.from(keys, (key): BoardWrite => {
    const last = cases.map((decisionCase) => decisionCase.writes.findLast((write) => write.key === key))
    const values = last.flatMap((write) => (write === undefined ? [] : [write.values]))
    return {
      key,
      isCertain: isUnconditional && last.every((write) => write?.isCertain === true),
      values: values.some((some) => some === undefined) ? undefined : values.flatMap((some) => some ?? []),
    }
  })
  return { when: [], reads: [], writes }
}

const cachedClaims = new WeakMap<DecisionCase, Claims>()

/** Returns the claims under which a case is taken. Contradicting conditions result in a claim that no state fulfils. */
function conditionClaims(decisionCase: DecisionCase): Claims {
  const known = cachedClaims.get(decisionCase)
  if (known !== undefined) return known
  const claims = new Map<string, Claim>()
  for (const guard of decisionCase.when) claims.set(guard.key, intersect(claims.get(guard.key) ?? ANY, claimOf(guard)))
  cachedClaims.set(decisionCase, claims)
  return claims
}

/** Returns the claims of a case, including the presence of the keys that it requires. */
function caseClaims(layout: Layout, decisionCase: DecisionCase): Claims {
  const keys = requiredReads(layout, decisionCase.reads)
  if (keys.length === 0) return conditionClaims(decisionCase)
  const claims = new Map(conditionClaims(decisionCase))
  for (const key of keys) claims.set(key, intersect(claims.get(key) ?? ANY, PRESENT))
  return claims
}

/** Returns the demand at the decision of a node for a case to be taken with a key missing. */
export function demandWithMissing(layout: Layout, { flow }: ProofNode, decisionCase: DecisionCase, key: string): Demand | undefined {
  const met = withClaims(demandOf(missingKey(key)), conditionClaims(decisionCase), layout.domain)
  return met === undefined ? undefined : demandBeforeWrites(met, flow.writes, layout.domain)
}
