import { array, assert, constantFrom, property, string } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { firstGroups, fromJavaScript, javaScriptPatternProblem, linearPattern } from '../../src/text/index.ts'

function groups(pattern: string, text: string, flags = '', steps = { left: 1e9 }): readonly string[] | undefined {
  const made = linearPattern(fromJavaScript(pattern, flags))
  if ('problem' in made) throw new Error(made.problem)
  return firstGroups(made, text, 1000, steps)
}

/** Returns the groups that JavaScript finds. */
function known(pattern: string, text: string, flags = ''): string[] {
  return [...text.matchAll(new RegExp(pattern, `${flags}gu`))].map(([whole, first]) => first ?? whole)
}

describe('the first groups of all matches', () => {
  const PATTERNS = [
    'a',
    'a*',
    '(a|ab)(c|bcd)?',
    'a|(b)',
    '^(\\w+)',
    '(\\w+)$',
    '\\b(b+)\\b',
    '(?:a|b)*?c',
    '(a+?)b',
    '[^ab]',
    '(?<n>b)a',
    '',
    'é.',
    '[ab]{2,3}',
  ]
  test.each(['', 'i', 'm', 's', 'ims'])('are those that JavaScript finds, with the flags %j', (flags) => {
    const text = string({ unit: constantFrom('a', 'b', 'c', 'A', ' ', '\n', 'é', '😀', 'd'), maxLength: 12 })
    assert(
      property(constantFrom(...PATTERNS), text, (pattern, given) => {
        expect(groups(pattern, given, flags)).toEqual(known(pattern, given, flags))
      }),
      { numRuns: 300 },
    )
  })

  test.each(['(a+)+$', '(a|a)*b', '(a*)*b', '(.*)*x', '^(a|aa)+$', '(?:a?){30}a{30}', 'a.*b', '[^]*b'])(
    'are searched for in steps that grow with the text alone: %s',
    (pattern) => {
      const stepsFor = (length: number): number => {
        const steps = { left: 1e9 }
        groups(pattern, `${'a'.repeat(length)}!`, '', steps)
        return 1e9 - steps.left
      }
      expect(stepsFor(2_000)).toBeLessThan(4.5 * stepsFor(500))
    },
  )

  test('are not found after the steps are used up', () => {
    expect(groups('[^]*b|a', 'a'.repeat(10_000), '', { left: 1_000_000 })).toBeUndefined()
  })
})

describe('a pattern that no search in linear time can match', () => {
  test.each([
    ['a(?=b)', 'a lookahead, (?= at character 2'],
    ['a(?!b)', 'a negative lookahead, (?! at character 2'],
    ['(?<=a)b', 'a lookbehind, (?<= at character 1'],
    ['(?<!a)b', 'a negative lookbehind, (?<! at character 1'],
    ['(a)\\1', 'a back reference, \\1 at character 4'],
    ['(?<n>a)\\k<n>', 'a back reference, \\k<n> at character 8'],
    ['(a{1000}){1000}', 'too large'],
    ['(', 'not a regular expression'],
  ])('%s is refused with the reason and a replacement', (pattern, words) => {
    expect(javaScriptPatternProblem(pattern)).toContain(words)
  })

  test.each(['[(?=]', '\\(\\?=', '(?:a)', '(?<name>a)', '\\\\1', '\\u00e9', '\\u{1F600}', '[^]', '[\\w$]+'])('%s is none', (pattern) => {
    expect(javaScriptPatternProblem(pattern)).toBeUndefined()
  })

  test('never throws for any pattern', () => {
    const pieces = array(
      constantFrom('(', ')', '[', ']', '?', '=', '!', '<', '\\', 'k', '1', '{', '}', ',', '*', '+', '|', '^', '$', 'a', 'u', '-'),
      {
        maxLength: 12,
      },
    )
    assert(property(pieces, (all) => void javaScriptPatternProblem(all.join(''), 'i')))
  })
})
