import type { Fault } from '../kernel/index.ts'
import { firstGroups, fromJavaScript, javaScriptPatternProblem, linearPattern, type LinearPattern } from '../text/index.ts'
import { faults } from './faults.ts'

/** A regular expression as an author writes it. */
export interface TextPattern {
  readonly match: string
  readonly flags?: string | undefined
}

/** What one action may take: for tests, characters times the instructions of the patterns; for every match, the steps that are made. */
const [MOST_TESTED, MOST_STEPS] = [500_000_000, 50_000_000]

/** Why a pattern cannot be matched in time linear in its text, and what to write instead; undefined for one that can. */
export const patternProblem = javaScriptPatternProblem

/** For each text the index of the first pattern that matches, or -1. Throws `R2112` for more than can be matched. */
export function firstMatches(texts: readonly string[], patterns: readonly TextPattern[], where: string): readonly number[] {
  const made = patterns.map((pattern) => compiled(pattern, '', where))
  const characters = texts.reduce((sum, text) => sum + text.length, 0)
  const steps = made.reduce((sum, { size }) => sum + size * characters, 0)
  if (steps > MOST_TESTED) throw tooManySteps(where, `${characters} characters by ${made.length} patterns`)
  return texts.map(lines).map((text) => made.findIndex((pattern) => pattern.test(text)))
}

/** Every match in some texts: its first group, else the whole; at most `most`. Throws `R2112` for more than can be matched. */
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

/** A line ends with `\n` for every pattern, however its text says it. */
function lines(text: string): string {
  return text.replaceAll('\r\n', '\n')
}

function compiled({ match, flags }: TextPattern, defaultFlags: string, where: string): LinearPattern {
  const made = linearPattern(fromJavaScript(match, flags ?? defaultFlags))
  if ('problem' in made) throw faults.make('R2100', `${where}: ${made.problem}`, { path: where })
  return made
}

function tooManySteps(where: string, what: string): Fault {
  return faults.make('R2112', `${where}: to find ${what} takes too many steps`, { path: where })
}
