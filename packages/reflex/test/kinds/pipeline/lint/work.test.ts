import { expect, test } from 'vitest'
import { readPipeline } from '../../../../src/kinds/pipeline/index.ts'
import { countsOf } from '../../../counts.ts'

/** Nodes in a row, each of which stands in arrows alone. */
const row = (size: number): string =>
  `digraph row { start [shape=Mdiamond]; end [shape=Msquare]; start -> ${Array.from({ length: size }, (_, i) => `n${i}`).join(' -> ')} -> end }`

test('what all rules need of a pipeline is worked out once, and a single edge without a condition is not tried', async () => {
  const found = await countsOf('kinds/pipeline/check/reach.ts', async () => void readPipeline(row(500)))
  expect(found.get('reachable')).toBe(1)
  const tried = await countsOf('kinds/pipeline/check/routes.ts', async () => void readPipeline(row(501)))
  expect([tried.get('routesOf'), tried.get('over') ?? 0]).toEqual([1, 0])
})
