import { coerce, valid } from 'semver'
import type { CompatResult } from '../model/decision.ts'
import { isInRange } from './semantic-version.ts'

/** The facts of a host, such as its environment and its toolset. */
export type HostFacts = Readonly<Record<string, string | readonly string[]>>

/** True for a value of `toolset` that is a range of versions. */
export function isToolsetRange(value: string): boolean {
  return /^[<>^~]/.test(value)
}

/**
 * Compares what a manifest needs with the facts of the host (reference skill 1.4). Lists every key of the manifest in its order. A key
 * that the manifest does not have is not compared.
 */
export function matchCompat(compat: HostFacts, facts: HostFacts): CompatResult {
  const checks = Object.entries(compat).map(([key, want]) => {
    const have = Object.hasOwn(facts, key) ? facts[key] : undefined
    return { key, want, have: have ?? null, ok: have !== undefined && isMet(key, want, have) }
  })
  return { ok: checks.every(({ ok }) => ok), checks }
}

function isMet(key: string, want: string | readonly string[], have: string | readonly string[]): boolean {
  const found = typeof have === 'string' ? [have] : have
  const wanted = typeof want === 'string' ? [want] : want
  return wanted.some((value) => found.some((fact) => isEqual(key, value, fact)))
}

function isEqual(key: string, want: string, have: string): boolean {
  if (want === '*' || want === have) return true
  if (key !== 'toolset' || !isToolsetRange(want) || have.length > 64) return false
  const pair = `${want} ${have}`
  const isIn = inRange.get(pair) ?? isInRangeOf(have, want)
  if (inRange.size < MOST_PAIRS) inRange.set(pair, isIn)
  return isIn
}

/** The answers for ranges and toolsets: a bulletin asks the same for each skill, and reading a version takes longer than all else. */
const inRange = new Map<string, boolean>()
const MOST_PAIRS = 1_000

function isInRangeOf(have: string, want: string): boolean {
  // A toolset is often named by its major version only: "v6".
  const version = valid(have) ?? coerce(have)?.version
  return version !== undefined && isInRange(version, want)
}
