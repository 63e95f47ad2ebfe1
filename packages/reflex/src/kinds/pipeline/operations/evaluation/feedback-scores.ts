import { jaccard, mean, shapeOf, wordsOf } from './scores.ts'

/** Returns the score of a text, in [0, 1]. The reference may be empty. */
export type Scoring = (text: string, reference: string) => number

/** The expected number of characters of a text without a reference. */
const USUAL_LENGTH = 500
/** The number of parts of a well-structured text. */
const ENOUGH_PARTS = 10

/** The methods of scoring a text (reference pipeline 4.6.5). */
export const SCORINGS: ReadonlyMap<string, Scoring> = new Map<string, Scoring>([
  ['length_ratio', lengthRatio],
  ['keyword_coverage', (text, reference) => (reference === '' ? structure(text) : keywords(text, reference))],
  ['structure', (text) => structure(text)],
  [
    'combined',
    (text, reference) => mean([lengthRatio(text, reference), ...(reference === '' ? [] : [keywords(text, reference)]), structure(text)]),
  ],
])

function lengthRatio(text: string, reference: string): number {
  return Math.min(1, text.length / (reference.length || USUAL_LENGTH))
}

function keywords(text: string, reference: string): number {
  return jaccard(wordsOf(text), wordsOf(reference))
}

function structure(text: string): number {
  const { headers, fences, items, paragraphs } = shapeOf(text)
  return Math.min(1, (headers + fences + items + paragraphs) / ENOUGH_PARTS)
}

/** True if the last `window` scores differ by less than `tolerance`. */
export function isPlateau(scores: readonly number[], window: number, tolerance: number): boolean {
  const last = scores.slice(-window)
  return window > 0 && last.length === window && Math.max(...last) - Math.min(...last) < tolerance
}

/** Returns the index of the highest score, the first of equal ones. */
export function bestOf(scores: readonly number[]): number {
  return scores.reduce((best, score, i) => (score > (scores[best] ?? 0) ? i : best), 0)
}
