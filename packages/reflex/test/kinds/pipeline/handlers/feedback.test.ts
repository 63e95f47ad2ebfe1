import { assert, constantFrom, property, string } from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../../src/kernel/index.ts'
import { bestOf, isPlateau, SCORINGS } from '../../../../src/kinds/pipeline/operations/evaluation/feedback.ts'
import { runDot } from '../engine/harness.ts'
import { around, evalWorld, type Said } from './eval-world.ts'

describe('scores', () => {
  const score = (method: string, text: string, reference = ''): number => SCORINGS.get(method)?.(text, reference) ?? Number.NaN
  const built = '# head\n\n- one\n- two\n\n```\ncode\n```'

  test.each<[method: string, text: string, reference: string, score: number]>([
    ['length_ratio', 'x'.repeat(250), '', 0.5],
    ['length_ratio', 'x'.repeat(900), '', 1],
    ['length_ratio', 'abcd', 'abcdefgh', 0.5],
    ['keyword_coverage', 'red green', 'green blue', 1 / 3],
    // one head, two items, one fence, three paragraphs
    ['keyword_coverage', built, '', 0.7],
    ['structure', built, 'ignored', 0.7],
    ['structure', '', '', 0],
    ['combined', 'x'.repeat(250), '', (0.5 + 0.1) / 2],
    ['combined', 'red green', 'red green', (1 + 1 + 0.1) / 3],
  ])('%s of %j against %j is %f', (method, text, reference, expected) => {
    expect(score(method, text, reference)).toBeCloseTo(expected)
  })

  test('each is in [0, 1]', () => {
    assert(
      property(string(), string(), constantFrom(...SCORINGS.keys()), (text, reference, method) => {
        expect(score(method, text, reference)).toBeGreaterThanOrEqual(0)
        expect(score(method, text, reference)).toBeLessThanOrEqual(1)
      }),
    )
  })

  test('a plateau is a full window that hardly moves; the first of the best is the best', () => {
    expect(isPlateau([0.5, 0.51, 0.5], 3, 0.02)).toBe(true)
    expect(isPlateau([0.5, 0.52, 0.5], 3, 0.02)).toBe(false)
    expect(isPlateau([0.1, 0.5, 0.5], 2, 0.02)).toBe(true)
    expect(isPlateau([0.5, 0.5], 3, 0.02)).toBe(false)
    expect([bestOf([0.1]), bestOf([0.1, 0.3, 0.2, 0.3])]).toEqual([0, 1])
  })
})

const of = (length: number): string => 'x'.repeat(length)
/** Revisions in their order; critiques are all the same. */
const loop = async (revisions: readonly Said[], attributes = '', values: JsonObject = { last_response: of(50) }) => {
  let next = 0
  const world = evalWorld({ say: ({ label }) => (label.endsWith('critique') ? 'too short' : (revisions[next++] ?? { fails: 'bad' })) })
  const went = await runDot(around(`type="feedback.loop" scoring_method=length_ratio ${attributes}`), { values, ports: world.ports })
  return { went, world, own: (key: string) => went.context[`feedback.n.${key}`] }
}

test('a text that is good enough is left alone', async () => {
  const { went, world, own } = await loop([], '', { last_response: of(450) })
  expect(world.heard).toEqual([])
  expect(went.context['last_response']).toBe(of(450))
  expect([own('iterations'), own('final_score'), own('best_iteration'), own('plateau_hit')]).toEqual([0, 0.9, 0, false])
})

// proves: pipeline 4.6.5a
test('it is revised until it is', async () => {
  const { went, world, own } = await loop([of(200), of(420), of(500)], 'prompt="write much"')
  expect(went.context['last_response']).toBe(of(420))
  expect(own('scores')).toEqual([0.1, 0.4, 0.84])
  expect([own('iterations'), own('best_iteration')]).toEqual([2, 2])
  expect(world.heard.map(({ label }) => label)).toEqual(['g/n/critique', 'g/n/revision', 'g/n/critique', 'g/n/revision'])
  expect(world.heard[0]?.prompt).toContain(of(50))
  expect(world.heard[1]?.prompt).toMatch(/write much[^]*too short/)
})

// proves: pipeline 4.6.5a
test('the best version counts and not the last', async () => {
  const { went, own } = await loop([of(300), of(100), of(200)])
  expect(went.context['last_response']).toBe(of(300))
  expect([own('iterations'), own('best_iteration'), own('final_score')]).toEqual([3, 1, 0.6])
})

// proves: pipeline 4.6.5a
test('a plateau ends it', async () => {
  const { own } = await loop([of(51), of(52), of(400)], 'max_iterations=9')
  expect([own('iterations'), own('plateau_hit')]).toEqual([2, true])
})

test('a model that fails ends it with what there is', async () => {
  const { went, own } = await loop([of(100), { fails: 'bad' }], 'max_iterations=9')
  expect(went.status).toBe('success')
  expect([went.context['last_response'], own('iterations')]).toEqual([of(100), 1])
})

test('without a text the prompt brings the first one; a critic is asked as the author wrote', async () => {
  const { went, world, own } = await loop([of(100), of(450)], 'prompt="say $word" critique_prompt="Judge: <{content}>"', { word: 'hello' })
  expect(world.heard[0]).toMatchObject({ prompt: 'say hello', label: 'g/n/draft' })
  expect(world.heard[1]?.prompt).toBe(`Judge: <${of(100)}>`)
  expect([went.context['last_response'], own('iterations')]).toEqual([of(450), 1])
  expect((await loop([{ fails: 'bad' }], 'prompt=hello', {})).went.status).toBe('failed')
})

test('nothing to work on, and a method that nobody knows, fail', async () => {
  expect((await loop([], '', {})).went.reason).toContain('source_key and prompt are both empty')
  await expect(runDot(around('type="feedback.loop" scoring_method=taste'))).rejects.toThrow('"taste"')
})
