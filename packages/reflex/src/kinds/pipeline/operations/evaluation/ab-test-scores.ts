import { isObject } from '../../../../kernel/index.ts'
import { normalCdf } from './scores.ts'
import { parseJson } from '../../language/parse-json.ts'

export type Variant = 'a' | 'b'

/** The judgement of two variants. */
export interface Verdict {
  readonly winner: Variant
  /** In [0, 1]. */
  readonly score_a: number
  readonly score_b: number
}

/**
 * Reads the lines of a judge: `SCORE_A:`, `SCORE_B:`, `WINNER:`. A missing score is 0.5. Without a winner the higher score wins,
 * and a wins a tie (reference pipeline 4.3.3).
 */
export function readVerdict(reply: string): Verdict {
  const line = (name: string): string =>
    new RegExp(`^[ \\t*_#>-]{0,20}${name}[ \\t*_]{0,20}:[ \\t*_]{0,20}(.*)$`, 'im').exec(reply)?.[1]?.trim() ?? ''
  const [score_a, score_b] = [score(line('SCORE_A')), score(line('SCORE_B'))]
  const [, named] = /^(?:variant\s+)?([ab])\b/i.exec(line('WINNER')) ?? []
  const winner = named === undefined ? (score_b > score_a ? 'b' : 'a') : named.toLowerCase() === 'b' ? 'b' : 'a'
  return { winner, score_a, score_b }
}

function score(text: string): number {
  const [number] = /^(?:\d+(?:\.\d*)?|\.\d+)/.exec(text) ?? []
  return number === undefined ? 0.5 : Math.min(1, Number(number))
}

/** The number of wins of each variant. */
export type WinCounts = Readonly<Record<Variant, number>>

/**
 * Counts the wins in a history of one JSON object per line. Only tests of the same two texts count, because a changed variant is
 * a different one. Invalid lines are ignored.
 */
export function countWins(history: string, hashes: Readonly<Record<Variant, string>>): WinCounts {
  const wins = { a: 0, b: 0 }
  for (const line of history.split('\n')) {
    const record = parseJson(line)
    if (!isObject(record) || record['hash_a'] !== hashes.a || record['hash_b'] !== hashes.b) continue
    if (record['winner'] === 'a' || record['winner'] === 'b') wins[record['winner']]++
  }
  return wins
}

/**
 * Returns the variant that leads significantly, by a one-sided z test: z = (p − 0.5) / √(0.25 / n), with p the leader's share of
 * n wins. Undefined below `minSamples`, or if the probability of such a lead by chance is `significance` or more.
 */
export function clearWinner({ a, b }: WinCounts, minSamples: number, significance: number): Variant | undefined {
  const n = a + b
  if (n === 0 || n < minSamples || a === b) return undefined
  const z = (Math.max(a, b) / n - 0.5) / Math.sqrt(0.25 / n)
  return 1 - normalCdf(z) < significance ? (a > b ? 'a' : 'b') : undefined
}
