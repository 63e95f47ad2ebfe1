import type { Fault } from '../kernel/index.ts'
import { firstGroups, fromJavaScript, javaScriptPatternProblem, linearPattern, type LinearPattern } from '../text/index.ts'
import { faults } from './faults.ts'

/** A regular expression as an author writes it. */
export interface TextPattern {
  readonly match: string
  readonly flags?: string | undefined
}

/** The limits of one action. For tests: characters times the instructions of the patterns. For all matches: the steps of the search. */
const [MOST_TESTED, MOST_STEPS] = [500_000_000, 50_000_000]

/** Returns the reason why a pattern cannot be matched in linear time, and a replacement; undefined for a pattern that can. */
export const patternProblem = javaScriptPatternProblem

/** Returns the index of the first matching pattern for each text, or -1. Throws `R2112` beyond the limit of steps. */
export function firstMatches(texts: readonly string[], patterns: readonly TextPattern[], where: string): readonly number[] {
  const made = patterns.map((pattern) => compiled(pattern, '', where))
  const characters = texts.reduce((sum, text) => sum + text.length, 0)
  const steps = made.reduce((sum, { size }) => sum + size * characters, 0)
  if (steps > MOST_TESTED) throw tooManySteps(where, `${characters} characters by ${made.length} patterns`)
  return texts.map(lines).map((text) => made.findIndex((pattern) => pattern.test(text)))
}

/**
 * Returns all matches in some texts, at most `most`: the first group of each match, else the whole match. Throws `R2112` beyond
 * the limit of steps.
 */
export function everyMatch(texts: readonly string[], pattern: TextPattern, most: number, where: string): readonly string[] {
  const made = compiled(pattern, 'm', where)
  const steps = { left: MOST_STEPS }
  const found: string[] = []
  for (const text of texts.map(lines)) {
    if (found.length >= most) break
    if (!made.test(text)) continue
    const groups = firstGroups(made, text, most - found.length, steps)
    if (groups === undefined) throw tooManySteps(where, 'every match of the pattern')
    found.push(...groups)
  }
  return found
}

/** Returns a text whose lines end with `\n`, the only line end that patterns know. */
function lines(text: string): string {
  return text.replaceAll('\r\n', '\n')
}

function compiled({ match, flags }: TextPattern, defaultFlags: string, where: string): LinearPattern {
  const made = linearPattern(fromJavaScript(match, flags ?? defaultFlags))
  if ('problem' in made) throw faults.make('R2100', `${where}: ${made.problem}`, { path: where })
  return made
}

function tooManySteps(where: string, what: string): Fault {
  return faults.make('R2112', `${where}: the search for ${what} takes too many steps`, { path: where })
}
