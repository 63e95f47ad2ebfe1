import { describe, expect, test } from 'vitest'
import type { Json } from '../../../../src/kernel/journal/json.ts'
import { durationOf, isBadDuration, parseDuration } from '../../../../src/kinds/pipeline/language/duration.ts'
import { keyLabels, normaliseLabel } from '../../../../src/kinds/pipeline/language/edge-labels.ts'
import { lookUp } from '../../../../src/kinds/pipeline/language/look-up.ts'
import { renderText } from '../../../../src/kinds/pipeline/language/render.ts'
import { sourceOffset } from '../../../../src/kinds/pipeline/language/problem.ts'
import { attributesOf } from './graphs.ts'

describe('durations (reference pipeline 1.5)', () => {
  // proves: pipeline s2.5b, pipeline 12.114, pipeline 1.5a
  test.each<[unknown, number | null]>([
    ['250ms', 250],
    ['900s', 900_000],
    ['15m', 900_000],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
    ['120000', 120_000],
    [' 5s ', 5000],
    [1500, 1500],
    [0.5, 0.5],
    [null, null],
    [undefined, null],
    [true, null],
    ['', null],
    ['1.5h', null],
    ['5 s', null],
    ['5S', null],
    ['s', null],
    ['99999999999999999999d', null],
  ])('%j is %j', (value, milliseconds) => {
    expect(parseDuration(value)).toBe(milliseconds)
  })

  test('of attributes, in milliseconds whatever the key counts', () => {
    const attributes = attributesOf({ timeout: '300s', 'human.timeout_seconds': '1.5', max_delay: -5, initial_delay: 'soon', jitter: '' })
    const keys = ['timeout', 'human.timeout_seconds', 'max_delay', 'initial_delay', 'jitter', 'none']
    expect(keys.map((key) => durationOf(attributes, key))).toEqual([300_000, 1500, undefined, undefined, undefined, undefined])
    expect(keys.filter((key) => isBadDuration(attributes, key))).toEqual(['max_delay', 'initial_delay'])
  })
})

describe('keys of the context (reference pipeline 4.1)', () => {
  const context = new Map<string, Json>([
    ['a.b', 'flat'],
    ['a', { b: 'inner', c: { d: ['x', { e: null }] } }],
    ['context.k', 'long'],
    ['k', 'short'],
    ['exec.read', { content: 1 }],
    ['exec', { read: { other: 2 } }],
    ['nothing', null],
  ])
  // proves: pipeline 4.1f
  test.each<[string, Json | undefined]>([
    ['a.b', 'flat'],
    ['a.c.d.0', 'x'],
    ['a.c.d.1.e', null],
    ['a.c.d.01', undefined],
    ['a.c.d.length', undefined],
    ['a.c.toString', undefined],
    ['context.k', 'long'],
    ['context.a.c.d.0', 'x'],
    ['exec.read.content', 1],
    ['exec.read.other', undefined],
    ['nothing', null],
    ['context.nothing', null],
    ['nothing.more', undefined],
    ['missing', undefined],
    ['context.', undefined],
    ['', undefined],
    ['.'.repeat(100_000), undefined],
  ])('%s', (key, value) => {
    expect(lookUp((one) => context.get(one), key)).toEqual(value)
  })
})

test.each<[Json | undefined, string]>([
  ['text', 'text'],
  [2.0, '2'],
  [2.5, '2.5'],
  [true, 'true'],
  [null, ''],
  [undefined, ''],
  [{ a: [1] }, '{"a":[1]}'],
  [[], '[]'],
])('%j as text is %j (reference pipeline 6.1)', (value, text) => {
  expect(renderText(value)).toBe(text)
})

describe('labels (reference pipeline 3.3, 7.3)', () => {
  // proves: pipeline 3.3b
  test.each([
    ['  Approve ', 'approve'],
    ['[A] Approve', 'approve'],
    ['a) Approve', 'approve'],
    ['1 - Approve', 'approve'],
    ['[AB] Approve', '[ab] approve'],
    ['a-b', 'a-b'],
    ['[Y]es', '[y]es'],
    ['[A] [B] x', '[b] x'],
    ['', ''],
  ])('%j is compared as %j', (label, normal) => {
    expect(normaliseLabel(label)).toBe(normal)
  })

  // proves: pipeline 7.3b
  test.each<[string[], [string, string][]]>([
    [
      ['Approve', 'Modify', 'Reject'],
      [
        ['A', 'Approve'],
        ['M', 'Modify'],
        ['R', 'Reject'],
      ],
    ],
    [
      ['[ok] Go on', 'N) No', 'm - Maybe'],
      [
        ['ok', 'Go on'],
        ['N', 'No'],
        ['m', 'Maybe'],
      ],
    ],
    [
      ['[Y]es', '[N]'],
      [
        ['Y', 'Yes'],
        ['N', 'N'],
      ],
    ],
    [
      ['Retry', 'Reject', '[e] Exit'],
      [
        ['R', 'Retry'],
        ['J', 'Reject'],
        ['e', 'Exit'],
      ],
    ],
    [
      ['[a] One', '[A] Two', 'a'],
      [
        ['a', 'One'],
        ['T', 'Two'],
        ['1', 'a'],
      ],
    ],
    [
      ['ship_it', '!!', ''],
      [
        ['S', 'ship_it'],
        ['1', '!!'],
        ['2', ''],
      ],
    ],
  ])('%j offers %j', (labels, choices) => {
    expect(keyLabels(labels).map(({ key, text }) => [key, text])).toEqual(choices)
  })

  test('keys are unique, however many share a label', () => {
    const keys = keyLabels(Array.from({ length: 300 }, () => 'Go')).map(({ key }) => key.toLowerCase())
    expect(new Set(keys).size).toBe(300)
  })
})

test.each<[string, number, number]>([
  ['"abc"', 1, 2],
  ['"a\\"b"', 2, 4],
  ['"a\\nb\\tc"', 4, 7],
  ['"\\\\d\\d"', 2, 4],
  ['"\\\\d\\d"', 4, 6],
  ['"ab"', 99, 3],
  ['bare', 2, 2],
  ['"open', 99, 5],
])('in %s, character %i of the value stands at %i', (raw, offset, at) => {
  expect(sourceOffset(raw, offset)).toBe(at)
})
