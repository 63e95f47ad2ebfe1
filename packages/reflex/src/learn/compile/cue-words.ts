import { stem, wordsOf } from '../../kinds/skill/gate/words.ts'
import type { RunShape } from '../shapes/call-sequence.ts'

/** The words of the users of one run, in the form in which the gate compares texts with the cues of a skill. */
export interface CueWords {
  readonly stems: ReadonlySet<string>
  /** The words and the groups of two and three words. */
  readonly phrases: ReadonlySet<string>
}

/** The most phrases of one run. */
const MOST_IN_RUN = 300
const LONGEST_PHRASE = 3
/** Numbers, and single letters of alphabets, which are parts of marks such as `A-17`. A Chinese character is a word. */
const MARK = /^(?:\p{N}+|\p{Ll})$/u
const STOP = new Set(
  'a an and any are as at be but by can do for from get go has have he her him his i if in into is it its just let me my no not of off on or our out please she so some than that the their them then there these they this to up us was we were what when where which who will with would you your'.split(
    ' ',
  ),
)

/** Returns the words of the users of a run; undefined if nobody wrote anything. A word that stands for a secret does not count. */
export function cueWordsOf({ sequences }: Pick<RunShape, 'sequences'>): CueWords | undefined {
  const texts = new Set(sequences.flatMap((sequence) => sequence.texts.map(([, text]) => text)))
  const stems = new Set<string>()
  const phrases = new Set<string>()
  for (const text of texts) {
    const words = wordsOf(text)
    for (let i = 0; i < words.length && phrases.size < MOST_IN_RUN; i++) {
      for (let length = 1; length <= LONGEST_PHRASE && i + length <= words.length; length++) {
        const phrase = words.slice(i, i + length)
        if (isCue(phrase[0]) && isCue(phrase.at(-1)) && !phrase.some((word) => word.includes('secret'))) phrases.add(phrase.join(' '))
      }
      const word = words[i] ?? ''
      if (phrases.has(word)) stems.add(stem(word))
    }
  }
  return texts.size === 0 ? undefined : { stems, phrases }
}

function isCue(word = ''): boolean {
  return !STOP.has(word) && !MARK.test(word)
}
