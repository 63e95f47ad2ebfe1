import { expect, test } from 'vitest'
import { countsOf } from '../../../counts.ts'
import { runDot } from './harness.ts'

const constant = (name: string): string => `${name} [type=transform, transform=constant, expression="${name}", output_key="value"]`
const names = (size: number): readonly string[] => Array.from({ length: size }, (_, i) => `n${i}`)

/** So few nodes that no loop is compiled while it runs, which counts its function again. */
function row(size: number): string {
  const all = names(size)
  return `digraph row { start [shape=Mdiamond]\n${all.map(constant).join('\n')}\ndone [shape=Msquare]\nstart -> ${all.join(' -> ')} -> done }`
}

function block(size: number): string {
  const branches = names(size).map((name) => `${constant(name)}\nfork -> ${name} -> join`)
  return `digraph block { start [shape=Mdiamond]\nfork [shape=component, max_parallel=${size}]\njoin [shape=tripleoctagon]
    ${branches.join('\n')}\ndone [shape=Msquare]\nstart -> fork\njoin -> done }`
}

test('goal gates are looked for once in a pipeline, and not at each node', async () => {
  const found = await countsOf('kinds/pipeline/model/jumps.ts', async () => {
    expect((await runDot(row(40))).status).toBe('success')
  })
  expect(found.get('isGate')).toBeLessThanOrEqual(2 * 42)
})

test('a step writes its position once', async () => {
  let records = 0
  const written = await countsOf('kernel/step/context.ts', async () => {
    records = (await runDot(row(41))).run.records.length
  })
  expect(records).toBeGreaterThan(41)
  expect(written.get('go')).toBeLessThanOrEqual(records)
})

test('the results of a fork are listed when it ends, and not at the end of each branch', async () => {
  const listed = await countsOf('kinds/pipeline/engine/forking.ts', async () => {
    expect((await runDot(block(40))).status).toBe('success')
  })
  expect(listed.get('branchResults')).toBeLessThanOrEqual(4)
})
