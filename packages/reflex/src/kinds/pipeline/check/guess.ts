import { suggester, type Suggester } from '../../../text/index.ts'

/** Findings of one rule that are told; more are counted in the last. */
export const MAX_FINDINGS = 20

/** Guesses at the names that were meant, for as many findings as are told. */
export function guesser(names: Iterable<string>): Suggester {
  let guess: Suggester | undefined
  let left = MAX_FINDINGS
  return (word) => (left-- > 0 ? (guess ??= suggester(names))(word) : undefined)
}
