import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { describeFault } from '../../../../src/kernel/journal/fault.ts'
import { locateInPipeline } from '../../../../src/kinds/pipeline/face/language.ts'
import { parse, serializeGraph } from '../../../../src/kinds/pipeline/index.ts'
import { readGraph, readPipeline } from '../../../../src/kinds/pipeline/face/read-pipeline.ts'
import { casesOf } from '../../../cases.ts'

const SMALL = 'digraph small {\n  start [shape=Mdiamond]\n  work [type="transform"]\n  done [shape=Msquare]\n  start -> work -> done\n}\n'

describe('a pipeline that is read', () => {
  test('has the id of its graph, and its text as the source', () => {
    const { id, source, typed, findings } = readPipeline(SMALL, 'small.dot')
    expect([id, source, typed?.nodes.size]).toEqual(['small', { dot: SMALL }, 3])
    expect(findings.filter(({ severity }) => severity !== 'info')).toEqual([])
  })

  test('has no program if anything is an error', () => {
    const { id, source, typed, findings } = readPipeline(SMALL.replace('work [', 'wrok ['), 'small.dot')
    expect([id, source, typed]).toEqual([undefined, undefined, undefined])
    expect(findings.some(({ severity }) => severity === 'error')).toBe(true)
  })

  test('tells its findings in the order of the file, whoever found them', () => {
    const text =
      'digraph g {\n start [shape=Mdiamond]\n a [type="transform", timeout="soon"]\n done [shape=Msquare]\n start -> a\n a -> b [condition="x or y=1"]\n a -> done [weight=heavy]\n}'
    const { findings } = readPipeline(text, 'g.dot')
    expect(findings.filter(({ severity }) => severity !== 'info').map(({ line, rule }) => [line, rule])).toEqual([
      [3, 'duration_syntax'],
      [6, 'edge_target_exists'],
      [6, 'condition_syntax'],
      [7, 'weight_numeric'],
    ])
  })

  test('is not linted where its writing is wrong: what was passed over may have declared it', () => {
    const { findings } = readPipeline('digraph g {\n start [shape=Mdiamond]\n done [shape=Msquare\n start -> done\n}', 'g.dot')
    expect(findings.map(({ code }) => code).every((code) => code < 'R1120')).toBe(true)
  })

  test('is stored as what transforms in code have made of it', () => {
    const transform = { name: 'no-op', transform: (graph: ReturnType<typeof parse>) => graph }
    const { source } = readPipeline(SMALL.replace('work [', 'work [label="$goal", '), 'small.dot', {
      transforms: { registered: [transform] },
    })
    expect(source?.transformed).toBe(true)
    expect(source?.dot).toBe(serializeGraph(parse(source?.dot ?? '')))
    const again = readPipeline(source?.dot ?? '', undefined, { transformed: true })
    expect([again.id, again.source]).toEqual(['small', source])
  })

  test('can be a graph, whose findings name nodes and edges', () => {
    const graph = parse(SMALL.replace('type="transform"', 'type="transform", fidelity="x"'))
    const { id, source, findings } = readGraph(graph, 'small.pipeline.ts')
    expect([id, parse(source?.dot ?? '').nodes.size]).toEqual(['small', 3])
    expect(findings.find(({ rule }) => rule === 'fidelity_valid')).toMatchObject({ path: 'work', file: 'small.pipeline.ts' })
  })

  test('never throws, whatever was done to its text', () => {
    const texts = casesOf('pipeline')
      .map((it) => it.text('program.dot'))
      .filter((text) => text.length < 3000)
    const change = fc.tuple(
      fc.constantFrom(...texts),
      fc.nat(),
      fc.nat({ max: 12 }),
      fc.constantFrom('', '{', '}', '"', '[', '->', ' = ', '\\', '\u0000', 'condition="', ','),
    )
    fc.assert(
      fc.property(change, ([text, at, length, put]) => {
        const from = at % (text.length + 1)
        const broken = text.slice(0, from) + put + text.slice(from + length)
        const { id, findings } = readPipeline(broken, 'broken.dot')
        expect(id === undefined).toBe(findings.some(({ severity }) => severity === 'error'))
        for (const finding of findings) expect(describeFault(finding)).toContain(finding.code)
      }),
      { numRuns: 300 },
    )
  })
})

describe('a place in the text of a pipeline', () => {
  const text = 'digraph g {\n  a [shape=Mdiamond]\n  a -> b [condition="outcome=fail"]\n  a -> b\n}'

  test.each([
    ['a node', { node: 'b' }, 3, 8],
    ['an edge by its condition', { edge: 'a->b', node: 'a' }, 3, 21],
    ['the second edge between two nodes', { edge: 'a->b#2', node: 'a' }, 4, 3],
  ])('is found for %s', (_, sought, line, column) => {
    expect(locateInPipeline(text, 'g.dot', sought, 'here')).toMatchObject({ file: 'g.dot', line, column })
  })

  test('is the file where nothing else is known', () => {
    expect(locateInPipeline('no graph', 'g.dot', { node: 'b' })).toEqual({ path: 'b', file: 'g.dot' })
  })
})
