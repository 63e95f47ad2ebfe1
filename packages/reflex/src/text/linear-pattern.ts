import type * as Library from '@bufbuild/re2'
import { createRequire } from 'node:module'

/** The instructions that a regular expression is compiled to. */
export type PatternProgram = ReturnType<Library.RE2JS['re2']>['prog']

/** A regular expression of RE2, ready to be asked any number of times. */
export interface LinearPattern {
  /** The program of the matcher, for searches that need more than an answer. */
  readonly program: PatternProgram
  /** Instructions of the program that it is: what one character of a text may cost. */
  readonly size: number
  /** Whether it matches anywhere in a text. */
  test(text: string): boolean
}

/** What is wrong with a regular expression. */
export interface PatternProblem {
  readonly problem: string
}

/** How many patterns are kept compiled. */
export const PATTERN_CACHE_SIZE = 100
/** What the automaton of a kept pattern may have grown to, in numbers; then it is made anew. */
const LARGEST_AUTOMATON = 1_000_000

let library: typeof Library | undefined
const cache = new Map<string, LinearPattern | PatternProblem>()

/**
 * The regular expression of a text, compiled once for as long as it is among the last hundred that were asked for, or
 * what is wrong with it. What it costs to compile can be told before: `patternCost`.
 */
export function linearPattern(pattern: string): LinearPattern | PatternProblem {
  const made = cache.get(pattern) ?? compile(pattern)
  cache.delete(pattern)
  cache.set(pattern, made)
  const [oldest = ''] = cache.keys()
  if (cache.size > PATTERN_CACHE_SIZE) cache.delete(oldest)
  return made
}

/**
 * Whether a text matches a regular expression of RE2, anywhere in it, or what is wrong with the expression. Its time
 * grows with the text and never explodes: a step must not hang, and one that a clock stopped could not be replayed.
 */
export function matchLinear(text: string, pattern: string): boolean | PatternProblem {
  const made = linearPattern(pattern)
  return 'problem' in made ? made : made.test(text)
}

function compile(pattern: string): LinearPattern | PatternProblem {
  library ??= createRequire(import.meta.url)('@bufbuild/re2') as typeof Library
  try {
    const regex = library.RE2JS.compile(pattern)
    const program = regex.re2().prog
    const size = program.numInst()
    let budget = LARGEST_AUTOMATON
    const test = (text: string): boolean => {
      // An automaton grows with what it reads: at most one state, with a place for each instruction, for a character.
      budget -= text.length * (size + 300)
      if (budget < 0) cache.delete(pattern)
      return regex.test(text)
    }
    return { program, size, test }
  } catch (thrown) {
    return { problem: thrown instanceof Error ? thrown.message.replace(/^.*error parsing regexp: /, '') : 'it cannot be read' }
  }
}

/** Nobody writes a longer one, and what is computed could be as long as any text. */
const MAX_LENGTH = 2000
const TOKEN = /\\[pPx]\{[^}]{0,40}\}|\\[\s\S]|\[\^?\]?(?:\\[\s\S]|[^\]\\])*\]?|\{(\d+)(?:,(\d*))?\}|[\s\S]/g

/**
 * What it costs to compile a pattern, in steps of an expression (about a microsecond): by its text alone, and never too
 * little. Counted are the parts that repetitions make of it, classes of Unicode, and ranges without regard to case,
 * which the library makes character by character. Infinite for one that is too long to be looked at.
 */
export function patternCost(pattern: string): number {
  if (pattern.length > MAX_LENGTH) return Number.POSITIVE_INFINITY
  const classes = pattern.match(/\\[pP]|\[:/g)?.length ?? 0
  const foldedCount = /\(\?[a-zA-Z]*i/.test(pattern) ? charactersOf(pattern) : 0
  return 20 + partsOf(pattern) / 4 + classes * 200 + foldedCount / 8
}

const RANGE = /(?<=([\s\S]))-(?=\\x\{([0-9a-fA-F]+)\}|([\s\S]))/gu
/** Characters with two cases stand between these. */
const [FIRST_CASED, LAST_CASED] = [0x41, 0x1e943]

/** How many characters the ranges of a pattern hold, such that have two cases; every `-` may stand for one. */
function charactersOf(pattern: string): number {
  let count = 0
  for (const [, before = '', hex, after = ''] of pattern.matchAll(RANGE)) {
    const last = hex === undefined ? (after.codePointAt(0) ?? 0) : Number.parseInt(hex, 16)
    const first = before.codePointAt(0) ?? 0
    // What an escape ends with says nothing of where the range begins.
    count += Math.max(0, Math.min(last, LAST_CASED) - (first < 0x80 ? FIRST_CASED : first))
  }
  return count
}

/** Parts of a pattern, each counted as often as `{n,m}` repeats it; those around it multiply it. */
function partsOf(pattern: string): number {
  // Between \Q and \E brackets are none.
  if (pattern.includes('\\Q')) return pattern.length * 1000
  const open: number[] = []
  let [parts, last] = [0, 0]
  for (const [token, least, most = ''] of pattern.matchAll(TOKEN)) {
    if (token === '(') {
      open.push(parts)
      parts = 0
    } else if (token === ')') {
      last = parts + 1
      parts = (open.pop() ?? 0) + last
    } else if (least !== undefined) {
      const times = Math.min(1000, Math.max(1, Number(least) + 1, Number(most)))
      parts += last * (times - 1)
      last *= times
    } else if (!'*+?'.includes(token)) parts += last = 1
  }
  return open.reduce((sum, outer) => sum + outer, parts)
}
