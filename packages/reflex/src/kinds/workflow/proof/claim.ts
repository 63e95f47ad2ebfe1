import { canonicalJson, copyJson, type Json } from '../../../kernel/index.ts'
import { shortJson, quote } from '../../../text/index.ts'
import type { BuiltinGuard } from '../types/index.ts'
import type { Domain } from './domain.ts'

/**
 * The demand on one board key at one moment: if it may be missing, and its possible values. The values are a list, or all values
 * except a list, so that unlimited domains need no enumeration.
 */
export interface Claim {
  readonly absent: boolean
  /** True if `values` are the only possible values; false if they are the excluded values. */
  readonly isListed: boolean
  /** The values by their canonical text. */
  readonly values: ReadonlyMap<string, Json>
}

const NO_VALUES: ReadonlyMap<string, Json> = new Map()

/** Any state. */
export const ANY: Claim = { absent: true, isListed: false, values: NO_VALUES }
/** The key is missing. */
export const ABSENT: Claim = { absent: true, isListed: true, values: NO_VALUES }
/** The key has any value. */
export const PRESENT: Claim = { absent: false, isListed: false, values: NO_VALUES }
/** No state. */
export const NEVER: Claim = { absent: false, isListed: true, values: NO_VALUES }

/** Returns the claim that the key has one of these values. */
export function claimOneOf(values: Iterable<Json>, absent = false): Claim {
  return { absent, isListed: true, values: new Map(Array.from(values, (value) => [canonicalJson(value), value])) }
}

/** Returns the claim under which a built-in guard passes (seed workflow 2.8, reference workflow C15). */
export function claimOf({ type, key: _, value }: BuiltinGuard): Claim {
  switch (type) {
    case 'exists':
      return PRESENT
    case 'not-exists':
      return ABSENT
    case 'equals':
      return equalTo(value)
    default:
      return complement(equalTo(value))
  }
}

/** Returns the claim that the key equals a value; no state if the value is not JSON. */
function equalTo(value: unknown): Claim {
  try {
    return claimOneOf([copyJson(value, 'value')])
  } catch {
    return NEVER
  }
}

/** Returns the complement of a claim. */
export function complement({ absent, isListed, values }: Claim): Claim {
  return { absent: !absent, isListed: !isListed, values }
}

/** Returns the intersection of two claims. */
export function intersect(a: Claim, b: Claim): Claim {
  if (a === ANY || a === b) return b
  if (b === ANY) return a
  const absent = a.absent && b.absent
  if (!a.isListed && !b.isListed) return { absent, isListed: false, values: new Map([...a.values, ...b.values]) }
  const [named, other] = a.isListed ? [a, b] : [b, a]
  return { absent, isListed: true, values: new Map([...named.values].filter(([text]) => other.values.has(text) === other.isListed)) }
}

/** Restricts a claim to the declared values of the key. */
export function restrict(claim: Claim, domain: Domain): Claim {
  if (domain.values !== undefined) return intersect(claim, { absent: true, isListed: true, values: domain.values })
  if (!claim.isListed || domain.types === undefined) return claim
  return { ...claim, values: new Map([...claim.values].filter(([, value]) => domain.fits(value))) }
}

/** True if a value fulfils the claim. */
export function hasValue({ isListed: only, values }: Claim): boolean {
  return !only || values.size > 0
}

/** True if no state fulfils the claim. */
export function isNever(claim: Claim): boolean {
  return !claim.absent && !hasValue(claim)
}

/** True if every state fulfils the claim. */
export function isAny({ absent, isListed: only, values }: Claim): boolean {
  return absent && !only && values.size === 0
}

const texts = new WeakMap<Claim, string>()

/** Returns a text that is the same for equal claims. */
export function claimKey(claim: Claim): string {
  const known = texts.get(claim)
  if (known !== undefined) return known
  const { absent, isListed: only, values } = claim
  const text = `${absent ? '?' : ''}${only ? '=' : '!'}${[...values.keys()].sort().join(',')}`
  texts.set(claim, text)
  return text
}

/** Returns the intersection of many claims. */
export function intersectAll(claims: readonly Claim[]): Claim {
  const except = new Map(claims.flatMap(({ isListed: only, values }) => (only ? [] : [...values])))
  const rest: Claim = { absent: claims.every(({ absent }) => absent), isListed: false, values: except }
  return claims.filter(({ isListed: only }) => only).reduce(intersect, rest)
}

/** Returns the simplest state that fulfils a claim: a listed value, else absence, else a value that is not excluded. */
export function simplestClaim(claim: Claim): Claim {
  const [first] = claim.values.values()
  if (claim.isListed && first !== undefined) return claimOneOf([first])
  return claim.absent ? ABSENT : claim
}

/** Returns a claim in words: `"total" is absent`, `"state" is "lost"`, `"state" is none of "paid", "sent"`. */
export function describeClaim(key: string, { absent, isListed: only, values }: Claim): string {
  const named = [...values.values()].slice(0, 6).map((value) => shortJson(value))
  const more = values.size > named.length ? ', …' : ''
  const list = named.join(', ') + more
  const value = only
    ? values.size === 1
      ? list
      : `one of ${list}`
    : values.size === 0
      ? 'there'
      : values.size === 1
        ? `not ${list}`
        : `none of ${list}`
  if (!absent) return `${quote(key)} is ${value}`
  return `${quote(key)} is ${only && values.size === 0 ? 'absent' : !only && values.size === 0 ? 'anything' : `absent or ${value}`}`
}
