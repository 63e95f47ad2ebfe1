import { programRef } from '../compile.ts'
import type { Workflow } from '../types.ts'
import { type Before, type Callees, mayWrite } from './call.ts'
import { both, isNever } from './claim.ts'
import type { Trial } from './condition.ts'
import { type Claims, type Demand, demandOf, demandText, isNothing, NOTHING } from './demand.ts'
import { readsOfGuard } from './expression.ts'
import type { Effects } from './flow.ts'
import { type Answer, decide, type Moment, type Reading, Search, type Trail } from './search.ts'
import { Sheet, type Stop } from './sheet.ts'

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
const WORK = 300_000
/** What one question may cost of it. */
const SHARE = 50_000
/** States of expressions that are tried. */
const STATES = 200_000
/** Calls inside calls that are looked into. */
const DEEPEST = 40
/** Different starts that lead to the same end; more are not told apart. */
const MOST_STARTS = 24

/** An answer under way, for calls that come back to it. */
interface Ending {
  found: readonly Before[]
  /** How deep in calls it was asked for; undefined when it is known. */
  depth: number | undefined
}

/** Answers whether a run can come to a moment, across calls. All work is counted, so that it ends on any input. */
export class Prover implements Callees {
  readonly #lookup: Lookup
  readonly #effects: Effects | undefined
  readonly #trial: Trial
  readonly #sheets = new Map<string, Sheet | undefined>()
  readonly #endings = new Map<Sheet, Map<string, Ending>>()
  readonly #writers = new Map<Sheet, Map<string, boolean>>()
  readonly #reached = new Map<Sheet, Record<Reading, Map<number, Trail>>>()
  #work: number
  #depth = 0
  /** The outermost answer under way that the present one has come back to. */
  #cameBack = Number.POSITIVE_INFINITY

  constructor({ lookup, effects, work = WORK }: ProverOptions = {}) {
    this.#lookup = lookup ?? (() => undefined)
    this.#effects = effects
    this.#work = work
    let states = STATES
    this.#trial = { readsOf: readsOfGuard, spend: (count) => (states -= count) >= 0 }
  }

  /** A workflow laid out; one and the same for one id. */
  sheet(workflow: Workflow): Sheet {
    const name = programRef(workflow.id)
    const known = this.#sheets.get(name)
    if (known !== undefined) return known
    const sheet = new Sheet(workflow, this.#effects, this.#trial)
    this.#sheets.set(name, sheet)
    return sheet
  }

  sheetOf(workflowId: string): Sheet | undefined {
    const name = programRef(workflowId)
    if (this.#sheets.has(name)) return this.#sheets.get(name)
    const workflow = this.#lookup(workflowId)
    if (workflow !== undefined) return this.sheet(workflow)
    this.#sheets.set(name, undefined)
    return undefined
  }

  mayWrite(sheet: Sheet, key: string): boolean {
    let memo = this.#writers.get(sheet)
    if (memo === undefined) this.#writers.set(sheet, (memo = new Map<string, boolean>()))
    let may = memo.get(key)
    if (may === undefined) memo.set(key, (may = mayWrite(this, sheet, key)))
    return may
  }

  /** Whether a run that starts by itself can be decided at a node with its board as claimed. */
  reaches(sheet: Sheet, place: number, claims: Claims, reading: Reading): Answer {
    return this.reachesAny(sheet, [{ place, demand: demandOf(claims), unsure: false }], reading)
  }

  /** Whether a run that starts by itself can come to one of the moments. */
  reachesAny(sheet: Sheet, moments: Iterable<Moment>, reading: Reading): Answer {
    const reached = this.#reachedOf(sheet)[reading]
    const found: { answer: Answer } = { answer: { verdict: 'no' } }
    const whole = this.#search(sheet, reading).run(moments, (moment, demand, unsure) => {
      const left = asRoot(sheet, moment.place, demand)
      if (left === undefined) return undefined
      const start =
        moment.place === sheet.entry ? { place: moment.place, before: undefined } : isNothing(left) ? reached.get(moment.place) : undefined
      if (start === undefined) return left
      if (unsure) found.answer = { verdict: 'unsure' }
      else found.answer = { verdict: 'yes', trail: remember(moment, start, reached) }
      return unsure ? undefined : 'enough'
    })
    return found.answer.verdict === 'yes' || whole ? found.answer : { verdict: 'unsure' }
  }

  endingWithout(sheet: Sheet, keys: readonly string[]): readonly Before[] {
    const text = keys.toSorted().join('\n')
    let memo = this.#endings.get(sheet)
    if (memo === undefined) this.#endings.set(sheet, (memo = new Map<string, Ending>()))
    const known = memo.get(text)
    if (known !== undefined) {
      this.#cameBack = Math.min(this.#cameBack, known.depth ?? Number.POSITIVE_INFINITY)
      return known.found
    }
    // A call of itself adds nothing: a run in which it ends so has an innermost call that ends so by itself.
    const ending: Ending = { found: [], depth: this.#depth }
    memo.set(text, ending)
    const demand: Demand = { claims: new Map(), unwritten: new Set(keys) }
    ending.found = this.startsOf(sheet, endsOf(sheet, demand, 'shown'))
    // What was found while an outer answer was still under way is a part of it.
    if (this.#cameBack < this.#depth) memo.delete(text)
    else this.#cameBack = Number.POSITIVE_INFINITY
    ending.depth = undefined
    return ending.found
  }

  /** What must be so when a called workflow starts, so that it can come to one of the moments; the simplest first. */
  startsOf(sheet: Sheet, moments: readonly Moment[]): readonly Before[] {
    if (this.#depth >= DEEPEST) return [{ demand: NOTHING, unsure: true }]
    const found = new Map<string, Before>()
    let free: Before | undefined
    this.#depth++
    const whole = this.#search(sheet, 'shown').run(moments, ({ place }, demand, unsure) => {
      if (place !== sheet.entry) return demand
      if (isNothing(demand) && !unsure) free = { demand, unsure }
      else found.set(demandText(demand), { demand, unsure })
      return free !== undefined || found.size >= MOST_STARTS ? 'enough' : undefined
    })
    this.#depth--
    if (free !== undefined) return [free]
    const starts = [...found.values()].sort((a, b) => a.demand.claims.size - b.demand.claims.size)
    return whole && starts.length < MOST_STARTS ? starts : [...starts, { demand: NOTHING, unsure: true }]
  }

  /** Whether a called workflow can end without a node that is not got past. Where that is too much to look at, it can. */
  canEnd(sheet: Sheet, passes: (stop: Stop) => boolean): boolean {
    let ends = false
    const whole = this.#search(sheet, 'allowed').run(endsOf(sheet, NOTHING, 'allowed'), ({ place }, demand) => {
      const stop = sheet.stops[place]
      if (stop === undefined || !passes(stop)) return undefined
      ends ||= place === sheet.entry
      return ends ? 'enough' : demand
    })
    return ends || !whole
  }

  #search(sheet: Sheet, reading: Reading): Search {
    let share = SHARE
    return new Search(this, sheet, reading, (work) => {
      this.#work -= work
      share -= work
      return this.#work >= 0 && share >= 0
    })
  }

  #reachedOf(sheet: Sheet): Record<Reading, Map<number, Trail>> {
    const known = this.#reached.get(sheet)
    if (known !== undefined) return known
    const made = { shown: new Map<number, Trail>(), allowed: new Map<number, Trail>() }
    this.#reached.set(sheet, made)
    return made
  }
}

/** The last decisions of a workflow that ends with its board as demanded. */
function endsOf(sheet: Sheet, demand: Demand, reading: Reading): Moment[] {
  return sheet.stops.flatMap((stop, place) => {
    if (!stop.linked || sheet.graph.outgoing(stop.id).length > 0) return []
    return decide(sheet, stop, undefined, demand, reading).map((before): Moment => ({ place, ...before }))
  })
}

/** What is left to ask before a node of a workflow that starts by itself; undefined where it cannot be so. */
function asRoot(sheet: Sheet, place: number, demand: Demand): Demand | undefined {
  if (demand.claims.size === 0) return demand
  const left = new Map(demand.claims)
  for (const [key, claim] of demand.claims) {
    if (place !== sheet.entry && !sheet.quietBefore(place, key)) continue
    if (isNever(both(claim, sheet.initial(key)))) return undefined
    left.delete(key)
  }
  return left.size === demand.claims.size ? demand : { claims: left, unwritten: demand.unwritten }
}

/** The way from the entry to the last moment; each node on it is known to be reached from now on. */
function remember(moment: Moment, start: Trail, reached: Map<number, Trail>): Trail {
  let trail = start
  for (let at: Moment | undefined = moment; at !== undefined; at = at.next) {
    if (at.place !== trail.place) trail = { place: at.place, before: trail }
    if (!reached.has(at.place)) reached.set(at.place, trail)
  }
  return trail
}
