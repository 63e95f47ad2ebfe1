import type { InvocationSpec } from '../types/index.ts'
import { ABSENT, intersect, type Claim, hasValue, isNever, PRESENT, restrict } from './claim.ts'
import { withClaims, demandBeforeUnknown, type Demand, type Domains, withoutKey } from './demand.ts'
import type { Layout } from './layout.ts'

/** A demand. It is uncertain if it holds only when a node with unknown writes does not write. */
export interface Precondition {
  readonly demand: Demand
  readonly isUncertain: boolean
}

/** The known facts of called workflows. */
export interface CalledLayouts {
  layoutOf(workflowId: string): Layout | undefined
  /** True if a run of the workflow may write a key to its own board. */
  mayWrite(layout: Layout, key: string): boolean
  /** Returns the demands at the start of the workflow under which it can end with none of the keys on its own board. */
  endPreconditions(layout: Layout, keys: readonly string[]): readonly Precondition[]
}

/** The limit of branches that a return map or input map can create from claims of the caller. */
const MOST_BRANCHES = 64

/**
 * Returns the demands when a calling node is entered, so that the demand is met after its call has returned (seed workflow 2.4
 * to 2.7). A key of the return map counts as returned if that meets the demand. If only its absence does, the child must end
 * without the key. In mode `shown`, the caller must also meet the demands under which the child can end.
 */
export function callPreconditions(
  callees: CalledLayouts,
  layout: Layout,
  invokes: InvocationSpec,
  demand: Demand,
  mode: 'shown' | 'allowed',
): readonly Precondition[] {
  const child = callees.layoutOf(invokes.workflowId)
  if (child === undefined) return [unknownCallPrecondition(invokes, demand)]
  let { claims } = demand
  const keptKeys: string[] = []
  for (const { parentKey, childKey } of invokes.returnMap.toReversed()) {
    const claim = claims.get(parentKey)
    const unwritten = demand.unwritten.has(parentKey)
    const given = invokes.inputMap?.some(({ to }) => to === childKey) === true
    if ((claim === undefined && !unwritten) || !(given || callees.mayWrite(child, childKey))) continue
    const returned = restrict(restrict(PRESENT, child.domain(childKey)), layout.domain(parentKey))
    if (!unwritten && claim !== undefined && !isNever(intersect(claim, returned))) claims = withoutKey(claims, parentKey)
    else keptKeys.push(childKey)
  }
  const left: Demand = claims === demand.claims ? demand : { claims, unwritten: demand.unwritten }
  if (mode === 'allowed') return [{ demand: left, isUncertain: false }]
  const starts = callees.endPreconditions(child, keptKeys)
  // If it is unknown what the child needs to end at all, it is assumed to end.
  if (keptKeys.length === 0 && starts.some(({ isUncertain }) => isUncertain)) return [{ demand: left, isUncertain: false }]
  return starts.flatMap((start) =>
    callerDemands(invokes, start.demand, layout.domain, left).map((met) => ({ demand: met, isUncertain: start.isUncertain })),
  )
}

function unknownCallPrecondition({ returnMap }: InvocationSpec, demand: Demand): Precondition {
  const returned = new Set(returnMap.map(({ parentKey }) => parentKey))
  const returnedClaims = new Map([...demand.claims].filter(([key]) => returned.has(key)))
  const unwritten = new Set([...demand.unwritten].filter((key) => returned.has(key)))
  const unknownBefore = demandBeforeUnknown({ claims: returnedClaims, unwritten })
  const rest = [...demand.claims].filter(([key]) => !returned.has(key))
  return {
    demand: { claims: new Map([...rest, ...unknownBefore.demand.claims]), unwritten: demand.unwritten },
    isUncertain: unknownBefore.isUncertain,
  }
}

/**
 * Returns the demands on the caller for a demand on a child at its start, in addition to `base`. A key of the input map is the
 * caller's key if that is present. All other keys are read from the caller.
 */
export function callerDemands(invokes: InvocationSpec, start: Demand, domains: Domains, base: Demand): Demand[] {
  let branches: Demand[] = [base]
  const ask = (choices: readonly (readonly (readonly [string, Claim])[])[]): void => {
    branches = branches
      .flatMap((demand) => choices.flatMap((claims) => withClaims(demand, new Map(claims), domains) ?? []))
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

/** True if a run of a workflow may write a key to its own board, by itself or through returns of its calls. */
export function mayWrite(callees: Pick<CalledLayouts, 'layoutOf'>, layout: Layout, key: string): boolean {
  const asked = new Map<Layout, Set<string>>([[layout, new Set([key])]])
  const queue: (readonly [Layout, string])[] = [[layout, key]]
  for (const [at, wanted] of queue) {
    if (at.writesAnyKey || at.writesKey(wanted)) return true
    for (const { invokes } of at.callsFor(wanted)) {
      const child = callees.layoutOf(invokes.workflowId)
      if (child === undefined) return true
      for (const { parentKey, childKey } of invokes.returnMap) {
        if (parentKey !== wanted || asked.get(child)?.has(childKey) === true) continue
        // A value that the call passes down can be returned.
        if (invokes.inputMap?.some(({ to }) => to === childKey) === true) return true
        if (asked.has(child)) asked.get(child)?.add(childKey)
        else asked.set(child, new Set([childKey]))
        queue.push([child, childKey])
      }
    }
  }
  return false
}
