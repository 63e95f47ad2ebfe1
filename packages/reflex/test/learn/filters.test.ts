// proves: skill 157, skill 159
import { describe, expect, it } from 'vitest'
import { type MiningReport, minePatterns } from '../../src/learn/mine/mine.ts'
import type { MiningParams } from '../../src/learn/mine/params.ts'
import { logged, type LoggedCall, type LoggedFacts, stored } from './logged.ts'

const NEIGHBOURS = ['u', 'v', 'w', 'x', 'y', 'z']

/** Ten runs of the same calls between neighbours that differ. */
function mine(calls: readonly LoggedCall[], params: Partial<MiningParams> = {}, facts: LoggedFacts = {}): Promise<MiningReport> {
  const runs = Array.from({ length: 10 }, (_, i) => {
    const [before = '', after = ''] = [NEIGHBOURS[i % 6], NEIGHBOURS[(i + 3) % 6]]
    return logged(`run${i}`, [{ tool: before }, ...calls, { tool: after }], facts)
  })
  return minePatterns(stored(runs), { params: { bulletin: { usd: 0.0008, tokens: 100 }, ...params } })
}

const names = (report: MiningReport): readonly string[] => report.patterns.map(({ symbols }) => symbols.join(' '))
const reasonOf = (report: MiningReport, word: string): string | undefined =>
  report.rejected.find(({ symbols }) => symbols.join(' ') === word)?.reason

describe('the filters of mining', () => {
  it('keep three calls of three replies at 0.40 of the cost, and two of two at 0.60', async () => {
    const three = await mine([{ tool: 'a' }, { tool: 'b' }, { tool: 'c' }])
    expect(names(three)).toEqual(['a:() b:() c:()'])
    expect(three.unit).toBe('usd')
    expect(three.patterns[0]?.ratio).toBeCloseTo(0.4, 12)
    const two = await mine([{ tool: 'a' }, { tool: 'b' }])
    expect(two.patterns[0]?.ratio).toBeCloseTo(0.6, 12)
  })

  it('drop three calls of one reply, which cost 1.2 of what they cost without a skill', async () => {
    const report = await mine([{ tool: 'a' }, { tool: 'b', sameReply: true }, { tool: 'c', sameReply: true }])
    expect(names(report)).toEqual([])
    expect(report.rejected.find(({ symbols }) => symbols.length === 3 && symbols[0] === 'a:()')).toMatchObject({
      reason: 'cost',
      detail: '1.200',
    })
  })

  it('count the costs of tools on both sides, and no dollars where a price is missing', async () => {
    const paid = await mine([{ tool: 'a', cost: 0.01 }, { tool: 'b' }])
    expect(reasonOf(paid, 'a:() b:()')).toBe('cost')
    const unpriced = await mine([{ tool: 'a' }, { tool: 'b' }, { tool: 'c' }], {}, { usd: Number.NaN })
    expect(unpriced).toMatchObject({ unit: 'tokens', patterns: [{ ratio: 600 / 1500 }] })
  })

  it('want every call of an occurrence to succeed, not the run', async () => {
    const runs = Array.from({ length: 20 }, (_, i) => {
      const neighbour = { tool: NEIGHBOURS[i % 6] ?? '' }
      const calls: LoggedCall[] = [
        neighbour,
        { tool: 'a' },
        { tool: 'b', ok: i < 2 ? 0 : 1 },
        { tool: 'c' },
        { tool: NEIGHBOURS[(i + 2) % 6] ?? '' },
      ]
      return logged(`run${i}`, calls)
    })
    expect(reasonOf(await minePatterns(stored(runs)), 'a:() b:() c:()')).toBe('success')
    const unknown = runs.map((read) => ({
      ...read,
      shape: { ...read.shape, sequences: read.shape.sequences.map((one) => ({ ...one, ok: one.ok.map((ok) => (ok === 0 ? 2 : ok)) })) },
    }))
    expect(names(await minePatterns(stored(unknown)))).toEqual(['a:() b:() c:()'])
  })

  it('name repeated calls as one that needs a loop, and drop words that always have the same neighbours', async () => {
    const repeated = await mine([{ tool: 'a' }, { tool: 'b' }, { tool: 'b' }, { tool: 'b' }, { tool: 'c' }])
    expect(reasonOf(repeated, 'a:() b:()+ c:()')).toBe('needs_loop')
    expect(names(repeated)).toEqual([])
    const lonely = Array.from({ length: 8 }, (_, i) => logged(`run${i}`, [{ tool: 'a' }, { tool: 'b' }]))
    expect(reasonOf(await minePatterns(stored(lonely)), 'a:() b:()')).toBe('variety')
  })

  it('count every word under one reason, or as a pattern', async () => {
    for (const listed of [0, 3, 1_000]) {
      const report = await mine([{ tool: 'a' }, { tool: 'b' }, { tool: 'a' }, { tool: 'b' }, { tool: 'c' }, { tool: 'd' }], { listed })
      const rejected = Object.values(report.counts).reduce((sum, count) => sum + count, 0)
      expect(rejected + report.patterns.length).toBe(report.considered)
      expect(report.rejected.length).toBe(Math.min(listed, rejected))
      for (const one of report.rejected) expect(report.counts[one.reason]).toBeGreaterThan(0)
    }
  })

  it('leave out runs that failed, that have another label, and that are older than the window', async () => {
    const calls = [{ tool: 'a' }, { tool: 'b' }]
    const runs = Array.from({ length: 12 }, (_, i) =>
      logged(`run${i}`, calls, { succeeded: i % 3 !== 0, labels: i % 2 === 0 ? { env: 'staging' } : {} }),
    )
    expect(await minePatterns(stored(runs))).toMatchObject({ runs: 8 })
    expect(await minePatterns(stored(runs), { params: { compat: { env: 'staging' } } })).toMatchObject({ runs: 4 })
    expect(await minePatterns(stored(runs), { params: { window: 3 } })).toMatchObject({ runs: 3, calls: 6 })
  })

  it.each([
    [{ support: 2 }, 'support'],
    [{ minLength: 1 }, 'minLength'],
    [{ maxLength: 13 }, 'maxLength'],
    [{ window: -1 }, 'window'],
    [{ cost: Number.NaN }, 'cost'],
  ])('refuse %j before anything is read', async (params, path) => {
    const unread: Iterable<never> = {
      [Symbol.iterator]: () => {
        throw new Error('read')
      },
    }
    await expect(minePatterns(unread, { params })).rejects.toMatchObject({ code: 'R1485', path })
  })
})
