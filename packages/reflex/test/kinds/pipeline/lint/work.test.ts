import { expect, test } from 'vitest'
import { readPipeline } from '../../../../src/kinds/pipeline/index.ts'
import { countsOf } from '../../../counts.ts'

/** Nodes in a row, each of which stands in arrows alone: so few that no loop is compiled while it runs, which counts its function again. */
const row = (size: number): string =>
  `digraph row { start [shape=Mdiamond]; end [shape=Msquare]; start -> ${Array.from({ length: size }, (_, i) => `n${i}`).join(' -> ')} -> end }`

test('what all rules need of a pipeline is worked out once, and a single edge without a condition is not tried', async () => {
  const found = await countsOf('kinds/pipeline/check/reach.ts', async () => void readPipeline(row(40)))
  expect(found.get('reachable')).toBe(1)
  const tried = await countsOf('kinds/pipeline/check/routes.ts', async () => void readPipeline(row(41)))
  expect([tried.get('routesOf'), tried.get('tryCases')]).toEqual([1, 0])
})

test('values are followed only where a node reads one that decides what runs or must be safe', async () => {
  const followed = async (attributes: string): Promise<number> => {
    const text = `digraph g { start [shape=Mdiamond]; ask [prompt="p"]; run [${attributes}]; end [shape=Msquare]; start -> ask -> run -> end }`
    return (await countsOf('kinds/pipeline/model/taint.ts', async () => void readPipeline(text))).get('flowNodeOf')
  }
  expect(await followed('prompt="Say $goal"')).toBe(0)
  expect(await followed('attachments_context_key="last_response"')).toBe(4)
})

test('a node without attributes of its own is asked nothing by the rules of attributes that it could have', async () => {
  const asked = await countsOf('kinds/pipeline/check/safety.ts', async () => void readPipeline(row(42)))
  // Of the graph alone; a generator counts once more when it is resumed.
  expect(asked.get('dangerousAttributes')).toBeLessThanOrEqual(2)
})
