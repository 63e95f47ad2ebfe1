import type { CollapsedLog } from './collapse.ts'
import { type RareWords, type WordLevel, wordLevels } from './word-names.ts'

/** A word that enough runs have and that is closed: each of its extensions by one call has fewer runs. */
export interface ClosedWord {
  /** The symbols of the collapsed log. */
  readonly symbols: Int32Array
  /** The number of runs. */
  readonly support: number
  /** The support without the last call, and without the first one. */
  readonly prefixSupport: number
  readonly suffixSupport: number
  /** True if no extension by one call is frequent. */
  readonly isMaximal: boolean
}

/** The words of one length. */
export interface ClosedLevel {
  readonly length: number
  readonly words: readonly ClosedWord[]
  /** Frequent words that are not closed. */
  readonly open: readonly OpenWord[]
  readonly rare: RareWords
  /**
   * Visits the occurrences of all its words in the order of their places: the index of the word, and the place in the collapsed log. Those of
   * one word do not overlap: one begins where the one before it has ended, or later.
   */
  visit(take: (word: number, place: number) => void): void
}

/** A word that is not closed: the first place at which it occurs, and its support. */
export interface OpenWord {
  readonly first: number
  readonly support: number
}

/** Yields the frequent words of each length from 2 on. Whether one is closed is known from the words that are one longer. */
export function* closedWords(log: CollapsedLog, minSupport: number, maxLength: number): Generator<ClosedLevel> {
  let below: WordLevel | undefined
  let current: WordLevel | undefined
  for (const next of wordLevels(log, minSupport, maxLength)) {
    if (current !== undefined && below !== undefined) yield closedLevel(log, below, current, next)
    ;[below, current] = [current, next]
  }
  if (current !== undefined && below !== undefined && current.length <= maxLength) yield closedLevel(log, below, current, undefined)
}

function closedLevel(log: CollapsedLog, below: WordLevel, level: WordLevel, above: WordLevel | undefined): ClosedLevel {
  const { length, support, first, prefix, suffix, rare } = level
  const isOpen = new Uint8Array(support.length)
  const isExtended = new Uint8Array(support.length)
  const markParts = (parts: Int32Array, extended: Int32Array): void => {
    for (let name = 0; name < extended.length; name++) {
      const part = parts[name] ?? 0
      isExtended[part] = 1
      if (support[part] === extended[name]) isOpen[part] = 1
    }
  }
  if (above !== undefined) for (const parts of [above.prefix, above.suffix]) markParts(parts, above.support)
  const words: ClosedWord[] = []
  const open: OpenWord[] = []
  const indexOf = new Int32Array(support.length).fill(-1)
  for (let name = 0; name < support.length; name++) {
    const place = first[name] ?? 0
    if (isOpen[name] === 1) open.push({ first: place, support: support[name] ?? 0 })
    else
      indexOf[name] =
        words.push({
          symbols: log.symbol.slice(place, place + length),
          support: support[name] ?? 0,
          prefixSupport: below.support[prefix[name] ?? 0] ?? 0,
          suffixSupport: below.support[suffix[name] ?? 0] ?? 0,
          isMaximal: isExtended[name] === 0,
        }) - 1
  }
  return { length, words, open, rare, visit: (take) => visitOccurrences(level, indexOf, words.length, take) }
}

function visitOccurrences(
  { length, places, names }: WordLevel,
  indexOf: Int32Array,
  words: number,
  take: (word: number, place: number) => void,
): void {
  const ends = new Int32Array(words)
  for (let i = 0; i < places.length; i++) {
    const [word, place] = [indexOf[names[i] ?? 0] ?? -1, places[i] ?? 0]
    if (word < 0 || place < (ends[word] ?? 0)) continue
    ends[word] = place + length
    take(word, place)
  }
}
