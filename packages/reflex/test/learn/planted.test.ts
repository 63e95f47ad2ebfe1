// proves: skill 160, skill 161
import { describe, expect, it } from 'vitest'
import { planted, type PlantedLog, plantedTools } from '../../../../bench/mining/planted.ts'
import { below, randomOf } from '../../../../bench/mining/random.ts'
import { score } from '../../../../bench/mining/score.ts'
import { judge } from '../../../../bench/mining/second/judge.ts'
import { secondLog } from '../../../../bench/mining/second/log.ts'
import { minePatterns } from '../../src/learn/mine/mine.ts'
import { shapeText } from '../../src/learn/shapes/shape-file.ts'
import { type ShapeFiles, shapesInMemory, storedShapes } from '../../src/learn/shapes/update-shapes.ts'

const OPTIONS = { tools: plantedTools, params: { window: 100_000, bulletin: { usd: 0.0008, tokens: 100 } } }

const textOf = async (shapes: Parameters<typeof minePatterns>[0]): Promise<string> => JSON.stringify(await minePatterns(shapes, OPTIONS))

function shuffled(log: PlantedLog, seed: number): readonly number[] {
  const random = randomOf(seed)
  const order = Array.from({ length: log.runs }, (_, i) => i)
  for (let i = order.length - 1; i > 0; i--) {
    const other = below(random, i + 1)
    ;[order[i], order[other]] = [order[other] ?? 0, order[i] ?? 0]
  }
  return order
}

describe('mining of planted runs', () => {
  // The thresholds of the reference hold from so many calls on.
  it('finds the plants among 100,000 calls, with their slots, and no decoy', async () => {
    const log = planted({ seed: 3, events: 100_000 })
    const found = score(log, await minePatterns(log.shapes(), OPTIONS))
    expect(found).toMatchObject({ leaked: [], missed: [], extra: [] })
    expect(found.precision).toBeGreaterThanOrEqual(0.95)
    expect(found.recall).toBeGreaterThanOrEqual(0.95)
    expect(found.slots).toBeGreaterThanOrEqual(0.95)
  })

  it('finds the procedures of a log that another generator makes, and none of its traps', async () => {
    const log = secondLog({ seed: 202, events: 100_000 })
    const { slots, ...found } = judge(log.procedures, await minePatterns(log.shapes(), { params: OPTIONS.params }))
    expect(found).toEqual({ precision: 1, recall: 1, leaked: [], missed: [], extra: [] })
    expect(slots).toBeGreaterThanOrEqual(0.95)
  })

  it('gives the same bytes again, in any order of runs, and from files that came one after another', async () => {
    const log = planted({ seed: 5, events: 4_000 })
    const runs = shuffled(log, 1)
    const full = await filesOf(log, shuffled(log, 2))
    const first = await textOf(storedShapes(full))
    expect(await textOf(storedShapes(full))).toBe(first)
    expect(await textOf(storedShapes(await filesOf(log, runs)))).toBe(first)
    const half = await filesOf(log, runs.slice(0, 80))
    expect(await textOf(storedShapes(half))).not.toBe(first)
    for (const run of runs.slice(80)) await half.write(`${run}`, shapeText(log.read(run)))
    expect(await textOf(storedShapes(half))).toBe(first)
  })
})

async function filesOf(log: PlantedLog, runs: readonly number[]): Promise<ShapeFiles> {
  const files = shapesInMemory()
  for (const run of runs) await files.write(`${run}`, shapeText(log.read(run)))
  return files
}
