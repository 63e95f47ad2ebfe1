import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseDot } from '../../../../src/kinds/pipeline/dot/parse.ts'
import { complaints, dotTexts, valuesOf } from './graphs.ts'

/** Returns a pipeline with a mistake on its second line; the other lines are valid. */
const around = (line: string) => `digraph g {\n  ${line}\n  last [x="one ]\\"", y=2]\n  last -> end\n}\n`

/** One mistake causes one error, and the text behind it is read. */
describe('recovery (seed pipeline 2.4, reference pipeline 1.4)', () => {
  // proves: pipeline s2.4a, pipeline 12.102
  test.each([
    ['a stray character', '? a', 'R1100 2:3 no statement begins with "?"'],
    ['an arrow without a start', '-> a', 'R1100 2:3 an edge begins with the id of a node'],
    ['an arrow without an end', 'a -> ;', 'R1100 2:5 an edge needs a node behind its arrow'],
    ['attributes before an arrow', 'a [x=1] -> b [\n y="z"\n ]', 'R1100 2:11 an edge begins with the id of a node'],
    ['attributes of nothing', '; [x=1\n, y="{"]', 'R1100 2:5 these attributes belong to nothing'],
    ['commas between nodes', 'a, b, c', 'R1100 2:4 a comma separates attributes, not statements'],
    ['a bracket too much', 'a [x=1]]', 'R1100 2:10 this bracket closes nothing'],
    ['a value that is missing', 'a [x=, y=1]', 'R1100 2:8 a value is missing here'],
    ['two equal signs', 'a [x==1, y=1]', 'R1100 2:8 a value is missing here'],
    ['a colon for an equal sign', 'a [x: 1, y=2]', 'R1100 2:7 ":" is not allowed between attributes'],
    ['a quote in a text', 'a [x="say "hello", she said", y=1]', 'R1100 2:13 this quote ends the text, but a word follows it directly'],
    [
      'a quote in a text of the graph',
      'goal="say "hello", she said"',
      'R1100 2:13 this quote ends the text, but a word follows it directly',
    ],
    ['typographic quotes', 'a [x=“Hello, world”, y=1]', 'R1100 2:8 typographic quotes do not open a text'],
    ['a text that is never closed', 'a [x="b, y=1]', 'R1101 2:8 this text is never closed'],
    ['a text of the graph that is never closed', 'goal = "b', 'R1101 2:10 this text is never closed'],
    ['a bracket that is never closed', 'a [x="b"', 'R1101 2:5 the attributes that begin here are never closed'],
    ['a bracket that is never closed, before an edge', 'a [x="b"\n  b -> c', 'R1101 2:5 the attributes that begin here are never closed'],
    ['a brace for a bracket', 'a [x="b"}', 'R1100 2:11 the attributes end with a bracket, not a brace'],
    ['a brace too much', 'a }', 'R1100 3:3 this text is behind the closing brace of the graph'],
    [
      'a name that is none, again and again',
      'a-b -> c; a-b [x=1]; c -> a-b',
      'R1103 2:3 node ids must be bare identifiers, and "a-b" is not one',
    ],
    ['HTML over lines', 'a [x=<<b>\n"y"</b>>, y=1]', 'R1102 2:8 pipelines do not support HTML values'],
    ['HTML without an end', 'a [x=<b, y=1]', 'R1102 2:8 pipelines do not support HTML values'],
    ['three slips of one line', 'a ? b ) c ]', 'R1100 2:5 no statement begins with "?"'],
  ])('%s', (_, line, complaint) => {
    const { graph } = parseDot(around(line), { accumulateErrors: true })
    expect(complaints(around(line))).toEqual([complaint])
    expect(graph && valuesOf(graph, 'last')).toEqual({ x: 'one ]"', y: 2 })
    expect(graph?.edges.at(-1)).toMatchObject({ from: 'last', to: 'end' })
  })

  test('keeps the rest of a block', () => {
    const { graph } = parseDot('digraph g { a [x=1,\n ?? y=2,\n z=3] }', { accumulateErrors: true })
    expect(graph && valuesOf(graph, 'a')).toEqual({ x: 1, z: 3 })
  })

  // proves: pipeline L10
  test.each([
    ['digraph g {\n a [x="b"]\n', ['R1101 1:11 this brace is never closed']],
    ['digraph g {\n subgraph s {\n a\n', ['R1101 2:13 this brace is never closed']],
    ['digraph g {\n a [x="b"\n', ['R1101 2:4 the attributes that begin here are never closed']],
    ['digraph g {\n a /* b\n c }\n', ['R1101 2:4 this comment is never closed']],
    ['digraph g {\n a [x="b\n c="', ['R1101 2:4 the attributes that begin here are never closed']],
    ['digraph g', ['R1100 1:10 the graph has no opening brace']],
  ])('says where a part without an end was opened: %j', (text, expected) => {
    expect(complaints(text)).toEqual(expected)
  })

  test('ends with the number of further errors', () => {
    const faults = complaints(`digraph g {\n${'?\n'.repeat(1500)}}`)
    expect([faults.length, faults.at(-1)]).toEqual([1001, 'R1100 1001:1 the text has 500 further mistakes, which are not shown'])
  })

  test('never throws, never hangs, and returns an error or a graph', () => {
    const noise = fc.array(
      fc.constantFrom(
        '"',
        '\\',
        '{',
        '}',
        '[',
        ']',
        '->',
        '--',
        '=',
        ',',
        ';',
        '<',
        '>',
        '/*',
        '//',
        '\n',
        '#',
        '\u0000',
        'é',
        'node',
        'digraph',
      ),
      {
        maxLength: 6,
      },
    )
    fc.assert(
      fc.property(dotTexts, fc.nat(), fc.nat(8), noise, (text, at, cut, pieces) => {
        const place = at % text.length
        const broken = text.slice(0, place) + pieces.join(' ') + text.slice(place + cut)
        const { errors, graph } = parseDot(broken, { accumulateErrors: true })
        for (const fault of errors) expect(fault.line).toBeGreaterThan(0)
        expect(graph === undefined ? errors.length : 1).toBeGreaterThan(0)
        const [first] = parseDot(broken).errors
        expect(first === undefined).toBe(errors.length === 0)
      }),
      { numRuns: 300 },
    )
  })
})

describe('extreme texts', () => {
  const nested = (levels: number, open: string) => `digraph g { ${open.repeat(levels)} a -> b ${'}'.repeat(levels)} }`

  test.each([
    ['without names', 'subgraph {'],
    ['with names', 'subgraph s {'],
    ['with labels', '{ label=x;'],
  ])('10,000 subgraphs in each other %s', (_, open) => {
    const { graph } = parseDot(nested(10_000, open))
    expect([graph?.nodes.size, graph?.edges.length]).toEqual([2, 1])
  })

  test('10,000 unclosed braces are one error', () => {
    expect(complaints(`digraph g ${'{'.repeat(10_001)}`)).toEqual(['R1101 1:10011 this brace is never closed'])
  })

  test.each([
    ['openings of HTML', 'a [x=<\n'],
    ['openings of texts', 'a [x="\\"\n'],
    ['openings of blocks', 'a [x=1\n'],
    ['comments', '/* */'],
    ['hashes', '      #'],
    ['statements of one node', 'a [k=1, k=2] '],
    ['backslashes', '\\\\\\\\'],
    ['arrows', 'a -> '],
  ])('%s without end take linear time', (_, piece) => {
    const { errors } = parseDot(`digraph g {\n${piece.repeat(20_000)}`, { accumulateErrors: true })
    expect(errors.length).toBeGreaterThan(0)
  })

  test('defaults that would fill the memory are an error', () => {
    const defaults = Array.from({ length: 5000 }, (_, i) => `k${i}=1`).join(',')
    const nodes = Array.from({ length: 1001 }, (_, i) => `n${i} [x=1]`).join('\n')
    expect(complaints(`digraph g { node [${defaults}]\n${nodes} }`)).toEqual([
      'R1100 1:1 the defaults and subgraphs of this text give its nodes more attributes and groups than fit in memory',
    ])
  })
})
