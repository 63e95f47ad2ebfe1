import { both, type Claim, otherwise, PRESENT, within } from './claim.ts'
import { isDecided } from './condition.ts'
import type { Claims } from './demand.ts'
import type { BoardRead } from './flow.ts'
import type { Sheet, Stop } from './sheet.ts'

const passed = new WeakMap<Stop, Claims>()

/**
 * What must be so at a node for a run to get past it: what it cannot do without is there, and none of its guards fails. So
 * a key that is missing is told of where it is first read, and not again behind.
 */
export function passing(sheet: Sheet, stop: Stop): Claims {
  const known = passed.get(stop)
  if (known !== undefined) return known
  const claims = new Map<string, Claim>()
  const claim = (key: string, asked: Claim): void => {
    claims.set(key, both(claims.get(key) ?? asked, asked))
  }
  for (const { key, required } of stop.node.inputs ?? []) if (required && canBeThere(sheet, key)) claim(key, PRESENT)
  for (const key of readThrough(sheet, stop.flow.reads)) claim(key, PRESENT)
  for (const { edge } of stop.leaving) {
    if (edge.guard?.type !== 'cel') continue
    const condition = sheet.condition(edge)
    if (!isDecided(condition)) for (const key of condition.needs) claim(key, PRESENT)
    else
      for (const failing of condition.fails) {
        const [only, ...others] = failing
        if (only !== undefined && others.length === 0) claim(only[0], within(otherwise(only[1]), sheet.domain(only[0])))
      }
  }
  passed.set(stop, claims)
  return claims
}

/** The keys that reads cannot do without, and that can be there at all. */
export function readThrough(sheet: Sheet, reads: readonly BoardRead[]): string[] {
  return reads.flatMap(({ path, optional }) => {
    const key = sheet.keyOf(path)
    return optional !== true && canBeThere(sheet, key) ? [key] : []
  })
}

/** A key that nothing ever writes is a finding where it is read; what lies behind is looked at all the same. */
function canBeThere(sheet: Sheet, key: string): boolean {
  return sheet.written.has(key) || !sheet.isAbsentAtFirst(key)
}
