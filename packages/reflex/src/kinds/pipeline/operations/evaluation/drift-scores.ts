import { similarity, jaccard, mean, shapeOf, wordsOf } from './scores.ts'

/** Returns the similarity of two texts in one respect, in [0, 1]; 1 means equal. */
export type Dimension = (baseline: string, current: string) => number

/** The dimensions of drift (reference pipeline 4.3.4). */
export const DIMENSIONS: ReadonlyMap<string, Dimension> = new Map<string, Dimension>([
  ['length', (baseline, current) => similarity(baseline.length, current.length)],
  ['keywords', (baseline, current) => jaccard(wordsOf(baseline), wordsOf(current))],
  ['structure', structure],
  ['format', format],
])

function structure(baseline: string, current: string): number {
  const [a, b] = [shapeOf(baseline), shapeOf(current)]
  return mean([similarity(a.lines, b.lines), similarity(a.paragraphs, b.paragraphs), similarity(a.fences, b.fences)])
}

/** Returns the share of headers, lists and code fences that are present in both or in neither. */
function format(baseline: string, current: string): number {
  const [a, b] = [shapeOf(baseline), shapeOf(current)]
  const agree = (['headers', 'items', 'fences'] as const).filter((part) => a[part] > 0 === b[part] > 0)
  return agree.length / 3
}
