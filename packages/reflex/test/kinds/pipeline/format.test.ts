import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatDot } from '../../../src/kinds/pipeline/dot/format.ts'
import type { DotGraph } from '../../../src/kinds/pipeline/dot/graph.ts'
import { parseDot } from '../../../src/kinds/pipeline/dot/parse.ts'

const lines = (...all: readonly string[]): string => `${all.join('\n')}\n`
const inGraph = (...all: readonly string[]): string => lines('digraph g {', ...all, '}')

function formatted(text: string): string {
  const { text: result, findings } = formatDot(text)
  expect(findings.map(String)).toEqual([])
  return result ?? ''
}

/** A graph as data, without what says where its parts stand. */
function meaning(text: string): unknown {
  const plain = (value: unknown): unknown => {
    if (value instanceof Map) return [...value].map(plain)
    if (Array.isArray(value)) return value.map(plain)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, inner]) => (/^(at|keyAt|valueAt)$/.test(key) ? [] : [[key, plain(inner)]])),
    )
  }
  const graph: DotGraph | undefined = parseDot(text).graph
  expect(graph).toBeDefined()
  return plain(graph)
}

describe('the one form of a pipeline', () => {
  test.each([
    ['a statement on each line, without semicolons', 'digraph  g{a;b ;; a->b}', inGraph('  a', '  b', '  a -> b')],
    ['commas between attributes', 'digraph g { a[x=1 y="2";z=true,] }', inGraph('  a [x=1, y="2", z=true]')],
    [
      'what is written stays as written',
      'digraph g { a ["human.x"="1", nullable, t=900s] }',
      inGraph('  a ["human.x"="1", nullable, t=900s]'),
    ],
    ['chains', 'digraph g { a\n->b-> c[weight=2][label=x] }', inGraph('  a -> b -> c [weight=2] [label=x]')],
    [
      'defaults and attributes of the graph',
      'digraph g { node[a=b]edge[]graph [c=d] k . e }'.replace('k . e', 'k = "e"'),
      inGraph('  node [a=b]', '  edge []', '  graph [c=d]', '  k="e"'),
    ],
    [
      'subgraphs',
      'digraph g { subgraph s{a subgraph{b}} subgraph t { } }',
      inGraph('  subgraph s {', '    a', '    subgraph {', '      b', '    }', '  }', '  subgraph t {}'),
    ],
    ['a node that is called as a keyword', 'digraph g { subgraph; node -> edge; a }', inGraph('  subgraph', '  node -> edge', '  a')],
    ['an empty graph', 'digraph g {\n\n}', 'digraph g {}\n'],
    ['a block that begins with a new line keeps its lines', 'digraph g { a [\nx=1, y=2] }', inGraph('  a [', '    x=1,', '    y=2', '  ]')],
    ['one empty line stays of several, none at the edges', 'digraph g {\n\n\n  a\n\n\n  b\n\n}', inGraph('  a', '', '  b')],
    ['the first end of a line is that of all', 'digraph g {\r\na\nb }', 'digraph g {\r\n  a\r\n  b\r\n}\r\n'],
    ['a byte order mark goes', '\ufeffdigraph g { a }', inGraph('  a')],
  ])('%s', (_, text, expected) => expect(formatted(text)).toBe(expected))

  test('a block that is longer than a line has an attribute on each', () => {
    const prompt = `"${'word '.repeat(20)}"`
    expect(formatted(`digraph g { a [x=1, prompt=${prompt} z=2] }`)).toBe(
      inGraph('  a [', '    x=1,', `    prompt=${prompt},`, '    z=2', '  ]'),
    )
  })

  test('a chain that is longer than a line has an arrow on each', () => {
    const [one, two, three] = ['a', 'b', 'c'].map((letter) => letter.repeat(40))
    expect(formatted(`digraph g { ${one} -> ${two} -> ${three} [\nx=1] }`)).toBe(
      inGraph(`  ${one}`, `    -> ${two}`, `    -> ${three} [`, '      x=1', '    ]'),
    )
  })

  test('a text over several lines is not touched', () => {
    const text = '"a {\n   x: 1;\n\n\n }"'
    expect(formatted(`digraph g { style = ${text}\n a [p=${text}] }`)).toBe(inGraph(`  style=${text}`, '  a [', `    p=${text}`, '  ]'))
  })
})

describe('comments', () => {
  test.each([
    [
      'before and behind the graph',
      '// a\n\n\n/* b */ digraph g { a } // c\n# d',
      lines('// a', '', '/* b */', 'digraph g {', '  a', '} // c', '# d'),
    ],
    [
      'behind a statement',
      'digraph g { a; // "one\n b[x=1]/* two */ // three  \n}',
      inGraph('  a // "one', '  b [x=1] /* two */ // three'),
    ],
    ['behind a brace', 'digraph g { // one {\n}', lines('digraph g { // one {', '}')],
    ['before a statement on its line', 'digraph g { a; /* of b */ b }', inGraph('  a', '  /* of b */', '  b')],
    ['on lines of their own', 'digraph g {\n# one\n a\n\n  // two\n}', inGraph('  # one', '  a', '', '  // two')],
    ['in a chain', 'digraph g { a // one\n -> b\n# two\n -> c }', inGraph('  a // one', '    -> b', '    # two', '    -> c')],
    [
      'in a block',
      'digraph g { a [ // one\n x=1 // two\n , y=2, /* three */\n\n // four\n z /* five */ = 3 // six\n /* seven */ ] }',
      inGraph(
        '  a [ // one',
        '    x=1, // two',
        '    y=2, /* three */',
        '',
        '    // four',
        '    /* five */',
        '    z=3 // six',
        '    /* seven */',
        '  ]',
      ),
    ],
    ['between a statement and its block', 'digraph g { a // one\n [x=1] }', inGraph('  a [ // one', '    x=1', '  ]')],
    ['between key and value', 'digraph g { x /* one */ = // two\n y }', inGraph('  /* one */', '  // two', '  x=y')],
    ['a column of stars', 'digraph g {\n/*\n    * one\n* two\n  */ a }', inGraph('  /*', '   * one', '   * two', '   */', '  a')],
    ['lines without stars', 'digraph g {\n/* one\n  two */\na }', inGraph('  /* one', '  two */', '  a')],
  ])('%s', (_, text, expected) => {
    expect(formatted(text)).toBe(expected)
    expect(formatted(expected)).toBe(expected)
  })
})

describe('a text with errors', () => {
  test.each(['digraph g { a -- b }', 'digraph g { a [x=', 'graph g { }', '', 'digraph g { "open }', 'digraph g { a } digraph h { }', '\0'])(
    'is left alone: %j',
    (text) => {
      const { text: result, findings } = formatDot(text, 'x.dot')
      expect(result).toBeUndefined()
      expect(findings[0]).toMatchObject({ file: 'x.dot', severity: 'error' })
    },
  )
})

/** Texts of the whole dialect, with comments and blanks wherever they can stand. */
const programs = (): fc.Arbitrary<string> => {
  const blank = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom('', ' ', '\n', '  ', '\n\n\n', '\t') },
    { weight: 1, arbitrary: fc.constantFrom('// "c\n', '/* [;} */', '/*\n * s\n */', '\n# h\n', ' //\n', '\r\n', '\n // x\n // y\n') },
  )
  const apart = fc.oneof(fc.constantFrom(' ', '\n', '\n\n', '/**/ ', ' // e\n', '; ', ';\n', '\n# h ;\n'))
  const id = fc.constantFrom('a', 'b', 'node_1', 'x9', 'graph1', 'Edge')
  const key = fc.constantFrom('x', 'prompt', 'human.default_choice', '"quoted"', 'param.a.b', 'label')
  const value = fc.constantFrom(
    '"t"',
    '"a \\"b\\" {[;]} // c"',
    '"two\nlines"',
    '""',
    '12',
    '-.5',
    'true',
    '900s',
    'Mdiamond',
    'a/b',
    '#fff',
    'a->b',
    `"${'long '.repeat(30)}"`,
  )
  const spaced = (...parts: readonly (fc.Arbitrary<string> | string)[]): fc.Arbitrary<string> =>
    fc.tuple(...parts.flatMap((part) => [blank, typeof part === 'string' ? fc.constant(part) : part])).map((all) => all.join(''))
  const attribute = fc.oneof(spaced(key, '=', value), spaced(fc.constantFrom('nullable', 'flag')))
  const attributes = fc
    .array(fc.tuple(attribute, fc.constantFrom(',', ';', ' ', '\n', ', ,', '/**/ ')), { maxLength: 5 })
    .map((all) => all.flat().join(''))
  const block = spaced('[', attributes, ']')
  const blocks = fc.array(block, { maxLength: 2 }).map((all) => all.join(''))
  const chain = fc
    .array(id, { minLength: 2, maxLength: 5 })
    .chain((ids) => spaced(...ids.flatMap((one, i) => (i === 0 ? [one] : ['->', one]))))
  const { statement } = fc.letrec<{ statement: string; body: string }>((tie) => ({
    statement: fc.oneof(
      { depthSize: 'small' },
      fc.tuple(id, blocks).map((all) => all.join('')),
      fc.tuple(chain, blocks).map((all) => all.join('')),
      fc.tuple(fc.constantFrom('graph', 'node', 'edge'), block).map((all) => all.join('')),
      spaced(fc.constantFrom('rankdir', 'human.x'), '=', value),
      spaced('subgraph', fc.constantFrom(' s1 ', ' '), '{', tie('body'), '}'),
    ),
    body: fc.array(fc.tuple(tie('statement'), apart), { maxLength: 4 }).map((all) => all.flat().join('')),
  }))
  const body = fc.array(fc.tuple(statement, apart), { maxLength: 6 }).map((all) => all.flat().join(''))
  return spaced('digraph G', '{', body, '}', '')
}

const commentsOf = (text: string): string[] =>
  (text.match(/"(?:[^"\\]|\\[^])*"|\/\/[^\r\n]*|\/\*[^]*?\*\/|^[ \t]*#[^\r\n]*/gm) ?? [])
    .filter((part) => !part.startsWith('"'))
    .map((part) => part.replace(/\s+/g, ' ').trim())

describe('whatever a text is', () => {
  test('its form is formatted, says the same, and has every comment', () => {
    fc.assert(
      fc.property(programs(), (text) => {
        fc.pre(parseDot(text).errors.length === 0)
        const once = formatted(text)
        expect(formatted(once)).toBe(once)
        expect(meaning(once)).toEqual(meaning(text))
        expect(commentsOf(once).sort()).toEqual(commentsOf(text).sort())
      }),
      { numRuns: 300 },
    )
  })

  test('nesting costs no stack, and text in proportion', () => {
    const levels = 20_000
    const { text = '' } = formatDot(`digraph g {${'subgraph {'.repeat(levels)}${'}'.repeat(levels)}}`)
    expect(text).toMatch(/^digraph g \{\n {2}subgraph \{\n {4}subgraph/)
    expect(text.length).toBeLessThan(200 * levels)
  })
})

test('a text in quotes with a column of stars stays as it is', () => {
  const text = 'digraph g {\n  a [\n    prompt="Say:\n* one\n* two"\n  ]\n}\n'
  expect(formatDot(text).text).toBe(text)
})
