import { assert, constantFrom, property, string } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DIMENSIONS } from '../../../../src/kinds/pipeline/operations/evaluation/drift.ts'
import { runDot } from '../engine/harness.ts'
import { around, evalWorld } from './eval-world.ts'

const scored = (name: string, a: string, b: string): number => DIMENSIONS.get(name)?.(a, b) ?? Number.NaN

describe('how alike two texts are', () => {
  test.each<[dimension: string, baseline: string, current: string, score: number]>([
    ['length', 'abcd', 'abcdefgh', 0.5],
    ['length', '', '', 1],
    ['length', 'abc', '', 0],
    ['keywords', 'the quick fox', 'The slow FOX', 0.5],
    ['keywords', 'of it', 'to be', 1],
    ['keywords', 'über straße', 'Straße', 0.5],
    // lines 2 of 4, paragraphs 1 of 2, no fences in either
    ['structure', 'a\nb', 'a\nb\n\nc', (0.5 + 0.5 + 1) / 3],
    ['structure', '```\nx\n```', 'x', (1 / 3 + 1 + 0) / 3],
    ['format', '# head\n- one', '- two', 2 / 3],
    ['format', '# head\n1. one\n```\n```', 'plain', 0],
    ['format', 'plain', '#tag - no list', 1],
  ])('%s of %j and %j is %f', (dimension, baseline, current, score) => {
    expect(scored(dimension, baseline, current)).toBeCloseTo(score)
  })

  test('each score is in [0, 1], the same both ways, and 1 for a text and itself', () => {
    const text = string({ maxLength: 200, unit: constantFrom('a', 'B', 'é', ' ', '\n', '#', '-', '`', '1', '.', 'word ', '```\n') })
    assert(
      property(text, text, constantFrom(...DIMENSIONS.keys()), (a, b, name) => {
        const score = scored(name, a, b)
        expect(score).toBeGreaterThanOrEqual(0)
        expect(score).toBeLessThanOrEqual(1)
        expect(scored(name, b, a)).toBe(score)
        expect(scored(name, a, a)).toBe(1)
      }),
    )
  })
})

const baseline = (text: string): Record<string, string> => ({
  'base.json': JSON.stringify({ text, timestamp: '2026-01-01T00:00:00.000Z', stats: {} }),
})
const detect = async (current: string | undefined, files: Readonly<Record<string, string>>, attributes = '') => {
  const world = evalWorld({ files })
  const went = await runDot(around(`type="drift_detect" baseline_path="base.json" ${attributes}`), {
    values: current === undefined ? {} : { last_response: current },
    ports: world.ports,
  })
  return { went, file: world.files.get('base.json') ?? '', own: (key: string) => went.context[`drift.n.${key}`] }
}

// proves: pipeline 4.3.4a
test('without a baseline the text becomes one', async () => {
  const { went, file, own } = await detect('one two\nthree', {})
  expect(went.status).toBe('success')
  expect([own('score'), own('passed'), own('action_taken')]).toEqual([1, true, 'baseline_created'])
  expect(JSON.parse(file)).toEqual({
    text: 'one two\nthree',
    timestamp: expect.stringMatching(/^\d{4}-.*Z$/) as string,
    stats: { length: 13, word_count: 3, line_count: 2 },
  })
})

// proves: pipeline 4.3.4b
test('a text that is alike passes, and the report says how', async () => {
  const { went, own, file } = await detect('one two three', baseline('one two three'))
  expect([own('score'), own('passed'), own('action_taken')]).toEqual([1, true, 'none'])
  expect(went.context['drift_report']).toMatchObject({
    overall_score: 1,
    threshold: 0.7,
    passed: true,
    dimensions: { length: 1, keywords: 1, structure: 1, format: 1 },
    baseline_timestamp: '2026-01-01T00:00:00.000Z',
  })
  expect(JSON.parse(file)).toMatchObject({ text: 'one two three' })
})

// proves: pipeline 4.3.4b
test('one that has drifted is warned about, noted, or fails', async () => {
  const far = 'something else entirely, and much longer than it was'
  const only = 'dimensions=keywords'
  const warned = await detect(far, baseline('short'), only)
  expect([warned.went.status, warned.own('passed'), warned.own('action_taken')]).toEqual(['success', false, 'warn'])
  expect(warned.own('dimensions')).toEqual({ keywords: 0 })
  const logged = await detect(far, baseline('short'), `${only} action=log threshold=0.1 result_key=seen`)
  expect([logged.went.status, logged.own('action_taken')]).toEqual(['success', 'log'])
  expect(logged.went.context['seen']).toMatchObject({ threshold: 0.1, passed: false })
  const failed = await detect(far, baseline('short'), `${only} action=fail update_baseline=true`)
  expect(failed.went.reason).toContain('has drifted: the score is 0.00')
  expect(failed.own('score')).toBe(0)
  expect(JSON.parse(failed.file)).toMatchObject({ text: 'short' })
})

test('the text becomes the new baseline where the node says so', async () => {
  expect(JSON.parse((await detect('new words', baseline('old words'), 'update_baseline=true')).file)).toMatchObject({ text: 'new words' })
})

test('no value, a file that is no baseline, words that mean nothing fail', async () => {
  expect((await detect(undefined, {})).went.reason).toContain('the context has no last_response')
  expect((await detect('x', { 'base.json': 'hello' })).went.reason).toContain('is not a baseline')
  await expect(detect('x', {}, 'dimensions="length,lenth"')).rejects.toThrow('"length,lenth"')
  await expect(detect('x', {}, 'action=stop')).rejects.toThrow('not one of "warn", "fail", "log"')
})
