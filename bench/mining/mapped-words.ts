import type { CollapsedLog } from '../../packages/reflex/src/learn/mine/collapse.ts'

/** Returns all words of a length in a list, as the package `n-gram` does. */
export type WordsOf = (length: number) => (list: readonly string[]) => readonly (readonly string[])[]

/** Counts the runs of every word of 2 to so many calls with a package for n-grams and a map. Returns the number of words. */
export function countMapped({ symbol, run }: CollapsedLog, maxLength: number, wordsOf: WordsOf): number {
  const counts = new Map<string, { support: number; last: number }>()
  let sequence: string[] = []
  for (const [place, id] of symbol.entries()) {
    if (id >= 0) {
      sequence.push(String(id))
      continue
    }
    for (let length = 2; length <= maxLength; length++)
      for (const word of wordsOf(length)(sequence)) count(counts, word.join(' '), run[place] ?? 0)
    sequence = []
  }
  return counts.size
}

function count(counts: Map<string, { support: number; last: number }>, word: string, run: number): void {
  const known = counts.get(word)
  if (known === undefined) counts.set(word, { support: 1, last: run })
  else if (known.last !== run) {
    known.support++
    known.last = run
  }
}
