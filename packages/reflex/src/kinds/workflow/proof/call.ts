import type { InvocationSpec } from '../types.ts'
import { ABSENT, both, type Claim, hasValue, isNever, PRESENT, within } from './claim.ts'
import { asking, beforeAnything, type Demand, type Domains, without } from './demand.ts'
import type { Sheet } from './sheet.ts'

/** A demand, and whether it holds only if somebody of whom nothing is known leaves something undone. */
export interface Before {
  readonly demand: Demand
  readonly unsure: boolean
}

/** What is known of the workflows that are called. */
export interface Callees {
  sheetOf(workflowId: string): Sheet | undefined
  /** Whether a run of it may write a key to its own board. */
  mayWrite(sheet: Sheet, key: string): boolean
  /** What must be so when it starts, so that it can end with none of the keys on its own board. */
  endingWithout(sheet: Sheet, keys: readonly string[]): readonly Before[]
}

/** Claims of one caller's key that a return map or input map can multiply. */
const MOST_BRANCHES = 64

/**
 * What must be so when a calling node is entered, so that the demand is met when its call has returned (seed workflow
 * 2.4 to 2.7): a key that the return map names is taken to be returned where that meets the demand; where only its
 * absence does, the child must end without it. A way that is shown asks of the caller what the child needs to end.
 */
export function beforeCall(
  callees: Callees,
  sheet: Sheet,
  invokes: InvocationSpec,
  demand: Demand,
  reading: 'shown' | 'allowed',
): readonly Before[] {
  const child = callees.sheetOf(invokes.workflowId)
  if (child === undefined) return [beforeStranger(invokes, demand)]
  let { claims } = demand
  const kept: string[] = []
  for (const { parentKey, childKey } of invokes.returnMap.toReversed()) {
    const claim = claims.get(parentKey)
    const unwritten = demand.unwritten.has(parentKey)
    const given = invokes.inputMap?.some(({ to }) => to === childKey) === true
    if ((claim === undefined && !unwritten) || !(given || callees.mayWrite(child, childKey))) continue
    const returned = within(within(PRESENT, child.domain(childKey)), sheet.domain(parentKey))
    if (!unwritten && claim !== undefined && !isNever(both(claim, returned))) claims = without(claims, parentKey)
    else kept.push(childKey)
  }
  const left: Demand = claims === demand.claims ? demand : { claims, unwritten: demand.unwritten }
  if (reading === 'allowed') return [{ demand: left, unsure: false }]
  const starts = callees.endingWithout(child, kept)
  // Where it is not known what a child needs to end at all, it ends.
  if (kept.length === 0 && starts.some(({ unsure }) => unsure)) return [{ demand: left, unsure: false }]
  return starts.flatMap((start) =>
    askedOfCaller(invokes, start.demand, sheet.domain, left).map((met) => ({ demand: met, unsure: start.unsure })),
  )
}

function beforeStranger({ returnMap }: InvocationSpec, demand: Demand): Before {
  const returned = new Set(returnMap.map(({ parentKey }) => parentKey))
  const theirs = new Map([...demand.claims].filter(([key]) => returned.has(key)))
  const unwritten = new Set([...demand.unwritten].filter((key) => returned.has(key)))
  const before = beforeAnything({ claims: theirs, unwritten })
  const rest = [...demand.claims].filter(([key]) => !returned.has(key))
  return { demand: { claims: new Map([...rest, ...before.demand.claims]), unwritten: demand.unwritten }, unsure: before.unsure }
}

/**
 * What a demand on a child at its start asks of the caller that enters it, beside what is asked of the caller anyway. A
 * key that the input map gives is the caller's key there, if that is present; every other is read through to the caller.
 */
export function askedOfCaller(invokes: InvocationSpec, start: Demand, domains: Domains, also: Demand): Demand[] {
  let branches: Demand[] = [also]
  const ask = (choices: readonly (readonly (readonly [string, Claim])[])[]): void => {
    branches = branches
      .flatMap((demand) => choices.flatMap((claims) => asking(demand, new Map(claims), domains) ?? []))
      .slice(0, MOST_BRANCHES)
  }
  const given = new Map((invokes.inputMap ?? []).map(({ from, to }) => [to, from]))
  for (const [key, claim] of start.claims) {
    const from = given.get(key)
    if (from === undefined) ask([[[key, claim]]])
    else if (from === key) ask([[[key, claim]]])
    else
      ask([
        ...(hasValue(claim) ? [[[from, { ...claim, absent: false }] as const]] : []),
        [
          [from, ABSENT],
          [key, claim],
        ],
      ])
  }
  for (const key of start.unwritten) {
    const from = given.get(key)
    if (from !== undefined) ask([[[from, ABSENT]]])
  }
  return branches
}

/** Whether a run of a workflow may write a key to its own board, by itself or by what its calls return. */
export function mayWrite(callees: Pick<Callees, 'sheetOf'>, sheet: Sheet, key: string): boolean {
  const asked = new Map<Sheet, Set<string>>([[sheet, new Set([key])]])
  const queue: (readonly [Sheet, string])[] = [[sheet, key]]
  for (const [at, wanted] of queue) {
    if (at.open || at.writesItself(wanted)) return true
    for (const { invokes } of at.callsFor(wanted)) {
      const child = callees.sheetOf(invokes.workflowId)
      if (child === undefined) return true
      for (const { parentKey, childKey } of invokes.returnMap) {
        if (parentKey !== wanted || asked.get(child)?.has(childKey) === true) continue
        // What the call hands down comes back up.
        if (invokes.inputMap?.some(({ to }) => to === childKey) === true) return true
        if (asked.has(child)) asked.get(child)?.add(childKey)
        else asked.set(child, new Set([childKey]))
        queue.push([child, childKey])
      }
    }
  }
  return false
}
