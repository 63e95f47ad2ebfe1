import type * as Library from '@bufbuild/re2'
import { createRequire } from 'node:module'

/** The instructions of a compiled regular expression. */
export type PatternProgram = ReturnType<Library.RE2JS['re2']>['prog']

/** A compiled regular expression of RE2. It can be used any number of times. */
export interface LinearPattern {
  /** The program of the matcher, for searches that need groups. */
  readonly program: PatternProgram
  /** The number of instructions; one character of a text costs at most as many steps. */
  readonly size: number
  /** Returns true if it matches anywhere in a text. */
  test(text: string): boolean
}

/** The reason why a regular expression cannot be compiled. */
export interface PatternProblem {
  readonly problem: string
}

/** The number of compiled patterns in the cache. */
export const PATTERN_CACHE_SIZE = 100
/** The limit on the growth of the automaton of a cached pattern, in numbers. Beyond it, the pattern is compiled again. */
const LARGEST_AUTOMATON = 1_000_000

let library: typeof Library | undefined
const cache = new Map<string, LinearPattern | PatternProblem>()

/**
 * Compiles a regular expression, or returns the reason why it cannot be compiled. The last hundred patterns are cached. `patternCost` gives
 * the cost of compiling in advance.
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
 * Returns true if a regular expression of RE2 matches anywhere in a text, or the reason why it cannot be compiled. The time is linear in
 * the text: a step must not hang, and a step stopped by a clock could not be replayed.
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
      // The automaton grows as it reads: each character adds at most one state, with a place for each instruction.
      budget -= text.length * (size + 300)
      if (budget < 0) cache.delete(pattern)
      return regex.test(text)
    }
    return { program, size, test }
  } catch (thrown) {
    return { problem: thrown instanceof Error ? thrown.message.replace(/^.*error parsing regexp: /, '') : 'it cannot be read' }
  }
}

/** The maximum length of a pattern in characters. Written patterns are shorter; computed patterns can have any length. */
const MAX_LENGTH = 2000
const TOKEN = /\\[pPx]\{[^}]{0,40}\}|\\[\s\S]|\[\^?\]?(?:\\[\s\S]|[^\]\\])*\]?|\{(\d+)(?:,(\d*))?\}|[\s\S]/g

/**
 * Returns the cost of compiling a pattern, in steps of an expression (about a microsecond each). It depends only on the text of the pattern
 * and is never too low. It counts the parts that repetitions produce, Unicode classes, and ranges that ignore case, which the library
 * builds character by character. It is infinite for a pattern that is longer than the limit.
 */
export function patternCost(pattern: string): number {
  if (pattern.length > MAX_LENGTH) return Number.POSITIVE_INFINITY
  const classes = pattern.match(/\\[pP]|\[:/g)?.length ?? 0
  const foldedCount = /\(\?[a-zA-Z]*i/.test(pattern) ? charactersOf(pattern) : 0
  return 20 + partsOf(pattern) / 4 + classes * 200 + foldedCount / 8
}

const RANGE = /(?<=([\s\S]))-(?=\\x\{([0-9a-fA-F]+)\}|([\s\S]))/gu
/** The first and last characters that have an upper and a lower case. */
const [FIRST_CASED, LAST_CASED] = [0x41, 0x1e943]

/** Returns the number of characters with two cases in the ranges of a pattern. Every `-` can be a range. */
function charactersOf(pattern: string): number {
  let count = 0
  for (const [, before = '', hex, after = ''] of pattern.matchAll(RANGE)) {
    const last = hex === undefined ? (after.codePointAt(0) ?? 0) : Number.parseInt(hex, 16)
    const first = before.codePointAt(0) ?? 0
    // An ASCII character can be the end of an escape, which does not show where the range begins.
    count += Math.max(0, Math.min(last, LAST_CASED) - (first < 0x80 ? FIRST_CASED : first))
  }
  return count
}

/** Returns the number of parts of a pattern. `{n,m}` repeats the part before it; nested repetitions multiply. */
function partsOf(pattern: string): number {
  // Between \Q and \E, brackets are plain characters.
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
