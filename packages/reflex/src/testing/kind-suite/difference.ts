import { firstDifference } from '../../history/first-difference.ts'
import type { Difference } from '../../kernel/index.ts'
import { pathText } from '../../text/index.ts'

/** Returns the first place at which a value differs, such as ` at board.count (7, not 2)`; an empty text if the whole value differs. */
export function placeOf(is: unknown, should: unknown): string {
  const found = firstDifference([is ?? null], [should ?? null])
  return found === undefined || found.path.length < 2 ? '' : ` at ${pathText(found.path.slice(1))} (${found.one}, not ${found.other})`
}

/** Returns a message about a record that a replay decides differently, with the place and the most common cause. */
export function replayText({ record, recorded, decided }: Difference): string {
  const place = placeOf(decided, recorded)
  return `a replay decides record ${record} differently${place}: the code that decides there reads something that no record holds, such as a clock, randomness or its own variable`
}
