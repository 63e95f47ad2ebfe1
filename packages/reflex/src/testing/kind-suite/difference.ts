import { firstDifference } from '../../history/first-difference.ts'
import type { Difference } from '../../kernel/run/replay.ts'
import { pathText } from '../../text/index.ts'

/** Where a value is first not what it should be, such as ` at board.count (7, not 2)`; nothing where the whole of it is not. */
export function placeOf(is: unknown, should: unknown): string {
  const found = firstDifference([is ?? null], [should ?? null])
  return found === undefined || found.path.length < 2 ? '' : ` at ${pathText(found.path.slice(1))} (${found.one}, not ${found.other})`
}

/** A record that a replay decides in another way, with the place, and what that most often comes from. */
export function replayText({ record, recorded, decided }: Difference): string {
  const place = placeOf(decided, recorded)
  return `a replay decides record ${record} in another way${place}: what decides there reads something that no record holds, such as a clock, chance or a variable of its own`
}
