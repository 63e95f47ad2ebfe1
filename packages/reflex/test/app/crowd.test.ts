import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Store } from '../../src/kernel/index.ts'
import { memoryStore, openStore } from '../../src/store/index.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { dataflowModule } from '../../src/kinds/dataflow/face/module.ts'
import { treeModule } from '../../src/kinds/tree/face/module.ts'
import { crowd } from './crowd.ts'
import { graphCrowd, type GraphCrowdResult } from './crowd-graphs.ts'
import { timers } from './crowd-timers.ts'
import { newFolder } from './folders.ts'

test.each(['memory', 'SQLite'])('of many suspended runs, those that were answered at once go on, and nothing is lost: %s', async (kind) => {
  const folder = newFolder()
  const memory = memoryStore()
  const open = kind === 'memory' ? () => memory : () => openStore(join(folder, 'reflex.db'))
  const { completed, suspended, wrong, held } = await crowd({ workdir: folder, open, runs: 200, answered: 50 })
  expect({ wrong, held, suspended }).toEqual({ wrong: [], held: 0, suspended: 150 })
  expect(new Set(completed).size).toBe(50)
})

test.each([
  ['runs', false],
  ['trees', true],
])('of %s that wait for one time after the other under four workers, none is late by more than a second', async (_, trees) => {
  const folder = newFolder()
  const host = virtualHost()
  // The virtual clock does not wait for a module to be read.
  await treeModule.load()
  const measured = timers({
    workdir: folder,
    open: () => openStore(join(folder, 'reflex.db')),
    runs: 20,
    times: 6,
    workers: 4,
    trees,
    host,
  })
  const found: { delays?: readonly number[] } = {}
  void measured.then((delays) => (found.delays = delays))
  for (let ticks = 0; ticks < 20_000 && found.delays === undefined; ticks++) await host.advance(10)
  expect(found.delays).toHaveLength(120)
  expect(found.delays?.at(-1)).toBeLessThanOrEqual(1_000)
  // A worker that lets go of a run looks again when the run is due. Only the first time of each run waits for a regular look.
  expect(found.delays?.[Math.floor(found.delays.length * 0.8)]).toBeLessThanOrEqual(60)
})

test('graphs get every tick of their timers, and an event each from outside, under a worker', async () => {
  const folder = newFolder()
  const host = virtualHost()
  await dataflowModule.load()
  const found: { result?: GraphCrowdResult } = {}
  const open = (): Store => openStore(join(folder, 'reflex.db'))
  void graphCrowd({ workdir: folder, open, runs: 20, times: 3, between: 60_000, host }).then((result) => (found.result = result))
  for (let ticks = 0; ticks < 20_000 && found.result === undefined; ticks++) await host.advance(50)
  expect(found.result?.wrong).toEqual([])
  expect(found.result?.delays).toHaveLength(60)
  expect(found.result?.delays.at(-1)).toBeLessThanOrEqual(1_000)
})
