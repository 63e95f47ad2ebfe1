import { suggester, type Suggester } from '../../../text/index.ts'
import { MAX_FINDINGS } from './finding.ts'

/** Suggests names for as many findings as are listed. */
export function guesser(names: Iterable<string>): Suggester {
  let guess: Suggester | undefined
  let left = MAX_FINDINGS
  return (word) => (left-- > 0 ? (guess ??= suggester(names))(word) : undefined)
}
