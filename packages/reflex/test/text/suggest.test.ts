import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { didYouMean, suggest, suggester } from '../../src/text/suggest.ts'

describe('did you mean', () => {
  test.each([
    ['delcine', ['approve', 'decline', 'pay'], 'decline'],
    ['aprove', ['approve', 'decline'], 'approve'],
    ['Greet', ['greet', 'great'], 'greet'],
    ['return_map', ['returnMap', 'workflowId'], 'returnMap'],
    ['not_exists', ['exists', 'not-exists'], 'not-exists'],
    ['desc', ['description', 'id'], 'description'],
    ['form', ['id', 'from', 'to'], 'from'],
    ['step12', ['step1', 'step2', 'setup'], 'step1'],
    ['payments', ['read', 'verify'], undefined],
    ['X', ['A', 'B'], undefined],
    ['audit', ['approve', 'decline'], undefined],
    ['', ['a', 'b'], undefined],
    ['anything', [], undefined],
  ])('%s among %j: %s', (word, names, expected) => {
    expect(suggest(word, names)).toBe(expected)
  })

  test('asks a question that is harmless to print', () => {
    expect(didYouMean('decline')).toBe('did you mean "decline"?')
    expect(didYouMean('\u001b[31m')).toBe('did you mean "\\u001b[31m"?')
    expect(didYouMean(undefined)).toBeUndefined()
  })

  test('takes the nearest name, and the first of equally near names', () => {
    expect(suggest('handler', ['handle', 'handles', 'handlers'])).toBe('handle')
  })

  test('finds any name with one mistake in it', () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd', 'e'), minLength: 4, maxLength: 12 })
    fc.assert(
      fc.property(name, fc.nat(), fc.constantFrom('drop', 'double', 'change', 'swap'), (word, at, slip) => {
        const i = at % (word.length - 1)
        const [head, one = '', two = '', tail] = [word.slice(0, i), word[i], word[i + 1], word.slice(i + 2)]
        const wrong = {
          drop: head + two + tail,
          double: head + one + one + two + tail,
          change: `${head}x${two}${tail}`,
          swap: head + two + one + tail,
        }[slip]
        expect(suggest(wrong, ['zzzzzzzzzzzzzzzzz', word])).toBe(word)
      }),
    )
  })

  test('never throws, and returns a name of the list or nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.array(fc.string({ unit: 'binary' })), (word, names) => {
        const guess = suggest(word, names)
        expect(guess === undefined || names.includes(guess)).toBe(true)
      }),
    )
  })

  test('does bounded work', () => {
    const names = Array.from({ length: 100_000 }, (_, i) => `some-rather-long-node-name-${i}`)
    const guess = suggester(names)
    expect(guess('SOME_RATHER_LONG_NODE_NAME_99999')).toBe('some-rather-long-node-name-99999')
    for (let i = 0; i < 20_000; i++) guess(`some-rather-lnog-node-name-${i}x`)
    expect(suggest('x'.repeat(1_000_000), ['y'.repeat(1_000_000)])).toBeUndefined()
  })
})
