import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { GUIDANCE } from '../../../../src/kinds/skill/bulletin/guidance.ts'
import { ESTIMATE, safeTokenizer } from '../../../../src/kinds/skill/bulletin/tokens.ts'

interface Counted {
  readonly kind: string
  readonly text: string
  readonly o200k: number
  readonly cl100k: number
}

/** Texts with their tokens in two encodings, counted by gpt-tokenizer 4.0.0. */
const counted = JSON.parse(readFileSync(new URL('token-counts.json', import.meta.url), 'utf8')) as readonly Counted[]

describe('the estimate of tokens', () => {
  // proves: skill 95
  it('is never below the exact count, in two encodings', () => {
    const low = counted.filter(({ text, o200k, cl100k }) => ESTIMATE.count(text) < Math.max(o200k, cl100k))
    expect(low).toEqual([])
    expect(new Set(counted.map(({ kind }) => kind))).toEqual(
      new Set(['prose', 'json', 'uuid', 'base64', 'hex', 'cjk', 'arabic', 'hindi', 'other', 'emoji', 'code', 'random']),
    )
  })

  it('is not far above the exact count for what skills say of themselves', () => {
    const prose = counted.filter(({ kind }) => kind === 'prose' || kind === 'json')
    const sum = (of: (one: Counted) => number): number => prose.reduce((total, one) => total + of(one), 0)
    expect(sum(({ text }) => ESTIMATE.count(text)) / sum(({ o200k }) => o200k)).toBeLessThan(2)
  })

  it('takes time linear in the text', () => {
    expect(ESTIMATE.count('a'.repeat(1_000_000))).toBeGreaterThan(100_000)
    expect(ESTIMATE.count('')).toBe(0)
  })
})

describe('the tokenizer of a host', () => {
  // proves: skill 95
  it('counts in place of the estimate', () => {
    const exact = safeTokenizer({ name: 'o200k_base', count: (text) => counted.find((one) => one.text === text)?.o200k ?? 0 })
    expect(exact.name).toBe('o200k_base')
    for (const { text, o200k } of counted) expect(exact.count(text)).toBe(o200k)
  })

  it.each([Number.NaN, -1, Number.POSITIVE_INFINITY])('is not believed if it says %s, or throws', (count) => {
    expect(safeTokenizer({ name: 'broken', count: () => count }).count('two words')).toBe(ESTIMATE.count('two words'))
    const throwing = safeTokenizer({
      name: 'broken',
      count() {
        throw new Error('no table')
      },
    })
    expect(throwing.count('two words')).toBe(ESTIMATE.count('two words'))
  })
})

// proves: skill 88
it('says how a skill is used in at most 40 tokens', () => {
  // Counted by gpt-tokenizer 4.0.0 in o200k_base and cl100k_base: 39 and 25. Whoever changes a line counts it again.
  expect(GUIDANCE).toEqual({
    text: 'To use a skill of the last bulletin, include <SKILL_PROPOSE>{json}</SKILL_PROPOSE>. If info is missing, <CLARIFY>{json}</CLARIFY>.',
    tool: 'To use a skill of the last bulletin, call reflex_propose. If information is missing, call reflex_clarify.',
  })
})
