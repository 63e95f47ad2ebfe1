import { addToGroup } from '../model/key-flow.ts'
import { ABSENT, intersect, type Claim, claimKey, hasValue, isAny, isNever, claimOneOf, PRESENT, restrict } from './claim.ts'
import type { Domain } from './domain.ts'
import type { BoardWrite } from './flow.ts'

/** Claims on several board keys, which must hold together. */
export type Claims = ReadonlyMap<string, Claim>

/** The state that must hold at one moment of a run, so that it can reach a later moment. */
export interface Demand {
  /** Claims on keys as they are read, over the own board and those of callers. */
  readonly claims: Claims
  /** Keys that the workflow's own board must not have, so that nothing is returned for them. */
  readonly unwritten: ReadonlySet<string>
}

/** Returns the domain of a key of a workflow. */
export type Domains = (key: string) => Domain

const NO_CLAIMS: Claims = new Map()
const NO_KEYS: ReadonlySet<string> = new Set()

/** No demand. */
export const NO_DEMAND: Demand = { claims: NO_CLAIMS, unwritten: NO_KEYS }

/** Returns a demand that has only claims. */
export function demandOf(claims: Claims): Demand {
  return claims.size === 0 ? NO_DEMAND : { claims, unwritten: NO_KEYS }
}

export function isEmptyDemand({ claims, unwritten }: Demand): boolean {
  return claims.size === 0 && unwritten.size === 0
}

const demandKeys = new WeakMap<Demand, string>()

/** Returns a text that is the same for equal demands. */
export function demandKey(demand: Demand): string {
  const known = demandKeys.get(demand)
  if (known !== undefined) return known
  const text = keyOfDemand(demand)
  demandKeys.set(demand, text)
  return text
}

function keyOfDemand({ claims, unwritten }: Demand): string {
  if (claims.size === 0 && unwritten.size === 0) return ''
  const texts = Array.from(claims, ([key, claim]) => `${JSON.stringify(key)}${claimKey(claim)}`).sort()
  return `${texts.join(';')}|${[...unwritten].sort().join('\n')}`
}

/** Returns the intersection of claims on every key; undefined if no state of a key fulfils it. */
export function intersectClaims(a: Claims, b: Claims, domains: Domains): Claims | undefined {
  if (b.size === 0) return a
  const claims = new Map(a)
  for (const [key, claim] of b) {
    const met = restrict(intersect(claims.get(key) ?? claim, claim), domains(key))
    if (isNever(met)) return undefined
    if (isAny(met)) claims.delete(key)
    else claims.set(key, met)
  }
  return claims
}

/** Returns a demand with further claims; undefined if they contradict it. */
export function withClaims(demand: Demand, claims: Claims, domains: Domains): Demand | undefined {
  const met = intersectClaims(demand.claims, claims, domains)
  return met === undefined ? undefined : met === demand.claims ? demand : { claims: met, unwritten: demand.unwritten }
}

/**
 * Returns the demand before some writes, so that a demand is met after them; undefined if it cannot be met. A write that may
 * happen is assumed to happen if that meets the demand, and not to happen otherwise.
 */
export function demandBeforeWrites(demand: Demand, writes: readonly BoardWrite[], domains: Domains): Demand | undefined {
  if (isEmptyDemand(demand) || writes.length === 0) return demand
  const byKey = writesByKey(writes)
  for (const key of demand.unwritten) if (byKey.get(key)?.some(({ isCertain }) => isCertain) === true) return undefined
  let { claims } = demand
  for (const [key, claim] of demand.claims) {
    const keyWrites = byKey.get(key)
    if (keyWrites === undefined || demand.unwritten.has(key)) continue
    const before = writesOutcome(claim, keyWrites, domains(key))
    if (before === 'never') return undefined
    if (before === 'written') claims = withoutKey(claims, key)
  }
  return claims === demand.claims ? demand : { claims, unwritten: demand.unwritten }
}

/** Returns the effect of writes of a key on a claim, last write first: they meet it, exclude it, or leave the state as before. */
function writesOutcome(claim: Claim, writes: readonly BoardWrite[], domain: Domain): 'written' | 'never' | 'before' {
  for (const { isCertain: sure, values } of writes) {
    const value = restrict(values === undefined ? PRESENT : claimOneOf(values), domain)
    // A value that does not fit the domain is reported as its own mistake, so any value is assumed here.
    const written = isNever(value) ? PRESENT : value
    if (!isNever(intersect(claim, written))) return 'written'
    if (sure) return 'never'
  }
  return 'before'
}

const indexes = new WeakMap<readonly BoardWrite[], ReadonlyMap<string, readonly BoardWrite[]>>()

/** Returns writes by key, last write first. */
function writesByKey(writes: readonly BoardWrite[]): ReadonlyMap<string, readonly BoardWrite[]> {
  const known = indexes.get(writes)
  if (known !== undefined) return known
  const byKey = new Map<string, BoardWrite[]>()
  for (const write of writes.toReversed()) addToGroup(byKey, write.key, write)
  indexes.set(writes, byKey)
  return byKey
}

/** Returns the demand before a node with unknown writes. It is uncertain if the demand is met only when the node does not write. */
export function demandBeforeUnknown(demand: Demand): { demand: Demand; isUncertain: boolean } {
  const left = new Map([...demand.claims].filter(([, claim]) => !hasValue(claim)))
  return { demand: { claims: left, unwritten: demand.unwritten }, isUncertain: left.size > 0 || demand.unwritten.size > 0 }
}

/** Returns claims without one key. */
export function withoutKey(claims: Claims, key: string): Claims {
  const rest = new Map(claims)
  rest.delete(key)
  return rest
}

/** Returns the claim that a key is missing. */
export function missingKey(key: string): Claims {
  return new Map([[key, ABSENT]])
}
