import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { DOCUMENTS } from '../../src/cli/output/schema.ts'
import { reflex, workFolder } from './worlds.ts'

const LOOSE = 'digraph g { a->b // why\n }'
const NEAT = 'digraph g {\n  a -> b // why\n}\n'
const WRONG = 'digraph g { a -- b }'

/** A folder with one file of each sort. */
function folderWith(files: Readonly<Record<string, string>>): {
  folder: string
  path: (name: string) => string
  read: (name: string) => string
} {
  const folder = workFolder()
  const path = (name: string): string => join(folder, 'own', name)
  mkdirSync(join(folder, 'own'))
  for (const [name, text] of Object.entries(files)) writeFileSync(path(name), text)
  return { folder: join(folder, 'own'), path, read: (name) => readFileSync(path(name), 'utf8') }
}

describe('reflex fmt FILE', () => {
  test('rewrites and names unformatted files, and leaves all others unchanged', async () => {
    const { folder, read, path } = folderWith({ 'loose.dot': LOOSE, 'neat.gv': NEAT })
    const before = new Date(1_000_000_000_000)
    utimesSync(path('neat.gv'), before, before)
    expect(await reflex(['fmt', 'loose.dot', 'neat.gv'], { folder })).toMatchObject({ code: 0, out: 'loose.dot\n' })
    expect([read('loose.dot'), read('neat.gv')]).toEqual([NEAT, NEAT])
    expect(statSync(path('neat.gv')).mtime).toEqual(before)
    expect(readdirSync(folder).sort()).toEqual(['loose.dot', 'neat.gv'])
    expect(await reflex(['fmt', 'loose.dot'], { folder })).toMatchObject({ code: 0, out: '' })
  })

  test('a folder stands for its programs, also workflows', async () => {
    const { folder, read } = folderWith({
      'b.dot': LOOSE,
      'a.workflow.json': '{"id":"x", // c\n"entry":"a"}',
      'note.txt': LOOSE,
      'm.workflow.ts': '',
    })
    expect(await reflex(['fmt', '.'], { folder })).toMatchObject({ code: 0, out: 'a.workflow.json\nb.dot\n' })
    expect(read('a.workflow.json')).toBe('{ "id": "x", // c\n  "entry": "a" }\n')
    expect(read('note.txt')).toBe(LOOSE)
  })

  test('a file with errors is not written, and the others are', async () => {
    const { folder, read } = folderWith({ 'wrong.dot': WRONG, 'loose.dot': LOOSE, 'b.workflow.json': '{"id":' })
    const { code, out, err } = await reflex(['fmt', 'wrong.dot', 'b.workflow.json', 'loose.dot'], { folder })
    expect({ code, out }).toEqual({ code: 1, out: 'loose.dot\n' })
    expect(err).toMatch(/error R1102.*wrong\.dot:1:15/)
    expect(err).toMatch(/error R1001.*b\.workflow\.json:1/)
    expect([read('wrong.dot'), read('b.workflow.json'), read('loose.dot')]).toEqual([WRONG, '{"id":', NEAT])
  })

  test('the mode stays, and a link stays a link', async () => {
    const { folder, path, read } = folderWith({ 'real.dot': LOOSE })
    chmodSync(path('real.dot'), 0o640)
    symlinkSync('real.dot', path('link.dot'))
    expect(await reflex(['fmt', 'link.dot', 'real.dot'], { folder })).toMatchObject({ code: 0, out: 'link.dot\n' })
    expect(lstatSync(path('link.dot')).isSymbolicLink()).toBe(true)
    expect(statSync(path('real.dot')).mode & 0o777).toBe(0o640)
    expect(read('real.dot')).toBe(NEAT)
  })

  test('a hard link to the same file keeps the old content', async () => {
    const { folder, path, read } = folderWith({ 'one.dot': LOOSE })
    linkSync(path('one.dot'), path('two.txt'))
    await reflex(['fmt', 'one.dot'], { folder })
    expect([read('one.dot'), read('two.txt')]).toEqual([NEAT, LOOSE])
  })

  test('bytes that are not UTF-8 are not overwritten', async () => {
    const { folder, path } = folderWith({})
    const bytes = Buffer.from([...Buffer.from('digraph g { a [x="'), 0xe9, ...Buffer.from('"] }')])
    writeFileSync(path('latin.dot'), bytes)
    expect(await reflex(['fmt', 'latin.dot'], { folder })).toMatchObject({ code: 2, err: expect.stringContaining('not UTF-8') as string })
    expect(readFileSync(path('latin.dot'))).toEqual(bytes)
    writeFileSync(path('right.dot'), 'digraph g { a [x="\ufffd"] }')
    expect(await reflex(['fmt', 'right.dot'], { folder })).toMatchObject({ code: 0 })
  })

  test.each([
    ['nothing.dot', 2, 'R1021'],
    ['note.txt', 2, 'R1020'],
    ['m.workflow.ts', 2, 'a formatter for TypeScript'],
    ['empty', 2, 'R1021'],
    ['a\0b.dot', 2, 'R102'],
  ])('%j cannot be formatted', async (name, code, hint) => {
    const { folder, path } = folderWith({ 'note.txt': LOOSE, 'm.workflow.ts': 'export const a = 1' })
    mkdirSync(path('empty'))
    const ended = await reflex(['fmt', name], { folder })
    expect(ended).toMatchObject({ code, out: '', err: expect.stringContaining(hint) as string })
  })

  test('--kind sets the kind if the name does not show it', async () => {
    const { folder, read } = folderWith({ 'note.txt': LOOSE })
    expect(await reflex(['fmt', '--kind', 'pipeline', 'note.txt'], { folder })).toMatchObject({ code: 0 })
    expect(read('note.txt')).toBe(NEAT)
  })
})

describe('reflex fmt --check', () => {
  test('lists the files that would change, writes nothing, and exits with 1', async () => {
    const { folder, read } = folderWith({ 'loose.dot': LOOSE, 'neat.dot': NEAT })
    const { code, out, err } = await reflex(['fmt', '--check', '.'], { folder })
    expect({ code, out }).toEqual({ code: 1, out: 'loose.dot\n' })
    expect(err).toContain('reflex fmt loose.dot')
    expect(read('loose.dot')).toBe(LOOSE)
    expect(await reflex(['fmt', '--check', 'neat.dot', '-q'], { folder })).toMatchObject({ code: 0, out: '', err: '' })
  })
})

describe('reflex fmt -', () => {
  const folder = workFolder

  test('reads standard input and writes standard output', async () => {
    expect(await reflex(['fmt', '-'], { folder: folder(), input: LOOSE })).toMatchObject({ code: 0, out: NEAT, err: '' })
    expect(await reflex(['fmt', '-'], { folder: folder(), input: NEAT })).toMatchObject({ code: 0, out: NEAT, err: '' })
    expect(await reflex(['fmt', '-'], { folder: folder(), input: '// c\n{"id":1}' })).toMatchObject({ code: 0, out: '// c\n{ "id": 1 }\n' })
  })

  test('a text with errors has no output', async () => {
    const ended = await reflex(['fmt', '-'], { folder: folder(), input: WRONG })
    expect(ended).toMatchObject({ code: 1, out: '', err: expect.stringContaining('R1102') as string })
  })

  test('--check only reports', async () => {
    expect(await reflex(['fmt', '--check', '-'], { folder: folder(), input: LOOSE })).toMatchObject({ code: 1, out: '-\n' })
    expect(await reflex(['fmt', '--check', '-'], { folder: folder(), input: NEAT })).toMatchObject({ code: 0, out: '' })
  })
})

test('--json is a document', async () => {
  const { folder } = folderWith({ 'loose.dot': LOOSE, 'wrong.dot': WRONG })
  const { code, out, err } = await reflex(['fmt', '--json', '.', '-'], { folder, input: NEAT })
  expect({ code, err }).toEqual({ code: 1, err: '' })
  expect(DOCUMENTS.fmt.parse(JSON.parse(out))).toMatchObject({
    files: [
      { file: 'loose.dot', changed: true, findings: [] },
      { file: 'wrong.dot', changed: false, findings: [{ code: 'R1102', file: 'wrong.dot', line: 1 }] },
      { file: '-', changed: false, text: NEAT },
    ],
    changed: 1,
    errors: 1,
  })
})
