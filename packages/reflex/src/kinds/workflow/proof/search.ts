import { type Before, beforeCall, type Callees } from './call.ts'
import { ANY, both, type Claim, claimOf, PRESENT } from './claim.ts'
import { isDecided, type Undecided } from './condition.ts'
import { asking, beforeAnything, beforeWrites, type Claims, type Demand, demandOf, demandText, isNothing, missing } from './demand.ts'
import type { BoardWrite, KnownFlow, Way } from './flow.ts'
import { passing, readThrough } from './passing.ts'
import type { Arc, Sheet, Stop } from './sheet.ts'

/** A moment of a run, told backwards: the node that is decided at, and what must be so there. */
export interface Moment {
  readonly place: number
  readonly demand: Demand
  /** The node has only been entered: its call is still to come. */
  readonly entered?: boolean
  /** It holds only if somebody of whom nothing is known leaves something undone. */
  readonly unsure: boolean
  /** The moment after it. */
  readonly next?: Moment
}

/** Nodes from the entry on, told backwards. */
export interface Trail {
  readonly place: number
  readonly before: Trail | undefined
}

/** Whether a run can come to a moment, and how. */
export type Answer = { readonly verdict: 'yes'; readonly trail: Trail } | { readonly verdict: 'no' | 'unsure' }

/**
 * `shown`: only ways that decisions can take as far as is known, for findings that show one. `allowed`: every way that is
 * not impossible, for findings that say there is none.
 */
export type Reading = 'shown' | 'allowed'

/** A demand costs what it takes to compare it. */
function workOf({ claims }: Demand): number {
  let work = 1
  for (const { values } of claims.values()) work += 1 + values.size / 8
  return work
}

/** Moments in the order in which they were found, each once. */
class Moments {
  readonly #known = new Map<string, Set<number>>()
  readonly #list: Moment[] = []
  #taken = 0

  add(moment: Moment): void {
    const text = demandText(moment.demand)
    const places = this.#known.get(text)
    const place = placeOf(moment)
    if (places?.has(place) === true) return
    if (places === undefined) this.#known.set(text, new Set([place]))
    else places.add(place)
    this.#list.push(moment)
  }

  has(moment: Moment): boolean {
    return this.#known.get(demandText(moment.demand))?.has(placeOf(moment)) === true
  }

  take(): Moment | undefined {
    return this.#taken < this.#list.length ? this.#list[this.#taken++] : undefined
  }
}

/** A number of its own for a node that is decided at, and for one that is entered. */
function placeOf({ place, entered }: Moment): number {
  return entered === true ? -1 - place : place
}

/**
 * Goes back from moments to the entry, over every edge whose guard can be open and every write that can have happened.
 * Each pair of a node and a demand is visited once, those that are sure first. Nothing recurses but calls of other
 * workflows.
 */
export class Search {
  readonly #callees: Callees
  readonly #spend: (work: number) => boolean
  readonly #sheet: Sheet
  readonly #reading: Reading
  readonly #sure = new Moments()
  readonly #unsure = new Moments()

  /** `spend` says whether so much more work may be done. */
  constructor(callees: Callees, sheet: Sheet, reading: Reading, spend: (work: number) => boolean) {
    this.#callees = callees
    this.#spend = spend
    this.#sheet = sheet
    this.#reading = reading
  }

  /**
   * Whether it went through everything: false when the budget ran out. `visit` gets each moment and what must be so when
   * its node is entered; it ends the search, says what is left to ask further back, or that nothing is.
   */
  run(starts: Iterable<Moment>, visit: (moment: Moment, demand: Demand, unsure: boolean) => Demand | 'enough' | undefined): boolean {
    for (const start of starts) this.#push(start)
    for (;;) {
      const moment = this.#sure.take() ?? this.#unsure.take()
      if (moment === undefined) return true
      if (!this.#spend(workOf(moment.demand))) return false
      for (const before of this.#onArrival(moment)) {
        const left = visit(moment, before.demand, before.unsure)
        if (left === 'enough') return true
        if (left !== undefined) this.#back(moment, left, before.unsure)
      }
    }
  }

  #push(moment: Moment): void {
    if (!moment.unsure) this.#sure.add(moment)
    else if (!this.#sure.has(moment)) this.#unsure.add(moment)
  }

  /** What must be so when the node is entered, before its call and before what it writes while it waits. */
  #onArrival({ place, demand, entered, unsure }: Moment): readonly Before[] {
    const stop = this.#sheet.stops[place]
    if (stop === undefined) return []
    if (entered === true || (isNothing(demand) && stop.invokes === undefined)) return [{ demand, unsure }]
    const waited = stop.flow.patient ? this.#beforeWaiting(stop.flow, demand) : demand
    if (stop.invokes === undefined) return [{ demand: waited, unsure }]
    return beforeCall(this.#callees, this.#sheet, stop.invokes, waited, this.#reading).map((before) => ({
      demand: before.demand,
      unsure: unsure || before.unsure,
    }))
  }

  #beforeWaiting(flow: KnownFlow, demand: Demand): Demand {
    const perhaps = flow.writes.map((write) => ({ ...write, sure: false }))
    const before = beforeWrites(demand, perhaps, this.#sheet.domain) ?? demand
    return flow.unknown ? beforeAnything(before).demand : before
  }

  #back(moment: Moment, demand: Demand, unsure: boolean): void {
    const stop = this.#sheet.stops[moment.place]
    for (const arc of stop?.arriving ?? []) {
      const from = this.#sheet.stops[arc.from]
      if (from?.linked !== true) continue
      for (const left of leave(this.#sheet, from, arc, demand, this.#reading)) {
        this.#push({ place: arc.from, demand: left.demand, unsure: unsure || left.unsure, next: moment })
      }
    }
  }
}

/** What must be so when a node is decided at, so that the demand is met after it was left over an edge. */
function leave(sheet: Sheet, stop: Stop, arc: Arc, demand: Demand, reading: Reading): Before[] {
  const condition = sheet.condition(arc.edge)
  const open = isDecided(condition) ? condition.open : [likely(condition, reading)]
  return decide(sheet, stop, arc.edge.id, demand, reading).flatMap((before) =>
    open.flatMap((claims) => {
      const met = asking(before.demand, claims, sheet.domain)
      return met === undefined ? [] : [{ demand: met, unsure: before.unsure }]
    }),
  )
}

/** An expression that fails where a key is not there is not taken to open its edge where a way is to be shown. */
function likely({ needs }: Undecided, reading: Reading): Claims {
  return new Map(reading === 'shown' ? needs.map((key) => [key, PRESENT]) : [])
}

/** The same before a decision that takes an edge, or, without one, ends the workflow. */
export function decide(sheet: Sheet, stop: Stop, edge: string | undefined, demand: Demand, reading: Reading): Before[] {
  const { flow } = stop
  const shown = reading === 'shown'
  const ways = shown ? flow.ways.filter((way) => way.edge === undefined || way.edge === edge) : [freely(flow)]
  return ways.flatMap((way) => {
    const before = beforeWrites(demand, way.writes, sheet.domain)
    const met = before === undefined ? undefined : asking(before, shown ? claimsOf(sheet, way) : claimedBy(way), sheet.domain)
    const left = met === undefined ? undefined : beforeWrites(met, flow.writes, sheet.domain)
    const stranger = left !== undefined && flow.unknown ? beforeAnything(left) : undefined
    const first = stranger?.demand ?? left
    const all = first === undefined ? undefined : shown ? asking(first, passing(sheet, stop), sheet.domain) : first
    return all === undefined ? [] : [{ demand: all, unsure: stranger?.unsure ?? false }]
  })
}

/**
 * One way that may do what any of them does. Rules may be chosen by, instead of by the agent that they are written for:
 * then what they write is not sure.
 */
function freely({ ways }: KnownFlow): Way {
  const [only] = ways
  if (only !== undefined && ways.length === 1 && only.when.length === 0) return only
  const keys = new Set(ways.flatMap(({ writes }) => writes.map(({ key }) => key)))
  const plain = ways.every(({ when }) => when.length === 0)
  const writes = Array.from(keys, (key): BoardWrite => {
    const last = ways.map((way) => way.writes.findLast((write) => write.key === key))
    const values = last.flatMap((write) => (write === undefined ? [] : [write.values]))
    return {
      key,
      sure: plain && last.every((write) => write?.sure === true),
      values: values.some((some) => some === undefined) ? undefined : values.flatMap((some) => some ?? []),
    }
  })
  return { when: [], reads: [], writes }
}

const claimed = new WeakMap<Way, Claims>()

/** What must hold for a way to be taken; conditions that contradict each other ask for what never is. */
function claimedBy(way: Way): Claims {
  const known = claimed.get(way)
  if (known !== undefined) return known
  const claims = new Map<string, Claim>()
  for (const guard of way.when) claims.set(guard.key, both(claims.get(guard.key) ?? ANY, claimOf(guard)))
  claimed.set(way, claims)
  return claims
}

/** The same, and that what the way cannot do without is there. */
function claimsOf(sheet: Sheet, way: Way): Claims {
  const keys = readThrough(sheet, way.reads)
  if (keys.length === 0) return claimedBy(way)
  const claims = new Map(claimedBy(way))
  for (const key of keys) claims.set(key, both(claims.get(key) ?? ANY, PRESENT))
  return claims
}

/** What must be so when a node is decided at, for a way of it to be taken with a key missing. */
export function missedBy(sheet: Sheet, { flow }: Stop, way: Way, key: string): Demand | undefined {
  const met = asking(demandOf(missing(key)), claimedBy(way), sheet.domain)
  return met === undefined ? undefined : beforeWrites(met, flow.writes, sheet.domain)
}
