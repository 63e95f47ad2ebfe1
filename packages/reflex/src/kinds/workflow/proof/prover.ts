import { programRef } from '../compile.ts'
import type { Workflow } from '../types.ts'
import { type Precondition, type CalledLayouts, mayWrite } from './call-preconditions.ts'
import { intersect, isNever } from './claim.ts'
import type { Trial } from './condition.ts'
import { type Claims, type Demand, demandOf, demandKey, isEmptyDemand, NO_DEMAND } from './demand.ts'
import { readsOfGuard } from './guard-reads.ts'
import type { Effects } from './flow.ts'
import { type ReachAnswer, decisionPreconditions, type Moment, type PathMode, Search, type Trail } from './search.ts'
import { Layout, type ProofNode } from './layout.ts'

/** Finds the workflow that an id stands for, if it is known. */
export type Lookup = (workflowId: string) => Workflow | undefined

export interface ProverOptions {
  /** Finds the workflows that are called; without it calls are not looked into. */
  readonly lookup?: Lookup | undefined
  /** What those who decide read and write; without it, what nodes declare. */
  readonly effects?: Effects | undefined
  /** How much work all searches together may do: moments visited, and claims on them. */
  readonly work?: number | undefined
}

/** Less than a second. */
const MOST_WORK = 300_000
/** What one question may cost of it. */
const MOST_WORK_PER_SEARCH = 50_000
/** States of expressions that are tried. */
const MOST_STATES = 200_000
/** Calls inside calls that are looked into. */
const DEEPEST = 40
/** Different starts that lead to the same end; more are not told apart. */
const MOST_STARTS = 24

/** An answer under way, for calls that come back to it. */
interface EndAnswer {
  found: readonly Precondition[]
  /** How deep in calls it was asked for; undefined when it is known. */
  depth: number | undefined
}

/** Answers whether a run can come to a moment, across calls. All work is counted, so that it ends on any input. */
export class Prover implements CalledLayouts {
  readonly #lookup: Lookup
  readonly #effects: Effects | undefined
  readonly #trial: Trial
  readonly #layouts = new Map<string, Layout | undefined>()
  readonly #endings = new Map<Layout, Map<string, EndAnswer>>()
  readonly #writers = new Map<Layout, Map<string, boolean>>()
  readonly #reached = new Map<Layout, Record<PathMode, Map<number, Trail>>>()
  #work: number
  #depth = 0
  /** The outermost answer under way that the present one has come back to. */
  #outermostReturn = Number.POSITIVE_INFINITY

  constructor({ lookup, effects, work = MOST_WORK }: ProverOptions = {}) {
    this.#lookup = lookup ?? (() => undefined)
    this.#effects = effects
    this.#work = work
    let states = MOST_STATES
    this.#trial = { readsOf: readsOfGuard, spend: (count) => (states -= count) >= 0 }
  }

  /** A workflow laid out; one and the same for one id. */
  layout(workflow: Workflow): Layout {
    const name = programRef(workflow.id)
    const known = this.#layouts.get(name)
    if (known !== undefined) return known
    const layout = new Layout(workflow, this.#effects, this.#trial)
    this.#layouts.set(name, layout)
    return layout
  }

  layoutOf(workflowId: string): Layout | undefined {
    const name = programRef(workflowId)
    if (this.#layouts.has(name)) return this.#layouts.get(name)
    const workflow = this.#lookup(workflowId)
    if (workflow !== undefined) return this.layout(workflow)
    this.#layouts.set(name, undefined)
    return undefined
  }

  mayWrite(layout: Layout, key: string): boolean {
    let memo = this.#writers.get(layout)
    if (memo === undefined) this.#writers.set(layout, (memo = new Map<string, boolean>()))
    let canWrite = memo.get(key)
    if (canWrite === undefined) memo.set(key, (canWrite = mayWrite(this, layout, key)))
    return canWrite
  }

  /** Whether a run that starts by itself can be decided at a node with its board as claimed. */
  reaches(layout: Layout, place: number, claims: Claims, mode: PathMode): ReachAnswer {
    return this.reachesAny(layout, [{ place, demand: demandOf(claims), isUncertain: false }], mode)
  }

  /** Whether a run that starts by itself can come to one of the moments. */
  reachesAny(layout: Layout, moments: Iterable<Moment>, mode: PathMode): ReachAnswer {
    const reached = this.#reachedOf(layout)[mode]
    const found: { answer: ReachAnswer } = { answer: { verdict: 'no' } }
    const isComplete = this.#search(layout, mode).run(moments, (moment, demand, isUncertain) => {
      const left = demandAtStart(layout, moment.place, demand)
      if (left === undefined) return undefined
      const start =
        moment.place === layout.entry
          ? { place: moment.place, before: undefined }
          : isEmptyDemand(left)
            ? reached.get(moment.place)
            : undefined
      if (start === undefined) return left
      if (isUncertain) found.answer = { verdict: 'unsure' }
      else found.answer = { verdict: 'yes', trail: recordTrail(moment, start, reached) }
      return isUncertain ? undefined : 'enough'
    })
    return found.answer.verdict === 'yes' || isComplete ? found.answer : { verdict: 'unsure' }
  }

  endPreconditions(layout: Layout, keys: readonly string[]): readonly Precondition[] {
    const text = keys.toSorted().join('\n')
    let memo = this.#endings.get(layout)
    if (memo === undefined) this.#endings.set(layout, (memo = new Map<string, EndAnswer>()))
    const known = memo.get(text)
    if (known !== undefined) {
      this.#outermostReturn = Math.min(this.#outermostReturn, known.depth ?? Number.POSITIVE_INFINITY)
      return known.found
    }
    // A call of itself adds nothing: a run in which it ends so has an innermost call that ends so by itself.
    const ending: EndAnswer = { found: [], depth: this.#depth }
    memo.set(text, ending)
    const demand: Demand = { claims: new Map(), unwritten: new Set(keys) }
    ending.found = this.startsOf(layout, endsOf(layout, demand, 'shown'))
    // What was found while an outer answer was still under way is a part of it.
    if (this.#outermostReturn < this.#depth) memo.delete(text)
    else this.#outermostReturn = Number.POSITIVE_INFINITY
    ending.depth = undefined
    return ending.found
  }

  /** What must be so when a called workflow starts, so that it can come to one of the moments; the simplest first. */
  startsOf(layout: Layout, moments: readonly Moment[]): readonly Precondition[] {
    if (this.#depth >= DEEPEST) return [{ demand: NO_DEMAND, isUncertain: true }]
    const found = new Map<string, Precondition>()
    let unconditional: Precondition | undefined
    this.#depth++
    const isComplete = this.#search(layout, 'shown').run(moments, ({ place }, demand, isUncertain) => {
      if (place !== layout.entry) return demand
      if (isEmptyDemand(demand) && !isUncertain) unconditional = { demand, isUncertain }
      else found.set(demandKey(demand), { demand, isUncertain })
      return unconditional !== undefined || found.size >= MOST_STARTS ? 'enough' : undefined
    })
    this.#depth--
    if (unconditional !== undefined) return [unconditional]
    const starts = [...found.values()].sort((a, b) => a.demand.claims.size - b.demand.claims.size)
    return isComplete && starts.length < MOST_STARTS ? starts : [...starts, { demand: NO_DEMAND, isUncertain: true }]
  }

  /** Whether a called workflow can end without a node that is not got past. Where that is too much to look at, it can. */
  canEnd(layout: Layout, passes: (proofNode: ProofNode) => boolean): boolean {
    let ends = false
    const isComplete = this.#search(layout, 'allowed').run(endsOf(layout, NO_DEMAND, 'allowed'), ({ place }, demand) => {
      const proofNode = layout.nodes[place]
      if (proofNode === undefined || !passes(proofNode)) return undefined
      ends ||= place === layout.entry
      return ends ? 'enough' : demand
    })
    return ends || !isComplete
  }

  #search(layout: Layout, mode: PathMode): Search {
    let share = MOST_WORK_PER_SEARCH
    return new Search(this, layout, mode, (work) => {
      this.#work -= work
      share -= work
      return this.#work >= 0 && share >= 0
    })
  }

  #reachedOf(layout: Layout): Record<PathMode, Map<number, Trail>> {
    const known = this.#reached.get(layout)
    if (known !== undefined) return known
    const made = { shown: new Map<number, Trail>(), allowed: new Map<number, Trail>() }
    this.#reached.set(layout, made)
    return made
  }
}

/** The last decisions of a workflow that ends with its board as demanded. */
function endsOf(layout: Layout, demand: Demand, mode: PathMode): Moment[] {
  return layout.nodes.flatMap((proofNode, place) => {
    if (!proofNode.isLinked || layout.graph.outgoing(proofNode.id).length > 0) return []
    return decisionPreconditions(layout, proofNode, undefined, demand, mode).map((before): Moment => ({ place, ...before }))
  })
}

/** What is left to ask before a node of a workflow that starts by itself; undefined where it cannot be so. */
function demandAtStart(layout: Layout, place: number, demand: Demand): Demand | undefined {
  if (demand.claims.size === 0) return demand
  const left = new Map(demand.claims)
  for (const [key, claim] of demand.claims) {
    if (place !== layout.entry && !layout.isUntouchedBefore(place, key)) continue
    if (isNever(intersect(claim, layout.initial(key)))) return undefined
    left.delete(key)
  }
  return left.size === demand.claims.size ? demand : { claims: left, unwritten: demand.unwritten }
}

/** The way from the entry to the last moment; each node on it is known to be reached from now on. */
function recordTrail(moment: Moment, start: Trail, reached: Map<number, Trail>): Trail {
  let trail = start
  for (let at: Moment | undefined = moment; at !== undefined; at = at.next) {
    if (at.place !== trail.place) trail = { place: at.place, before: trail }
    if (!reached.has(at.place)) reached.set(at.place, trail)
  }
  return trail
}
