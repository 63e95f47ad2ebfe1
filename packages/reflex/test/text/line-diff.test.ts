import { assert, array, constantFrom, property } from 'fast-check'
import { expect, test } from 'vitest'
import { lineDiff } from '../../src/text/index.ts'

test('separates lines of both texts from lines of only one', () => {
  const lines = lineDiff('Dear ana,\nyour next month is free.\nbye', 'Dear ana,\nyou pay half.\nbye')
  expect(lines.map(({ in: where, text }) => `${where} ${text}`)).toEqual([
    'both Dear ana,',
    'one your next month is free.',
    'other you pay half.',
    'both bye',
  ])
})

test('returns each text, line by line', () => {
  const text = array(constantFrom('a', 'b', 'c', ''), { maxLength: 12 }).map((lines) => lines.join('\n'))
  assert(
    property(text, text, (one, other) => {
      const lines = lineDiff(one, other)
      const side = (name: 'one' | 'other'): string =>
        lines
          .filter(({ in: where }) => where === 'both' || where === name)
          .map((line) => line.text)
          .join('\n')
      expect([side('one'), side('other')]).toEqual([one, other])
    }),
  )
})
