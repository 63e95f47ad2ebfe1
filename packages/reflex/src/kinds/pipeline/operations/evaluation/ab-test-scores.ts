import { isObject } from '../../../../kernel/journal/json.ts'
import { normalCdf } from './scores.ts'
import { parseJson } from '../../language/parse-json.ts'

export type Variant = 'a' | 'b'

/** What a judge said of two variants. */
export interface Verdict {
  readonly winner: Variant
  /** In [0, 1]. */
  readonly score_a: number
  readonly score_b: number
}

/**
 * Reads the lines of a judge: `SCORE_A:`, `SCORE_B:`, `WINNER:`. A score that is not there is 0.5; where no winner is named
 * the higher score wins, and a where they are equal (reference pipeline 4.3.3).
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

/** How often each variant has won. */
export type WinCounts = Readonly<Record<Variant, number>>

/**
 * Counts the wins in a history, one JSON object a line. Only tests of the same two texts count: a variant that was
 * changed is another one. Lines that are none are passed over.
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
 * The variant that leads clearly, by a one-sided z test: z = (p − 0.5) / √(0.25 / n), with p the leader's share of n wins.
 * Nothing below `least` wins, or where chance alone would lead so far with `significance` or more.
 */
export function clearWinner({ a, b }: WinCounts, minSamples: number, significance: number): Variant | undefined {
  const n = a + b
  if (n === 0 || n < minSamples || a === b) return undefined
  const z = (Math.max(a, b) / n - 0.5) / Math.sqrt(0.25 / n)
  return 1 - normalCdf(z) < significance ? (a > b ? 'a' : 'b') : undefined
}
