import { assert, double, property } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { artifactsIn } from '../../../../src/kinds/pipeline/engine/artifacts.ts'
import { clearWinner, readVerdict, countWins } from '../../../../src/kinds/pipeline/operations/evaluation/ab-test.ts'
import { normalCdf } from '../../../../src/kinds/pipeline/operations/evaluation/scores.ts'
import { runDot } from '../engine/harness.ts'
import { around, evalWorld, type Said } from './eval-world.ts'

describe('the judge', () => {
  test.each<[said: string, winner: string, a: number, b: number]>([
    ['SCORE_A: 0.4\nSCORE_B: 0.9\nWINNER: B\nREASON: clear', 'b', 0.4, 0.9],
    ['**score_a:** .25\n- Score_B : 1\nwinner: variant a', 'a', 0.25, 1],
    ['SCORE_A: 0.2\nSCORE_B: 0.3', 'b', 0.2, 0.3],
    ['SCORE_A: 9\nWINNER: B', 'b', 1, 0.5],
    ['SCORE_A: high\nWINNER: both', 'a', 0.5, 0.5],
    ['I cannot say', 'a', 0.5, 0.5],
  ])('%j', (said, winner, score_a, score_b) => {
    expect(readVerdict(said)).toEqual({ winner, score_a, score_b })
  })
})

test('a judge that says nothing at length is read as fast as any', () => {
  expect(readVerdict(`${'\n'.repeat(300_000)}${'* '.repeat(100_000)}`)).toEqual({ winner: 'a', score_a: 0.5, score_b: 0.5 })
})

describe('statistics', () => {
  test.each([
    [0, 0.5],
    [1, 0.841345],
    [1.644854, 0.95],
    [1.959964, 0.975],
    [-1, 0.158655],
    [-3, 0.00135],
  ])('the normal distribution below %f is %f', (z, share) => {
    expect(normalCdf(z)).toBeCloseTo(share, 5)
  })

  test('the normal distribution rises, and its halves are one', () => {
    const z = double({ min: -6, max: 6, noNaN: true })
    assert(
      property(z, z, (a, b) => {
        expect(normalCdf(a) + normalCdf(-a)).toBeCloseTo(1, 6)
        if (a < b) expect(normalCdf(a)).toBeLessThanOrEqual(normalCdf(b) + 2e-7)
      }),
    )
  })

  test.each<[a: number, b: number, least: number, significance: number, winner: string | undefined]>([
    // z = (0.7 − 0.5) / √(0.25 / 20) = 1.789, p = 0.037
    [14, 6, 20, 0.05, 'a'],
    [6, 14, 20, 0.05, 'b'],
    // z = 1.342, p = 0.090
    [13, 7, 20, 0.05, undefined],
    [13, 7, 20, 0.1, 'a'],
    [14, 6, 21, 0.05, undefined],
    [10, 10, 20, 0.99, undefined],
    [0, 0, 0, 0.05, undefined],
  ])('%i wins against %i, from %i on, at %f: %s', (a, b, least, significance, winner) => {
    expect(clearWinner({ a, b }, least, significance)).toBe(winner)
  })

  test('wins of the same two texts are counted, whatever else the history holds', () => {
    const line = (winner: string, hash_a = 'x') => JSON.stringify({ winner, hash_a, hash_b: 'y' })
    const history = ['', line('a'), 'no json', line('b'), line('a', 'older'), line('c'), '[1]', line('b')].join('\n')
    expect(countWins(history, { a: 'x', b: 'y' })).toEqual({ a: 1, b: 2 })
  })
})

const judged =
  (winner: string, answers: Readonly<Record<string, Said>> = {}) =>
  ({ label }: { readonly label: string }): Said =>
    label.endsWith('judge')
      ? `SCORE_A: 0.3\nSCORE_B: 0.8\nWINNER: ${winner}`
      : (answers[label.slice('g/n/variant_'.length)] ?? `from ${label.slice(-3)}`)
const node = (attributes = '') => around(`type="prompt.ab_test" variant_a="short $topic" variant_b="long $topic" ${attributes}`)

// proves: pipeline 4.3.3a
test('both are tried as often as is said, and the first answer of the winner is the response', async () => {
  const world = evalWorld({ say: judged('B') })
  const went = await runDot(node('count=2'), { values: { topic: 'tea' }, ports: world.ports })
  expect(world.heard.map(({ prompt }) => prompt).slice(0, 4)).toEqual(['short tea', 'short tea', 'long tea', 'long tea'])
  expect(world.heard[4]?.prompt).toMatch(/Answer A2:\nfrom a_2[^]*Answer B1:\nfrom b_1/)
  expect(went.context).toMatchObject({
    last_response: 'from b_1',
    'prompt_ab.n.winner': 'b',
    'prompt_ab.n.score_a': 0.3,
    'prompt_ab.n.score_b': 0.8,
    'prompt_ab.n.history_file': null,
    'prompt_ab.n.cumulative_a_wins': 0,
    'prompt_ab.n.cumulative_b_wins': 1,
    'prompt_ab.n.promoted': null,
  })
  const stored = [...artifactsIn(went.run.state.root.reader()).keys()]
  expect(stored.toSorted()).toEqual(['n/judge.md', 'n/variant_a_1.md', 'n/variant_a_2.md', 'n/variant_b_1.md', 'n/variant_b_2.md'])
})

// proves: pipeline 4.3.3b
test('wins are counted over runs in a file, until one variant is promoted', async () => {
  const world = evalWorld({ say: judged('A') })
  const attributes = 'persistence="ab.jsonl" auto_promote=true min_samples=3'
  const won: unknown[] = []
  for (let i = 0; i < 4; i++) {
    const { context } = await runDot(node(attributes), { values: { topic: 'tea' }, ports: world.ports })
    won.push([context['prompt_ab.n.cumulative_a_wins'], context['prompt_ab.n.promoted'], context['prompt_ab.n.history_file']])
  }
  // z of three in three is 1.73, p = 0.042
  expect(won).toEqual([
    [1, null, 'ab.jsonl'],
    [2, null, 'ab.jsonl'],
    [3, 'a', 'ab.jsonl'],
    [4, 'a', 'ab.jsonl'],
  ])
  const lines = (world.files.get('ab.jsonl') ?? '').trim().split('\n')
  expect(lines).toHaveLength(4)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ node_id: 'n', winner: 'a', score_a: 0.3, score_b: 0.8 })
})

test('one answer that fails is passed over; a variant without any, a judge that fails and a variant that is missing fail', async () => {
  const world = evalWorld({ say: judged('A', { a_1: { fails: 'bad' } }) })
  const some = await runDot(node('count=2'), { values: { topic: 'tea' }, ports: world.ports })
  expect(some.context['last_response']).toBe('from a_2')
  expect((await runDot(node(), { ports: evalWorld({ say: judged('A', { b_1: { fails: 'bad' } }) }).ports })).status).toBe('failed')
  const silent = evalWorld({ say: ({ label }) => (label.endsWith('judge') ? { fails: 'bad' } : 'x') })
  expect((await runDot(node(), { ports: silent.ports })).status).toBe('failed')
  expect((await runDot(around('type="prompt.ab_test" variant_b="x"'), { ports: world.ports })).reason).toContain('variant_a')
})
