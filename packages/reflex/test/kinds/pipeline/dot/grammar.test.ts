import { describe, expect, test } from 'vitest'
import { parse, parseDot } from '../../../../src/kinds/pipeline/dot/parse.ts'
import { complaints, graphOf, valuesOf } from './graphs.ts'

/** Returns the attributes of the node `a`, written in its block. */
const read = (block: string) => valuesOf(graphOf(`digraph g { a [${block}] }`), 'a')

const idsOf = (text: string) => [...graphOf(text).nodes.keys()]
const edgesOf = (text: string) => graphOf(text).edges.map(({ from, to }) => `${from}>${to}`)

describe('words (reference pipeline 1.1)', () => {
  // proves: pipeline L1, pipeline L3, pipeline L11, pipeline s2.3b
  test.each([
    ['L1 byte order mark', '\ufeffdigraph g { a }'],
    ['L1 CRLF', 'digraph g {\r\n// "one\r\na\r\n}\r\n'],
    ['L1 CR', 'digraph g {\r// "one\ra\r}\r'],
    ['L1 spaces of a page', 'digraph g {\u00a0a\u2003;\ufeff}'],
    ['L2 block comment', 'digraph g { /* b -> "c */ a /* } */ }'],
    ['L2 block comments do not nest', 'digraph g { /* /* */ a }'],
    ['L3 odd quotes in a comment', 'digraph g {\n// it"s { odd -> [\na // "\n}'],
    ['L3 a comment that opens in a comment', 'digraph g {\n// /*\na\n}'],
    ['L3 a line comment in a block comment', 'digraph g {/* // */ a }'],
    ['L11 lines of a preprocessor', '# 1 "x.dot"\ndigraph g {\n  # "\na\n}'],
    ['comments around everything', '/*1*/digraph/*2*/g/*3*/{/*4*/a/*5*/[/*6*/]/*7*/;/*8*/}/*9*/'],
  ])('%s', (_, text) => {
    expect(idsOf(text)).toEqual(['a'])
  })

  // proves: pipeline L4, pipeline L5, pipeline L6, pipeline L7, pipeline L8, pipeline s2.5a
  test.each([
    ['L4 a slash is data', String.raw`x="http://e.org/*a*/"`, 'http://e.org/*a*/'],
    ['L5 comment between attributes', 'q=1, // "no"\n /* ] */ x="y"', 'y'],
    ['L6 escapes', String.raw`x="a\"b\n\t\\"`, 'a"b\n\t\\'],
    ['L6 an unknown escape keeps both characters', String.raw`x="\d+\s\r"`, String.raw`\d+\s\r`],
    ['L6 an escaped backslash before n', String.raw`x="printf '\\n'"`, String.raw`printf '\n'`],
    ['L7 raw line ends', 'x="a\n b\r\n c"', 'a\n b\r\n c'],
    ['L8 marks', 'x="{[;->=,]}// /*"', '{[;->=,]}// /*'],
    ['L8 a JSON document', String.raw`x="{\"a\": [1, {\"b\": \"c\\\\d\"}]}"`, '{"a": [1, {"b": "c\\\\d"}]}'],
    ['odd characters', 'x="\u0000\ud800 é 😀"', '\u0000\ud800 é 😀'],
  ])('%s', (_, block, value) => {
    expect(read(block)['x']).toBe(value)
  })

  // proves: pipeline L9
  test.each(['node_router', 'edge_case', 'graph_x', 'subgraph_done', 'digraph1', 'node', 'edge', 'graph', 'subgraph', 'strict', 'digraph'])(
    'L9 %s is an ordinary id',
    (id) => {
      expect(idsOf(`digraph g { ${id}; ${id} -> b -> ${id}; }`)).toEqual([id, 'b'])
    },
  )

  test('L9 a keyword in quotes is an id, also before a block', () => {
    const graph = graphOf('digraph g { "node" [x=1] b }')
    expect([valuesOf(graph, 'node'), valuesOf(graph, 'b')]).toEqual([{ x: 1 }, {}])
  })
})

describe('statements (reference pipeline 1.2)', () => {
  // proves: pipeline G3
  test.each([
    ['comma', 'a=1, b=2'],
    ['semicolon', 'a=1; b=2'],
    ['blank', 'a=1 b=2'],
    ['line end', 'a=1\n\nb=2'],
    ['comment', 'a=1/* */b=2'],
    ['trailing comma', 'a=1, b=2,'],
    ['trailing semicolon', 'a=1; b=2;'],
    ['second block', 'a=1] [b=2'],
    ['empty block', '] [a=1, b=2'],
  ])('G2, G3 attributes separated by %s', (_, block) => {
    expect(read(block)).toEqual({ a: 1, b: 2 })
  })

  // proves: pipeline G5, pipeline G6, pipeline s2.2c, pipeline s2.3d
  test.each([
    ['G5', 'human.default_choice="hold"', { 'human.default_choice': 'hold' }],
    ['G5 quoted', '"human.default_choice"="hold"', { 'human.default_choice': 'hold' }],
    ['G6', 'shape=Mdiamond, t=900s, u=250ms, m=gpt-4o:x.y, v=a/b', { shape: 'Mdiamond', t: '900s', u: '250ms', m: 'gpt-4o:x.y', v: 'a/b' }],
    ['G6 up to a comment', 'a=TB//x\n, b=1/* */', { a: 'TB', b: 1 }],
    ['G7', 'nullable, "quoted.too"', { nullable: 'true', 'quoted.too': 'true' }],
    ['G8 bare', 'a=3, b=-1, c=0.5, d=-.25, e=true, f=false', { a: 3, b: -1, c: 0.5, d: -0.25, e: true, f: false }],
    ['G8 quoted', 'a="3", b="true", c="0.5"', { a: '3', b: 'true', c: '0.5' }],
    ['G8 not quite numbers', 'a=1e5, b=5., c=+1, d=True, e=1.2.3', { a: '1e5', b: '5.', c: '+1', d: 'True', e: '1.2.3' }],
    ['an integer that no double holds', 'a=9007199254740991, b=9007199254740993', { a: 9007199254740991, b: '9007199254740993' }],
    ['zero', 'a=-0, b=007', { a: 0, b: 7 }],
  ])('%s', (_, block, values) => {
    expect(read(block)).toEqual(values)
  })

  // proves: pipeline G9, pipeline G10
  test('G9, G10 attributes of the graph: blocks merge, and a key alone counts as well', () => {
    const graph = graphOf('digraph g { graph [goal="x", label=1] rankdir=TB; a param.path = "p"\n graph [label=2] "q"=true }')
    expect(Object.fromEntries([...graph.attributes].map(([key, { value }]) => [key, value]))).toEqual({
      goal: 'x',
      label: 2,
      rankdir: 'TB',
      'param.path': 'p',
      q: true,
    })
  })

  // proves: pipeline G12, pipeline s2.2b
  test('G12 chains, over lines and comments', () => {
    const graph = graphOf('digraph g { a\n -> b // on\n ->\n c [w=1]\n c->d }')
    expect(graph.edges.map(({ from, to, attributes }) => [from, to, attributes.get('w')?.value])).toEqual([
      ['a', 'b', 1],
      ['b', 'c', 1],
      ['c', 'd', undefined],
    ])
  })

  // proves: pipeline G13
  test('G13 an edge can come before its nodes', () => {
    const graph = graphOf('digraph g { a -> b; b [x=1]; a }')
    expect([...graph.nodes.values()].map((node) => [node.id, node.implicit])).toEqual([
      ['a', undefined],
      ['b', undefined],
    ])
  })

  // proves: pipeline G14
  test('G14 edges between the same nodes are distinct and ordered', () => {
    const graph = graphOf('digraph g { a -> b [c=1]; a -> b [c=2]; a -> a }')
    expect(graph.edges.map((edge) => [edge.index, edge.attributes.get('c')?.value])).toEqual([
      [0, 1],
      [1, 2],
      [2, undefined],
    ])
  })

  // proves: pipeline G15, pipeline G16, pipeline s2.3c
  test('G15 semicolons, G16 case, G17 quoted ids', () => {
    expect(idsOf('digraph g { ;; a; A;; "b" ; }')).toEqual(['a', 'A', 'b'])
    expect(edgesOf('digraph g { "a"->"b" }')).toEqual(['a>b'])
  })

  test('places: keys, values, ids and edges', () => {
    const text = '\ufeffdigraph g { a [label = "é 😀", x] a -> bb -> c [w=1] }'
    const graph = graphOf(text)
    const at = (span: { from: number; to: number } | undefined) => span && text.slice(1).slice(span.from, span.to)
    const label = graph.nodes.get('a')?.attributes.get('label')
    const bare = graph.nodes.get('a')?.attributes.get('x')
    expect([at(label?.keyAt), at(label?.valueAt), at(bare?.keyAt), bare?.valueAt]).toEqual(['label', '"é 😀"', 'x', undefined])
    expect([at(graph.nodes.get('bb')?.at), ...graph.edges.map((edge) => at(edge.at))]).toEqual(['bb', 'a -> bb', 'bb -> c'])
  })
})

describe('unsupported parts of DOT (reference pipeline 1.2 G1)', () => {
  // proves: pipeline G1, pipeline G17, pipeline s2.3a
  test.each([
    ['graph g { a }', 'R1102 1:1 the edges of a pipeline are directed, but this graph is undirected'],
    ['strict digraph g { a }', 'R1102 1:1 pipelines do not support strict graphs: several edges can join the same two nodes'],
    ['digraph g { a } digraph h { b }', 'R1102 1:17 a text can hold only one graph, and this is a second one'],
    ['digraph g { a } b', 'R1100 1:17 this text is behind the closing brace of the graph'],
    ['digraph g { a -- b }', 'R1102 1:15 the edges of a pipeline are directed'],
    ['digraph g { a [label=<b>] }', 'R1102 1:22 pipelines do not support HTML values'],
    ['digraph g { a [label=<<b>x, y</b>>, z=1] }', 'R1102 1:22 pipelines do not support HTML values'],
    ['digraph g { a:p -> b }', 'R1102 1:14 the nodes of a pipeline have no ports'],
    ['digraph g { a -> b:p:n [x=1] }', 'R1102 1:19 the nodes of a pipeline have no ports'],
    ['digraph g { a -> { b c } [x=1] }', 'R1102 1:15 an edge leads to one node, not to a group'],
    ['digraph g { a -> subgraph s { b } -> c }', 'R1102 1:15 an edge leads to one node, not to a group'],
    ['digraph g { {a b} -> c }', 'R1102 1:19 an edge leaves one node, not a group'],
    ['digraph { a }', 'R1100 1:9 the graph has no name'],
    ['digraph my-flow { a }', 'R1103 1:9 node ids must be bare identifiers, and "my-flow" is not one'],
    ['digraph g { my-node -> b; my-node [x=1]; }', 'R1103 1:13 node ids must be bare identifiers, and "my-node" is not one'],
    ['digraph g { "my node" }', 'R1103 1:13 node ids must be bare identifiers, and "my node" is not one'],
    ['digraph g { 1 -> b }', 'R1103 1:13 node ids must be bare identifiers, and "1" is not one'],
    ['digraph g { a.b -> c }', 'R1103 1:13 node ids must be bare identifiers, and "a.b" is not one'],
    ['digraph g { größe }', 'R1103 1:13 node ids must be bare identifiers, and "größe" is not one'],
    [
      'digraph g { a [stroke-width=2] }',
      'R1103 1:16 the name of an attribute must be one or more identifiers with dots between, and "stroke-width" is not',
    ],
    ['', 'R1100 1:1 the text is empty'],
    [' // nothing\n', 'R1100 2:1 the text is empty'],
    ['{"a": 1}', 'R1100 1:1 a pipeline begins with "digraph", a name and a brace'],
    ['flowchart TD', 'R1100 1:1 a pipeline begins with "digraph", a name and a brace'],
  ])('%s', (text, complaint) => {
    expect(complaints(text)).toEqual([complaint])
  })
})

describe('the strict grammar', () => {
  // proves: pipeline G2
  test.each([
    ['digraph g { a [x=1 y=2] }', 'R1105 1:20 no comma before this attribute (strict grammar)'],
    ['digraph g { a [x=1; y=2] }', 'R1100 1:19 a separator that is not a single comma (strict grammar)'],
    ['digraph g { a [x=1,] }', 'R1100 1:20 a separator before the closing bracket (strict grammar)'],
    ['digraph g { a [] }', 'R1100 1:15 a block without attributes (strict grammar)'],
    ['digraph g { a [x=1][y=2] }', 'R1100 1:20 a second block of attributes (strict grammar)'],
    ['digraph g { "a" }', 'R1100 1:13 the name "a" is in quotes (strict grammar)'],
    ['digraph g { a ["x"=1] }', 'R1100 1:16 the name "x" is in quotes (strict grammar)'],
    ['digraph g { a [x=a/b] }', 'R1100 1:18 the value "a/b" is not in quotes (strict grammar)'],
    ['digraph g { { a } }', 'R1100 1:13 a group without "subgraph" (strict grammar)'],
  ])('%s', (text, complaint) => {
    expect(complaints(text)).toEqual([])
    expect(complaints(text, { strictGrammar: true })).toEqual([complaint])
  })

  test('accepts the grammar that both documents have', () => {
    const text =
      'digraph g { graph [goal="x"] node [shape=box, t=900s] a [m=gpt-4o:x, n=-1.5, b=true, bare]; a -> b [w=1]; subgraph s { c } rankdir=TB }'
    expect(complaints(text, { strictGrammar: true })).toEqual([])
  })
})

describe('findings that are not errors', () => {
  const warnings = (text: string) =>
    parseDot(text).warnings.map((fault) => [fault.severity, fault.code, fault.rule, fault.line, fault.column, fault.message])

  // proves: pipeline G2, pipeline 11.3z
  test('a missing comma is reported once', () => {
    expect(warnings('digraph g {\n a [x=1 y=2]\n b [x=1\n y=2 z=3] }')).toEqual([
      ['info', 'R1105', 'missing_comma', 2, 9, 'no comma before this attribute, and at 2 further places'],
    ])
  })

  // proves: pipeline 11.3z
  test('an attribute that occurs twice in one statement; a default or an earlier statement can be overridden', () => {
    const text = 'digraph g { node [x=0] a [x=1,\nx=2] a [x=3]; a -> b [w=1][w=2] graph [p=1] graph [p=2] q=1; q=2 }'
    expect(warnings(text)).toEqual([
      ['warning', 'R1104', 'duplicate_attr', 2, 1, 'the attribute "x" occurs twice here; the last one counts'],
      ['warning', 'R1104', 'duplicate_attr', 2, 28, 'the attribute "w" occurs twice here; the last one counts'],
    ])
    expect(valuesOf(graphOf(text), 'a')).toEqual({ x: 3 })
  })
})

describe('the first error', () => {
  // proves: pipeline 1.4a
  test('is thrown, with its place and frame', () => {
    expect(() => parse('digraph g {\n  a -- b\n  c -- d\n}', { file: 'x.dot' })).toThrow(
      expect.objectContaining({
        code: 'R1102',
        file: 'x.dot',
        line: 2,
        column: 5,
        length: 2,
        frame: '2 │   a -- b\n  │     ^^',
        fix: 'write ->',
      }),
    )
  })

  test('ends the reading, unless errors are accumulated', () => {
    const text = 'digraph g { a -- b; c -- d }'
    expect(parseDot(text)).toMatchObject({ graph: undefined, errors: [{ column: 15 }] })
    const all = parse(text, { accumulateErrors: true })
    expect([all.errors.length, all.graph?.edges.length]).toEqual([2, 2])
  })
})
