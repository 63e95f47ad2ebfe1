import { suggester, type Suggester } from '../../../text/index.ts'

/** The largest number of listed findings of one rule. The last one states how many are not listed. */
export const MAX_FINDINGS = 20

/** Suggests names for as many findings as are listed. */
export function guesser(names: Iterable<string>): Suggester {
  let guess: Suggester | undefined
  let left = MAX_FINDINGS
  return (word) => (left-- > 0 ? (guess ??= suggester(names))(word) : undefined)
}
