import { programRef } from '../model/compile.ts'
import type { Workflow } from '../types/index.ts'
import { type Precondition, type CalledLayouts, mayWrite } from './call-preconditions.ts'
import { intersect, isNever } from './claim.ts'
import type { Trial } from './condition.ts'
import { type Claims, type Demand, demandOf, demandKey, isEmptyDemand, NO_DEMAND } from './demand.ts'
import { readsOfGuard } from './guard-reads.ts'
import type { Effects } from './flow.ts'
import { type ReachAnswer, decisionPreconditions, type Moment, type PathMode, Search, type Trail } from './search.ts'
import { Layout, type ProofNode } from './layout.ts'

/** Returns the workflow of an id, if it is known. */
export type Lookup = (workflowId: string) => Workflow | undefined

export interface ProverOptions {
  /** Finds called workflows. Without it calls are not followed. */
  readonly lookup?: Lookup | undefined
  /** Returns the reads and writes of agents. Without it the declarations of nodes are used. */
  readonly effects?: Effects | undefined
  /** The limit of work of all searches together: visited moments, and the claims on them. */
  readonly work?: number | undefined
}

/** The default limit of work: less than a second. */
const MOST_WORK = 300_000
/** The limit of work of one search. */
const MOST_WORK_PER_SEARCH = 50_000
/** The limit of states of expressions that are tried. */
const MOST_STATES = 200_000
/** The limit of nested calls that are followed. */
const DEEPEST = 40
/** The limit of distinct demands at the start that lead to the same end. */
const MOST_STARTS = 24

/** An answer, or an unfinished one, for recursive calls. */
interface EndAnswer {
  found: readonly Precondition[]
  /** The depth of calls at which it was requested; undefined when it is known. */
  depth: number | undefined
}

/** Decides if a run can reach a moment, across calls. All work is counted, so every search ends on any input. */
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
  /** The depth of the outermost unfinished answer that the current answer depends on. */
  #outermostReturn = Number.POSITIVE_INFINITY

  constructor({ lookup, effects, work = MOST_WORK }: ProverOptions = {}) {
    this.#lookup = lookup ?? (() => undefined)
    this.#effects = effects
    this.#work = work
    let states = MOST_STATES
    this.#trial = { readsOf: readsOfGuard, spend: (count) => (states -= count) >= 0 }
  }

  /** Returns the layout of a workflow, one for each id. */
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

  /** Returns the answer if a run that starts by itself can reach the decision of a node with the claimed board. */
  reaches(layout: Layout, place: number, claims: Claims, mode: PathMode): ReachAnswer {
    return this.reachesAny(layout, [{ place, demand: demandOf(claims), isUncertain: false }], mode)
  }

  /** Returns the answer if a run that starts by itself can reach one of the moments. */
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
    // A recursive call adds no demand: a run in which it ends contains an innermost call that ends without recursion.
    const ending: EndAnswer = { found: [], depth: this.#depth }
    memo.set(text, ending)
    const demand: Demand = { claims: new Map(), unwritten: new Set(keys) }
    ending.found = this.startsOf(layout, endsOf(layout, demand, 'shown'))
    // An answer that depends on an unfinished outer answer is only partial, so it is not kept.
    if (this.#outermostReturn < this.#depth) memo.delete(text)
    else this.#outermostReturn = Number.POSITIVE_INFINITY
    ending.depth = undefined
    return ending.found
  }

  /** Returns the demands at the start of a called workflow under which it can reach one of the moments, simplest first. */
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

  /** True if a called workflow can end without passing a blocked node, or if the search reached its limit. */
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

/** Returns the last decisions of a workflow that ends with its board as demanded. */
function endsOf(layout: Layout, demand: Demand, mode: PathMode): Moment[] {
  return layout.nodes.flatMap((proofNode, place) => {
    if (!proofNode.isLinked || layout.graph.outgoing(proofNode.id).length > 0) return []
    return decisionPreconditions(layout, proofNode, undefined, demand, mode).map((before): Moment => ({ place, ...before }))
  })
}

/** Returns the remaining demand before a node of a workflow that starts by itself; undefined if it cannot be met. */
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

/** Returns the path from the entry to the last moment. Each node on it counts as reached from now on. */
function recordTrail(moment: Moment, start: Trail, reached: Map<number, Trail>): Trail {
  let trail = start
  for (let at: Moment | undefined = moment; at !== undefined; at = at.next) {
    if (at.place !== trail.place) trail = { place: at.place, before: trail }
    if (!reached.has(at.place)) reached.set(at.place, trail)
  }
  return trail
}
