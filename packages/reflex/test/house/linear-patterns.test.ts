import { describe, expect, it } from 'vitest'
import { worstInputs } from './patterns/inputs.ts'
import { patternsOfSources } from './patterns/sources.ts'
import { parsePattern, type Pattern } from './patterns/syntax.ts'
import { searchSteps, TooMuch } from './patterns/work.ts'

/** Characters of the shorter text; the longer one has four times as many. */
const LENGTH = 80
/** A linear search takes four times the steps in the longer text, a quadratic one sixteen times. */
const FACTOR = 8
/** Steps that need no explanation: so many for each character of the longer text. */
const PLENTY = 100 * 4 * LENGTH

/** The beginning of a text in which a search takes more than linear time, if there is one. */
function worstOf(source: string, flags: string, every?: boolean): string | undefined {
  const pattern = parsePattern(source, flags)
  return worstInputs(pattern).find((input) => !isLinear(pattern, input, every))?.(40)
}

function isLinear(pattern: Pattern, input: (length: number) => string, every?: boolean): boolean {
  const long = input(4 * LENGTH)
  if (stepsOf(pattern, long, PLENTY, every) !== undefined) return true
  const short = stepsOf(pattern, input(LENGTH), PLENTY, every)
  return short !== undefined && stepsOf(pattern, long, FACTOR * short, every) !== undefined
}

/** The steps of a search; undefined if it takes more than `most`. */
function stepsOf(pattern: Pattern, text: string, most: number, every?: boolean): number | undefined {
  try {
    return searchSteps(pattern, text, most, every)
  } catch (thrown) {
    if (!(thrown instanceof TooMuch)) throw thrown
    return undefined
  }
}

const { written, made } = patternsOfSources()

describe('patterns in the sources', () => {
  it('search in time linear in the text, whatever the text is', { timeout: 300_000 }, () => {
    const known = new Map<string, string | undefined>()
    const slow = written.flatMap(({ place, pattern, flags, every }) => {
      const name = `/${pattern}/${flags} ${every}`
      const text = known.has(name) ? known.get(name) : worstOf(pattern, flags, every)
      known.set(name, text)
      return text === undefined ? [] : [`${place}  ${name}  on ${JSON.stringify(text)}`]
    })
    expect(slow).toEqual([])
  })

  it('are made while a program runs only where that is known and safe', () => {
    expect(made).toEqual([
      // A name that is one of two in place of a word.
      'kinds/pipeline/operations/evaluation/ab-test.ts',
      // A width in place of a number: `.{1,40}`.
      'pictures/picture.ts',
      // Texts of secrets, escaped.
      'policy/redaction.ts',
      // Beginnings of keys, without any sign that means something in a pattern.
      'policy/secret-shapes.ts',
    ])
  })

  it.each([
    ['.{1,40}', 'gsu'],
    ['^[ \\t*_#>-]{0,20}WINNER[ \\t*_]{0,20}:[ \\t*_]{0,20}(.*)$', 'im'],
    ['‹secret [0-9a-f]{4}›|aaaaaaaaaaaaaaab|aaaaaaaab', 'g'],
  ])('search in linear time where they are made: /%s/%s', (pattern, flags) => {
    expect(worstOf(pattern, flags)).toBeUndefined()
  })
})

describe('the judgement of patterns', () => {
  it.each([
    ['(?:[a-z]+-)*[A-Za-z0-9_]{20,}', 'g'],
    ['\\s+$', ''],
    ['(a|a)*b', ''],
    ['^(\\w+\\s?)*$', ''],
    ['a.*b', 's'],
    ['^[ \\t]*(?:x|\\s)*y', 'm'],
    ['(?<=x*)y', ''],
  ])('finds /%s/%s slow', (pattern, flags) => {
    expect(worstOf(pattern, flags)).toBeDefined()
  })

  it.each([
    ['^\\s+', ''],
    ['[a-z]+', 'g'],
    ['^(?:\\d+(?:\\.\\d*)?|\\.\\d+)$', ''],
    ['"(?:[^"\\\\]|\\\\.)*"', 'y'],
    ['\\s+', 'g'],
  ])('finds /%s/%s quick', (pattern, flags) => {
    expect(worstOf(pattern, flags)).toBeUndefined()
  })
})
