import type { Activation } from '../model/manifest.ts'
import { phraseOf, stem, type TextWords, wordsOf } from './words.ts'

/** The labels and keywords of a skill, prepared once for the comparison with any number of texts. */
export interface Cues {
  readonly labels: readonly { readonly label: string; readonly stems: readonly string[] }[]
  readonly keywords: readonly { readonly keyword: string; readonly phrase: string }[]
}

/** Prepares the cues of a manifest. */
export function readCues({ goal_labels, keywords_any }: Pick<Activation, 'goal_labels' | 'keywords_any'>): Cues {
  return {
    labels: goal_labels.map((label) => ({ label, stems: wordsOf(label).map(stem) })).filter(({ stems }) => stems.length > 0),
    keywords: keywords_any.flatMap((keyword) => {
      const phrase = phraseOf(keyword)
      return phrase === undefined ? [] : [{ keyword, phrase }]
    }),
  }
}

/**
 * Returns the first label of the skill that the turn has. If the host states the labels of the turn, one of them must be equal; else all
 * words of a label must occur in the text of the user, compared by their stems.
 */
export function matchLabel(cues: Cues, words: TextWords, stated: readonly string[] | undefined): string | undefined {
  if (stated === undefined) return cues.labels.find(({ stems }) => stems.every((one) => words.stems.has(one)))?.label
  const names = new Set(stated.map((label) => label.normalize('NFKC').toLowerCase()))
  return cues.labels.find(({ label }) => names.has(label.normalize('NFKC').toLowerCase()))?.label
}

/** Returns the first keyword of the skill that occurs as whole words in the text of the user. */
export function matchKeyword(cues: Cues, words: TextWords): string | undefined {
  return cues.keywords.find(({ phrase }) => words.spaced.includes(phrase))?.keyword
}
