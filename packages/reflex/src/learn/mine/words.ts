/** True if a word is a shorter word that is repeated at least twice: `abab`, and `ababa`, which is a part of a longer repetition. */
export function isRepetition(symbols: ArrayLike<number>): boolean {
  const { length } = symbols
  for (let period = 1; period * 2 <= length; period++) {
    let isRepeated = true
    for (let i = period; isRepeated && i < length; i++) isRepeated = symbols[i] === symbols[i - period]
    if (isRepeated) return true
  }
  return false
}

/** True if a word contains another one as neighbouring symbols. */
export function contains(word: ArrayLike<number>, part: ArrayLike<number>): boolean {
  for (let from = 0; from + part.length <= word.length; from++) {
    let i = 0
    while (i < part.length && word[from + i] === part[i]) i++
    if (i === part.length) return true
  }
  return false
}

/** A word with its support. */
interface SupportedWord {
  readonly symbols: ArrayLike<number>
  readonly support: number
}

/** The order in which words are kept: those that cover the most calls first. Equal coverage: the order given. */
export function byCoverage<Word extends SupportedWord>(words: readonly Word[]): readonly Word[] {
  const covered = ({ symbols, support }: Word): number => support * (symbols.length - 1)
  return words.toSorted((a, b) => covered(b) - covered(a))
}

/** True if a word says the same as a kept one: a part of it with less than twice its support, or a word around it with less than half. */
export function isRedundant(word: SupportedWord, kept: readonly SupportedWord[]): boolean {
  return kept.some((other) =>
    other.symbols.length > word.symbols.length
      ? isPart(word, other)
      : word.support < 0.5 * other.support && contains(word.symbols, other.symbols),
  )
}

/** True if the occurrences of a word are mostly within those of another one. */
export function isPart(word: SupportedWord, other: SupportedWord): boolean {
  return other.symbols.length > word.symbols.length && word.support < 2 * other.support && contains(other.symbols, word.symbols)
}
