import { array, assert, integer, property, string } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cropFrame } from '../../src/cli/crop-frame.ts'
import { jsonText } from '../../src/cli/escape.ts'
import { readAnswer, readInputs } from '../../src/cli/grammar.ts'
import { factLine, layoutRow, table, tabSeparated } from '../../src/cli/layout.ts'
import { Look } from '../../src/cli/look.ts'
import { type Line, pressLine } from '../../src/cli/menu.ts'
import { age, duration, size } from '../../src/cli/units.ts'
import { count, counted } from '../../src/protocol/plain.ts'
import { countCells, shellWord } from '../../src/text/index.ts'
import { screenOf } from './screen.ts'

const look = (columns: number): Look => new Look({ write: () => undefined, terminal: true, columns }, { environment: {}, colour: false })

describe('units', () => {
  test.each([
    [0, '0 ms'],
    [84, '84 ms'],
    [1900, '1.9 s'],
    [59_900, '59.9 s'],
    [59_960, '1 m 00 s'],
    [125_000, '2 m 05 s'],
    [3_599_900, '60 m 00 s'],
    [12_000_000, '3 h 20 m'],
    [6 * 86_400_000, '6 d'],
  ])('%i ms is %s', (ms, text) => expect(duration(ms)).toBe(text))

  test.each([
    [412, '412 B'],
    [3100, '3.1 kB'],
    [2_000_000, '2.0 MB'],
  ])('%i bytes are %s', (bytes, text) => expect(size(bytes)).toBe(text))

  test('counts and ages', () => {
    expect([count(1212), count(12), count(1_234_567), counted(1, 'record'), counted(0, 'error')]).toEqual([
      '1,212',
      '12',
      '1,234,567',
      '1 record',
      '0 errors',
    ])
    expect([age(20_000), age(180_000), age(7_200_000), age(6 * 86_400_000)]).toEqual(['20 s', '3 min', '2 h', '6 d'])
  })
})

describe('layout', () => {
  const words = array(
    string({ minLength: 1, maxLength: 12 }).filter((word) => !/\s/.test(word)),
    { maxLength: 12 },
  ).map((list) => list.join(' '))

  test('no line is wider than its terminal, and nothing is lost', () => {
    assert(
      property(integer({ min: 40, max: 130 }), words, words, integer({ min: 0, max: 3 }), (columns, text, fact, depth) => {
        const lines = layoutRow({ depth, mark: 'done', node: 'approve', text, facts: fact === '' ? [] : [fact] }, look(columns))
        for (const line of lines) expect(countCells(line)).toBeLessThan(columns)
        const shown = lines.join(' ').replace(/\s+/g, ' ')
        for (const word of look(columns).text(`${text} ${fact}`).split(/\s+/)) expect(shown).toContain(word)
      }),
    )
  })

  test('a node is never cut', () => {
    const node = 'a-node-with-a-very-long-name-that-nobody-would-read-aloud'
    expect(layoutRow({ depth: 0, mark: 'done', node, text: 'rules', facts: ['1 ms'] }, look(40)).join('\n')).toContain(node)
  })

  test('tables become blocks if they do not fit, and use tabs in a pipe', () => {
    const rows = [['otter-2m9q', 'a program with a long name', 'suspended']]
    expect(table(['run', 'program', 'status'], rows, look(40))).toEqual([
      'otter-2m9q',
      '  program a program with a long name',
      '  status suspended',
    ])
    expect(tabSeparated([['a\tb', 'c\nd', '\u001b[2J\u009b\u202e']])).toBe('a b\tc d\t␛[2J��\n')
  })

  test('lines of facts break only between facts', () => {
    expect(factLine('x', 'x', ['one two three', 'four five six'], look(24))).toEqual(['x  one two three', '  four five six'])
  })

  test('a code frame keeps its carets under their place', () => {
    const source = 'abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz'
    const frame = `12 │ ${source}\n   │ ${' '.repeat(40)}^^^ did you mean this?`
    for (const columns of [30, 40, 50]) {
      const [line = '', carets = ''] = (cropFrame(frame, columns) ?? '').split('\n')
      expect(line.slice(carets.indexOf('^'), carets.indexOf('^') + 3)).toBe(source.slice(40, 43))
    }
    expect(cropFrame(frame, 90)).toBe(frame)
  })
})

describe('a line of text', () => {
  test('is edited with the keys of a shell', () => {
    const press = (line: Line, ...keys: readonly (readonly [name: string, text?: string, ctrl?: boolean])[]): unknown =>
      keys.reduce<{ line: Line }>(
        ({ line: at }, [name, text = '', ctrl = false]) => pressLine(at, { name, text, ctrl }) as { line: Line },
        { line },
      )
    expect(press({ before: 'ab', after: '' }, ['left'], ['x', 'x'], ['end'], ['!', '!'])).toEqual({ line: { before: 'axb!', after: '' } })
    expect(press({ before: 'one two', after: '' }, ['w', '', true])).toEqual({ line: { before: 'one ', after: '' } })
    expect(press({ before: 'ab👍', after: '' }, ['backspace'])).toEqual({ line: { before: 'ab', after: '' } })
    expect(press({ before: 'a', after: 'b' }, ['', 'x\n\u001by'])).toEqual({ line: { before: 'ax y', after: 'b' } })
    expect(press({ before: '', after: '' }, ['escape'])).toEqual({ left: true })
  })
})

describe('inputs', () => {
  const files: Record<string, string> = { 'a.json': '{"x":1,"y":[2]}', 'a.txt': 'text\n', '-': 'stdin' }
  const read = (name: string): Promise<string> => (name in files ? Promise.resolve(files[name] ?? '') : Promise.reject(new Error(name)))

  test.each([
    [['k=v'], { k: 'v' }],
    [['k=a=b', 'e='], { k: 'a=b', e: '' }],
    [['k:=[1,2]'], { k: [1, 2] }],
    [['k=@a.txt', 'j=@a.json', 't:=@a.json'], { k: 'text\n', j: { x: 1, y: [2] }, t: { x: 1, y: [2] } }],
    [['@a.json', 'x=2'], { x: '2', y: [2] }],
    [['k=@-'], { k: 'stdin' }],
  ])('%j', async (given, expected) => expect((await readInputs(given, read)).input).toEqual(expected))

  test('a key named __proto__ is an ordinary key', async () => {
    for (const given of ['__proto__:={"a":1}', '@proto.json']) {
      const { input: inputs } = await readInputs([given, 'b=2'], async () => '{"__proto__":{"a":1}}')
      expect(JSON.stringify(inputs)).toBe('{"__proto__":{"a":1},"b":"2"}')
      expect(Object.getPrototypeOf(inputs)).toBe(Object.prototype)
    }
    expect(JSON.stringify((await readInputs(['__proto__=x'], read)).input)).toBe('{"__proto__":"x"}')
  })

  test.each([['k'], ['=v'], [':=1'], ['k:={'], ['k:=']])('%s is refused', (given) =>
    expect(readInputs([given], read)).rejects.toMatchObject({ code: 'R2032' }),
  )

  test('answers are text, JSON or files', async () => {
    expect(await Promise.all(['yes', ':=true', '@a.txt', ':=@a.json', '@'].map((text) => readAnswer(text, read)))).toEqual([
      'yes',
      true,
      'text\n',
      { x: 1, y: [2] },
      '@',
    ])
  })
})

test('words are quoted for a shell', () => {
  expect(['plain', 'two words', "it's", '$x', ''].map(shellWord)).toEqual(['plain', "'two words'", String.raw`'it'\''s'`, "'$x'", "''"])
})

test('words and JSON are exact and cannot control a terminal', () => {
  const word = "it's\u001b]0;x\u0007\u009b2J\u202e\n\\"
  expect(shellWord(word)).toBe(String.raw`$'it\'s\x1b]0;x\x07\u009b2J\u202e\x0a\\'`)
  const text = jsonText({ [word]: '\u007f\u0080\u2028\u2029\u2066\u061c' })
  expect(text).not.toMatch(/[^ -~]/)
  expect(JSON.parse(text)).toEqual({ [word]: '\u007f\u0080\u2028\u2029\u2066\u061c' })
})

test('the screen of these tests behaves like a terminal', () => {
  expect(screenOf('one\ntwo\n\u001b[1A\r\u001b[Jthree\n', 80)).toBe('one\nthree')
  expect(screenOf('abcdef', 3)).toBe('abc\ndef')
})
