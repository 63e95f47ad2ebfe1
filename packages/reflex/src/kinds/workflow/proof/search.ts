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

/** A moment of a run, told backwards: the node that is decided at, and what must be so there. */
export interface Moment {
  readonly place: number
  readonly demand: Demand
  /** The node has only been entered: its call is still to come. */
  readonly entered?: boolean
  /** It holds only if somebody of whom nothing is known leaves something undone. */
  readonly isUncertain: boolean
  /** The moment after it. */
  readonly next?: Moment
}

/** Nodes from the entry on, told backwards. */
export interface Trail {
  readonly place: number
  readonly before: Trail | undefined
}

/** Whether a run can come to a moment, and how. */
export type ReachAnswer = { readonly verdict: 'yes'; readonly trail: Trail } | { readonly verdict: 'no' | 'unsure' }

/**
 * `shown`: only ways that decisions can take as far as is known, for findings that show one. `allowed`: every way that is
 * not impossible, for findings that say there is none.
 */
export type PathMode = 'shown' | 'allowed'

/** A demand costs what it takes to compare it. */
function workOf({ claims }: Demand): number {
  let work = 1
  for (const { values } of claims.values()) work += 1 + values.size / 8
  return work
}

/** Moments in the order in which they were found, each once. */
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

/** A number of its own for a node that is decided at, and for one that is entered. */
function momentIndex({ place, entered }: Moment): number {
  return entered === true ? -1 - place : place
}

/**
 * Goes back from moments to the entry, over every edge whose guard can be open and every write that can have happened.
 * Each pair of a node and a demand is visited once, those that are sure first. Nothing recurses but calls of other
 * workflows.
 */
export class Search {
  readonly #callees: CalledLayouts
  readonly #spend: (work: number) => boolean
  readonly #sheet: Layout
  readonly #mode: PathMode
  readonly #certain = new MomentQueue()
  readonly #uncertain = new MomentQueue()

  /** `spend` says whether so much more work may be done. */
  constructor(callees: CalledLayouts, layout: Layout, mode: PathMode, spend: (work: number) => boolean) {
    this.#callees = callees
    this.#spend = spend
    this.#sheet = layout
    this.#mode = mode
  }

  /**
   * Whether it went through everything: false when the budget ran out. `visit` gets each moment and what must be so when
   * its node is entered; it ends the search, says what is left to ask further back, or that nothing is.
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

  /** What must be so when the node is entered, before its call and before what it writes while it waits. */
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

/** What must be so when a node is decided at, so that the demand is met after it was left over an edge. */
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

/** An expression that fails where a key is not there is not taken to open its edge where a way is to be shown. */
function likelyClaims({ needs }: Undecided, mode: PathMode): Claims {
  return new Map(mode === 'shown' ? needs.map((key) => [key, PRESENT]) : [])
}

/** The same before a decision that takes an edge, or, without one, ends the workflow. */
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
 * One way that may do what any of them does. Rules may be chosen by, instead of by the agent that they are written for:
 * then what they write is not sure.
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

/** What must hold for a way to be taken; conditions that contradict each other ask for what never is. */
function conditionClaims(decisionCase: DecisionCase): Claims {
  const known = cachedClaims.get(decisionCase)
  if (known !== undefined) return known
  const claims = new Map<string, Claim>()
  for (const guard of decisionCase.when) claims.set(guard.key, intersect(claims.get(guard.key) ?? ANY, claimOf(guard)))
  cachedClaims.set(decisionCase, claims)
  return claims
}

/** The same, and that what the way cannot do without is there. */
function caseClaims(layout: Layout, decisionCase: DecisionCase): Claims {
  const keys = requiredReads(layout, decisionCase.reads)
  if (keys.length === 0) return conditionClaims(decisionCase)
  const claims = new Map(conditionClaims(decisionCase))
  for (const key of keys) claims.set(key, intersect(claims.get(key) ?? ANY, PRESENT))
  return claims
}

/** What must be so when a node is decided at, for a way of it to be taken with a key missing. */
export function demandWithMissing(layout: Layout, { flow }: ProofNode, decisionCase: DecisionCase, key: string): Demand | undefined {
  const met = withClaims(demandOf(missingKey(key)), conditionClaims(decisionCase), layout.domain)
  return met === undefined ? undefined : demandBeforeWrites(met, flow.writes, layout.domain)
}
