import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { DOCUMENTS } from '../../src/cli/output/schema.ts'
import { COUNTER, COUNTER_ADAPTER } from '../kinds/dataflow/run/graphs.ts'
import { reflex, workFolder } from './worlds.ts'

function folderWith(files: Readonly<Record<string, string>>): { folder: string; read: (name: string) => string } {
  const folder = workFolder()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return { folder, read: (name) => readFileSync(join(folder, name), 'utf8') }
}

const GRAPH = JSON.stringify(COUNTER)

describe('reflex validate --write-adapter', () => {
  test('writes an adapter beside a graph that has none, with which the graph is valid', async () => {
    const { folder, read } = folderWith({ 'counter.dataflow.json': GRAPH })
    const { code, err, out } = await reflex(['validate', 'counter.dataflow.json', '--write-adapter'], { folder })
    expect(code).toBe(0)
    expect(out).toMatch(/valid, 1 note in 1 file/)
    expect(err).toContain('counter.adapter.json')
    expect(JSON.parse(read('counter.adapter.json'))).toMatchObject({
      kind: 'adapter',
      id: 'counter',
      accepts: { effects: [{ name: 'set_context' }] },
    })
  })

  test('adds what is missing to an existing one: comments and all else stay, and a second time changes nothing', async () => {
    const [, by] = COUNTER_ADAPTER['context_keys'] as [unknown, unknown]
    const text = `// of the presses\n${JSON.stringify({ ...COUNTER_ADAPTER, context_keys: [by] }, null, 2)}\n`
    const { folder, read } = folderWith({ 'counter.dataflow.json': GRAPH, 'counter.adapter.json': text })
    expect(await reflex(['validate', 'counter.dataflow.json'], { folder })).toMatchObject({ code: 1 })
    expect(await reflex(['validate', 'counter.dataflow.json', '--write-adapter'], { folder })).toMatchObject({ code: 0 })
    const written = read('counter.adapter.json')
    expect(written).toMatch(/^\/\/ of the presses\n/)
    expect(written).toContain('"name": "n"')
    const again = await reflex(['validate', 'counter.dataflow.json', '--write-adapter', '--json'], { folder })
    const document = JSON.parse(again.out) as unknown
    expect(DOCUMENTS.validate.parse(document)).toMatchObject({ errors: 0, written: [{ file: 'counter.adapter.json', changed: false }] })
    expect(read('counter.adapter.json')).toBe(written)
  })

  test('prints it with -, and writes it where it is told to', async () => {
    const { folder, read } = folderWith({ 'counter.dataflow.json': GRAPH })
    const { out } = await reflex(['validate', 'counter.dataflow.json', '--write-adapter', '-'], { folder })
    expect(JSON.parse(out)).toMatchObject({ id: 'counter' })
    expect(existsSync(join(folder, 'counter.adapter.json'))).toBe(false)
    await reflex(['validate', 'counter.dataflow.json', '--write-adapter', 'other.json'], { folder })
    expect(read('other.json')).toBe(out)
  })

  test('writes nothing for a graph or an adapter with errors, and lists them', async () => {
    const broken = { ...COUNTER, edges: ['n.value -> nowhere.a'] }
    const { folder, read } = folderWith({
      'counter.dataflow.json': JSON.stringify(broken),
      'sum.dataflow.json': GRAPH,
      'sum.adapter.json': '{',
    })
    const { code, out } = await reflex(['validate', 'counter.dataflow.json', 'sum.dataflow.json', '--write-adapter'], { folder })
    expect(code).toBe(1)
    expect(out).toContain('nowhere')
    expect(existsSync(join(folder, 'counter.adapter.json'))).toBe(false)
    expect(read('sum.adapter.json')).toBe('{')
  })

  test.each([
    [['refund.workflow.json', '--write-adapter'], '--write-adapter has no effect on refund.workflow.json'],
    [['counter.dataflow.json', 'sum.dataflow.json', '--write-adapter', 'one.json'], 'is one file for 2 programs'],
    [['counter.dataflow.json', '--write-adapter', '-', '--json'], 'both want standard output'],
    [['counter.dataflow.json', '--write-adapter', 'none/one.json'], 'R5040'],
  ])('is refused as %j', async (words, message) => {
    const { folder } = folderWith({ 'counter.dataflow.json': GRAPH, 'sum.dataflow.json': GRAPH })
    const { code, err, out } = await reflex(['validate', ...words], { folder })
    expect(code).not.toBe(0)
    expect(out + err).toContain(message)
  })
})

describe('reflex validate of a graph', () => {
  test('warns of memory that is wired wrongly, and a run does not', async () => {
    const nodes = { ...(COUNTER['nodes'] as object), again: { impl: 'context_set_number@^0.1', params: { key: 'n' } } }
    const edges = [...(COUNTER['edges'] as string[]), 'gate.event -> again.event', 'by.value -> again.value']
    const { folder } = folderWith({
      'counter.dataflow.json': JSON.stringify({ ...COUNTER, nodes, edges }),
      'counter.adapter.json': JSON.stringify(COUNTER_ADAPTER),
    })
    const { code, out } = await reflex(['validate', 'counter.dataflow.json'], { folder })
    expect(code).toBe(0)
    expect(out).toMatch(/warning R1365 [^]*write the key "n"; if several run in a pass/)
    expect((await reflex(['run', 'counter.dataflow.json', '-i', 'by=3'], { folder })).err).not.toContain('R1365')
  })
})
