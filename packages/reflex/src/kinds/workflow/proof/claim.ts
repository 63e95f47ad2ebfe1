import { canonicalJson, copyJson, type Json } from '../../../kernel/journal/json.ts'
import { shortJson, quote } from '../../../text/index.ts'
import type { BuiltinGuard } from '../types.ts'
import type { Domain } from './domain.ts'

/**
 * What is asked of one board key at one moment: whether it may be missing, and which values it may have. Sets of values
 * are named or are all but those named, so that nothing has to be counted where a key may hold anything.
 */
export interface Claim {
  readonly absent: boolean
  /** `values` are the only ones; else all but these. */
  readonly isListed: boolean
  /** By their canonical text. */
  readonly values: ReadonlyMap<string, Json>
}

const NO_VALUES: ReadonlyMap<string, Json> = new Map()

/** Nothing is asked. */
export const ANY: Claim = { absent: true, isListed: false, values: NO_VALUES }
/** The key is not there. */
export const ABSENT: Claim = { absent: true, isListed: true, values: NO_VALUES }
/** The key is there, with whatever value. */
export const PRESENT: Claim = { absent: false, isListed: false, values: NO_VALUES }
/** What nothing fulfils. */
export const NEVER: Claim = { absent: false, isListed: true, values: NO_VALUES }

/** The key has one of these values. */
export function claimOneOf(values: Iterable<Json>, absent = false): Claim {
  return { absent, isListed: true, values: new Map(Array.from(values, (value) => [canonicalJson(value), value])) }
}

/** What a built-in guard asks for, so that its edge is open (seed workflow 2.8, reference workflow C15). */
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

/** A value that is no JSON is never on a board. */
function equalTo(value: unknown): Claim {
  try {
    return claimOneOf([copyJson(value, 'value')])
  } catch {
    return NEVER
  }
}

/** Everything that a claim leaves out. */
export function complement({ absent, isListed, values }: Claim): Claim {
  return { absent: !absent, isListed: !isListed, values }
}

/** Both claims at once. */
export function intersect(a: Claim, b: Claim): Claim {
  if (a === ANY || a === b) return b
  if (b === ANY) return a
  const absent = a.absent && b.absent
  if (!a.isListed && !b.isListed) return { absent, isListed: false, values: new Map([...a.values, ...b.values]) }
  const [named, other] = a.isListed ? [a, b] : [b, a]
  return { absent, isListed: true, values: new Map([...named.values].filter(([text]) => other.values.has(text) === other.isListed)) }
}

/** A claim as far as the key's declared values can fulfil it. */
export function restrict(claim: Claim, domain: Domain): Claim {
  if (domain.values !== undefined) return intersect(claim, { absent: true, isListed: true, values: domain.values })
  if (!claim.isListed || domain.types === undefined) return claim
  return { ...claim, values: new Map([...claim.values].filter(([, value]) => domain.fits(value))) }
}

/** Whether some value fulfils it. */
export function hasValue({ isListed: only, values }: Claim): boolean {
  return !only || values.size > 0
}

/** Whether nothing fulfils it. */
export function isNever(claim: Claim): boolean {
  return !claim.absent && !hasValue(claim)
}

/** Whether everything fulfils it. */
export function isAny({ absent, isListed: only, values }: Claim): boolean {
  return absent && !only && values.size === 0
}

const texts = new WeakMap<Claim, string>()

/** The same text for the same claim. */
export function claimKey(claim: Claim): string {
  const known = texts.get(claim)
  if (known !== undefined) return known
  const { absent, isListed: only, values } = claim
  const text = `${absent ? '?' : ''}${only ? '=' : '!'}${[...values.keys()].sort().join(',')}`
  texts.set(claim, text)
  return text
}

/** Many claims at once. */
export function intersectAll(claims: readonly Claim[]): Claim {
  const except = new Map(claims.flatMap(({ isListed: only, values }) => (only ? [] : [...values])))
  const rest: Claim = { absent: claims.every(({ absent }) => absent), isListed: false, values: except }
  return claims.filter(({ isListed: only }) => only).reduce(intersect, rest)
}

/** The simplest state that fulfils a claim: a named value, else none, else another than those named. */
export function simplestClaim(claim: Claim): Claim {
  const [first] = claim.values.values()
  if (claim.isListed && first !== undefined) return claimOneOf([first])
  return claim.absent ? ABSENT : claim
}

/** A state of a key for people: `"total" is absent`, `"state" is "lost"`, `"state" is none of "paid", "sent"`. */
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
