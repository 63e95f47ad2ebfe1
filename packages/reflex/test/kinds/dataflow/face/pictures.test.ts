import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../../src/kernel/index.ts'
import { newFolder } from '../../../app/folders.ts'
import { reflex as command } from '../../../cli/worlds.ts'
import { COUNTER, COUNTER_ADAPTER, presses } from '../run/graphs.ts'

/** A folder with a run `otter` of the counter, which counts presses above 2 only. */
async function ran(): Promise<string> {
  const folder = newFolder()
  const write = (name: string, value: JsonObject): void => writeFileSync(join(folder, name), JSON.stringify(value))
  const nodes = {
    ...(COUNTER.nodes as JsonObject),
    two: { impl: 'number_source@^0.1', params: { value: 2 } },
    many: { impl: 'gt@^0.1' },
    often: { impl: 'emit_if_true@^0.1' },
    note: { impl: 'annotate_action@^0.1', params: { note: 'often' } },
  }
  const edges = [
    ...(COUNTER.edges as string[]),
    'by.value -> many.a',
    'two.value -> many.b',
    'many.result -> often.input',
    'often.event -> note.event',
  ]
  write('counter.dataflow.json', { ...COUNTER, nodes, edges })
  write('counter.adapter.json', COUNTER_ADAPTER)
  const lines = presses(4).map((one) => `${JSON.stringify(one)}\n`)
  writeFileSync(join(folder, 'e.jsonl'), lines.join(''))
  expect((await command(['run', 'counter.dataflow.json', '--events', 'e.jsonl', '--id', 'otter'], { folder })).code).toBe(0)
  return folder
}

interface Drawn {
  readonly programs: readonly { readonly nodes: readonly JsonObject[]; readonly edges: readonly JsonObject[] }[]
}

describe('reflex graph RUN@RECORD.PART', () => {
  test('shows one pass: the values on the edges, what emitted, and what was held and why', async () => {
    const folder = await ran()
    const { out, code } = await command(['graph', 'otter@3.2', '--json'], { folder })
    expect(code).toBe(0)
    const [drawn] = (JSON.parse(out) as Drawn).programs
    const node = (id: string) => drawn?.nodes.find((one) => one.id === id)
    const edge = (id: string) => drawn?.edges.find((one) => one.id === id)
    expect(node('by')).toMatchObject({ standing: 'passed', deed: '2, event p2, field by' })
    expect(node('next')).toMatchObject({ standing: 'passed', deed: '3' })
    expect(node('save')).toMatchObject({ standing: 'passed', deed: 'wrote n = 3 because gate emitted' })
    expect(node('often')).toMatchObject({ standing: 'held', deed: 'did not emit: many is false' })
    expect(node('note')).toMatchObject({ standing: 'held', deed: 'was skipped because often did not emit' })
    expect(edge('by.value -> many.a')).toMatchObject({ standing: 'taken', value: 2 })
    expect(edge('often.event -> note.event')).toMatchObject({ standing: 'closed', note: 'not emitted' })
    expect(edge('gate.event -> save.event')).toMatchObject({ standing: 'taken' })
  })

  test('draws it on a terminal with the words for its lines, and as an image', async () => {
    const folder = await ran()
    const { screen } = await command(['graph', 'otter@3.2'], { folder, columns: 300 })
    expect(screen).toContain('otter · E1 · @3.2 · ran for event p2')
    for (const text of ['a = 2', 'input = false', 'not emitted']) expect(screen).toContain(text)
    expect(screen).toContain('━ decided · ─ carried a value · ╌ did not emit')
    expect((await command(['graph', 'otter@3.2', '--svg', 'pass.svg'], { folder })).code).toBe(0)
    const svg = readFileSync(join(folder, 'pass.svg'), 'utf8')
    expect(svg).toContain('wrote n = 3 because gate emitted')
    expect(svg).toContain('by to many: a = 2')
    expect(svg).toContain('often to note: event, not emitted')
  })

  test.each([
    ['otter@3.9', 'record 3 of otter has 4 episodes, and no part 9'],
    ['otter@2.1', 'record 2 of otter has no episodes'],
    ['otter@99.1', 'otter has records 1 to 3'],
  ])('of a part that does not exist says so: %s', async (address, message) => {
    const { err, code } = await command(['graph', address], { folder: await ran() })
    expect(code).toBe(2)
    expect(err.replace(/\s+/g, ' ')).toContain(message)
  })
})

describe('reflex why --svg', () => {
  test('draws the explanation of a node of an episode: each cause once, with lines to what it led to', async () => {
    const folder = await ran()
    const { err, code } = await command(['why', 'otter', 'E3', 'note', '--svg', 'why.svg'], { folder })
    expect([code, err]).toEqual([0, expect.stringMatching(/^why\.svg {2}written, /)])
    const svg = readFileSync(join(folder, 'why.svg'), 'utf8')
    expect(svg).toContain('<title>why note otter · @3.4</title>')
    expect(svg).toContain('ran because often emitted')
    for (const line of ['many @3.4 to often @3.4', 'by @3.4 to many @3.4', 'two @3.4 to many @3.4']) expect(svg).toContain(line)
  })

  test('goes to standard output, and not beside a document', async () => {
    const folder = await ran()
    expect((await command(['why', 'otter', 'n', '--svg', '-'], { folder })).out).toMatch(/^<svg /)
    expect((await command(['why', 'otter', 'n', '--svg', '-', '--json'], { folder })).code).not.toBe(0)
  })
})
