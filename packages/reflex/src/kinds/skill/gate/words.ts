/** The text that scoring reads, in UTF-16 units. The rest of a longer text does not count: it is a file, not a wish. */
const LONGEST = 65_536

/** Scripts that put no space between words: each character is a word, so that a phrase is found inside a sentence. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/gu
const WORDS = /[\p{L}\p{M}\p{N}]+/gu

/** The words of a text in the form in which cues of skills are compared with them. */
export interface TextWords {
  /** The words between spaces, with a space at both ends: a phrase occurs if it does with its spaces. */
  readonly spaced: string
  readonly stems: ReadonlySet<string>
}

/** Returns the words of a text: NFKC, lower case, split at everything that is no letter and no digit (reference skill 1.9). */
export function wordsOf(text: string): readonly string[] {
  const plain = text.slice(0, LONGEST).normalize('NFKC').toLowerCase()
  return plain.replace(UNSPACED, ' $& ').match(WORDS) ?? []
}

/** Prepares a text for the comparison with the cues of any number of skills. */
export function readWords(text: string): TextWords {
  const words = wordsOf(text)
  return { spaced: ` ${words.join(' ')} `, stems: new Set(words.map(stem)) }
}

/** Returns a phrase as it occurs in `TextWords.spaced`; undefined for one without words, which occurs nowhere. */
export function phraseOf(text: string): string | undefined {
  const words = wordsOf(text)
  return words.length === 0 ? undefined : ` ${words.join(' ')} `
}

const ENDINGS = ['ment', 'ing', 'ed'] as const
/** What stays of a word has at least so many characters: `red` and `string` keep theirs apart. */
const SHORTEST = 3

/**
 * Returns the stem of a word: without a plural and one of `ment`, `ing`, `ed`, then without a final `e` and a doubled last letter, so that
 * `releases`, `released` and `release` are one. It is meant to be predictable, not to be right about English.
 */
export function stem(word: string): string {
  let rest = word
  if (rest.endsWith('s') && !rest.endsWith('ss')) rest = cut(rest, 1)
  const ending = ENDINGS.find((one) => rest.endsWith(one) && rest.length - one.length >= SHORTEST)
  if (ending !== undefined) rest = cut(rest, ending.length)
  if (rest.endsWith('e')) rest = cut(rest, 1)
  return rest.at(-1) === rest.at(-2) ? cut(rest, 1) : rest
}

function cut(word: string, characters: number): string {
  return word.length - characters >= SHORTEST ? word.slice(0, -characters) : word
}
