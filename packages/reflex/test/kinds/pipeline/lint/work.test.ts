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

test('a condition that many edges have is parsed once, and its cases are tried once', async () => {
  const names = Array.from({ length: 40 }, (_, i) => `n${i}`)
  const nodes = names.map((name) => `${name} [prompt="p"]`).join('; ')
  const edges = names.slice(1).map((name, i) => `n${i} -> ${name} [condition="outcome=success"]`)
  const text = `digraph g { start [shape=Mdiamond]; end [shape=Msquare]; ${nodes}; start -> n0; ${edges.join('; ')}; n39 -> end }`
  const parsed = await countsOf('kinds/pipeline/language/condition-parse.ts', async () => void readPipeline(text))
  expect(parsed.get('parseCondition')).toBe(1)
  const tried = await countsOf('kinds/pipeline/check/routes.ts', async () => void readPipeline(text))
  expect([tried.get('tryCases'), tried.get('openIn')]).toEqual([0, 4])
})

test('the rules of an attribute that no node has ask no node', async () => {
  const asked = await countsOf('kinds/pipeline/check/reach.ts', async () => void readPipeline(row(43)))
  // Of the graph alone.
  expect(asked.get('jumpsOf')).toBeLessThanOrEqual(3)
})

test('a rule that finds something at every node makes only the findings that are listed', async () => {
  const quoted = async (size: number): Promise<number> => {
    const nodes = Array.from({ length: size }, (_, i) => `n${i} [label="l"]`).join('; ')
    const text = `${row(size).slice(0, -1)}; ${nodes} }`
    return (await countsOf('text/printable.ts', async () => void readPipeline(text))).get('quote')
  }
  expect(await quoted(50)).toBe(await quoted(45))
})

test('the inputs of an operation are read once, not at each of its nodes', async () => {
  const read = async (size: number): Promise<number> =>
    (await countsOf('kinds/pipeline/model/operation-facts.ts', async () => void readPipeline(row(size)))).get('inputsOf')
  expect(await read(47)).toBe(await read(46))
})

test('a finding is data and has no stack, and the limit of stacks stays as it was', () => {
  const before = Error.stackTraceLimit
  const { findings } = readPipeline('digraph g { start [shape=Mdiamond]; lost [prompt="p"]; done [shape=Msquare]; start -> done }')
  expect(findings.map(({ code }) => code)).toContain('R1127')
  for (const { code, stack } of findings) expect([code, stack?.includes('\n    at ')]).toEqual([code, false])
  expect(Error.stackTraceLimit).toBe(before)
})
