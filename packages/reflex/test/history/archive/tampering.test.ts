import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { programHash } from '../../../src/kernel/index.ts'
import { memoryStore } from '../../../src/store/index.ts'
import { asking, elsewhere, exported, refusal, rehashed } from './lines.ts'

type Change = (lines: readonly string[]) => readonly string[]

type Case = readonly [about: string, code: string, at: string | number, change: Change, secret?: string]

const at = (lines: readonly string[], start: string, nth = 0): number =>
  lines.map((line, i) => [line, i] as const).filter(([line]) => line.startsWith(start))[nth]?.[1] ?? -1
const edit =
  (start: string, change: (line: string) => string, nth = 0): Change =>
  (lines) =>
    lines.map((line, i) => (i === at(lines, start, nth) ? change(line) : line))
const without =
  (start: string, nth = 0): Change =>
  (lines) =>
    lines.filter((_, i) => i !== at(lines, start, nth))
const twice =
  (start: string): Change =>
  (lines) =>
    lines.flatMap((line, i) => (i === at(lines, start) ? [line, line] : [line]))
const swapped =
  (one: string, other: string): Change =>
  (lines) => {
    const [a, b] = [at(lines, one), at(lines, other)]
    return lines.map((line, i) => (i === a ? (lines[b] ?? '') : i === b ? (lines[a] ?? '') : line))
  }

const CASES: readonly Case[] = [
  ['a changed record', 'R2072', '{"record":3,', edit('{"record":3,', (line) => line.replace(/"v":\d+/, '"v":0'))],
  ['a record with a space more', 'R2072', '{"record":4,', edit('{"record":4,', (line) => line.replace('"v":', '"v": '))],
  [
    'a record with another hash',
    'R2072',
    '{"record":2,',
    edit('{"record":2,', (line) => line.replace(/"hash":"(.)/, (_, first) => `"hash":"${first === '0' ? '1' : '0'}`)),
  ],
  ['a record in the middle that is cut', 'R2072', '{"record":2,', edit('{"record":2,', (line) => line.slice(0, -9))],
  ['a missing record', 'R2073', '{"record":5,', without('{"record":4,')],
  ['a missing last record', 'R2073', '{"end"', (lines) => lines.filter((_, i) => i !== lines.length - 2)],
  ['two records in another order', 'R2074', '{"record":4,', swapped('{"record":3,', '{"record":4,')],
  ['a record that stands there twice', 'R2074', 6, twice('{"record":2,')],
  ['an archive without its end', 'R2075', 14, (lines) => lines.slice(0, -1)],
  ['an archive that is cut within its last line', 'R2075', '{"end"', edit('{"end"', (line) => line.slice(0, 30))],
  ['an archive that is cut within a record', 'R2075', 5, (lines) => [...lines.slice(0, 4), (lines[4] ?? '').slice(0, 50)]],
  ['a line behind the end', 'R2076', 15, (lines) => [...lines, lines[0] ?? '']],
  ['a line that nobody knows', 'R2076', 5, (lines) => rehashed([...lines.slice(0, 4), '{"extra":1,"hash":""}', ...lines.slice(4)])],
  ['a program that stands there twice', 'R2076', 3, twice('{"program"')],
  ['a program of another kind', 'R2077', '{"program"', edit('{"program"', (line) => line.replace('"workflow"', '"pipeline"'))],
  ['a changed program', 'R2077', '{"program"', edit('{"program"', (line) => line.replace('Pay?', 'Pay!'))],
  [
    'a changed program with hashes that fit',
    'R2077',
    '{"program"',
    (lines) => rehashed(edit('{"program"', (line) => line.replace('Pay?', 'Pay!'))(lines)),
  ],
  ['a missing program', 'R2078', '{"record":1,', without('{"program"', 1)],
  ['a missing program with hashes that fit', 'R2078', '{"record":1,', (lines) => rehashed(without('{"program"', 1)(lines))],
  ['a changed value', 'R2079', '{"blob"', edit('{"blob"', (line) => line.replace('größer', 'kleiner'))],
  ['a value of which a part is missing', 'R2079', '{"blob"', edit('{"blob"', (line) => line.replace('"of":1', '"of":2'))],
  ['a value that no record needs', 'R2076', '{"record":3,', (lines) => rehashed(edit('{"record":3,', withoutBlob)(lines))],
  ['a value that is moved away from its record', 'R2076', '{"record":2,', (lines) => rehashed(swapped('{"blob"', '{"record":2,')(lines))],
  ['a program that no record needs', 'R2076', '{"record":1,', (lines) => rehashed([...lines.slice(0, 1), STRAY, ...lines.slice(1)])],
  ['a missing value', 'R2080', '{"record":3,', without('{"blob"')],
  ['a changed first line', 'R2081', 1, edit('{"archive"', (line) => line.replace('otter-2m9q', 'lark-2m9q'))],
  ['a changed end', 'R2081', '{"end"', edit('{"end"', (line) => line.replace(/"lines":\d+/, '"lines":99'))],
  ['a message put in', 'R2081', '{"end"', (lines) => rehashed([...lines.slice(0, -1), MESSAGE, ...lines.slice(-1)])],
  ['a message that was forged', 'R2081', '{"message"', (lines) => [...lines.slice(0, -1), MESSAGE, ...lines.slice(-1)]],
  ['no signature', 'R2082', '{"end"', (lines) => rehashed(lines), 'sesame'],
  ['a signature by another secret', 'R2083', '{"end"', (lines) => lines, 'sesam'],
  [
    'a signature that was changed',
    'R2083',
    '{"end"',
    edit('{"end"', (line) => line.replace(/"signature":".{4}/, '"signature":"0000')),
    'sesame',
  ],
  ['records that were changed and hashed anew', 'R2083', '{"end"', resigned, 'sesame'],
  ['a newer archive', 'R2071', 1, edit('{"archive"', (line) => line.replace('"archive":1', '"archive":3'))],
  ['a record of a newer format', 'R2071', '{"record":2,', edit('{"record":2,', (line) => line.replace(/"v":\d+/, '"v":99'))],
  ['a text that is no archive', 'R2070', 1, () => ['Dear Sir,']],
  ['another JSON file', 'R2070', 1, () => ['{"v":1,"run":"otter-2m9q"}']],
  ['an empty file', 'R2070', 1, () => []],
  [
    'records of another run',
    'R2084',
    '{"record":1,',
    (lines) => rehashed(edit('{"archive"', (line) => line.replace('otter', 'lark'))(lines)),
  ],
  [
    'a record that does not follow',
    'R2084',
    '{"record":2,',
    (lines) => rehashed(edit('{"record":2,', (line) => line.replace(/"row":\[.*?\]\],/, '"row":[4,["ok",7,1]],'))(lines)),
  ],
]
const STRAY = `{"program":"${programHash('workflow', { id: 'x' })}","kind":"workflow","source":{"id":"x"},"hash":""}`
const withoutBlob = (line: string): string => line.replace(/"row":.*,"hash"/, '"row":[4,["part",2,1]],"hash"')
const MESSAGE = '{"message":"m","type":"answer","to":"6w","body":"YES","at":1,"hash":""}'

function resigned(lines: readonly string[]): readonly string[] {
  const signature = /,"signature":"[0-9a-f]+"/.exec(lines.at(-1) ?? '')?.[0] ?? ''
  const changed = rehashed(edit('{"record":1,', (line) => line.replace('"probationary"', '"autonomous"'))(lines))
  return changed.map((line, i) => (i === changed.length - 1 ? `${line.slice(0, -1)}${signature}}` : line))
}

describe('a change of an archive is found, and nothing is stored', () => {
  test.each(CASES.map((one) => [one[0], one[1], one] as const))('%s is %s', async (_, code, [, , where, change, secret]) => {
    const { reflex } = await asking()
    const lines = await exported(reflex, 'otter', 'sesame')
    const changed = change(lines)
    const there = elsewhere()
    const refused = await refusal(there.import(changed, secret === undefined ? {} : { secret }))
    expect(refused).toEqual({
      code,
      line: typeof where === 'number' ? where : at(changed, where) + 1,
    })
    expect(await there.runs()).toEqual([])
    expect((await there.import(lines, { secret: 'sesame' })).row.id).toBe('otter-2m9q')
  })

  test('any changed, removed or repeated character', async () => {
    const { reflex } = await asking(memoryStore(), 120_000)
    const text = (await exported(reflex, 'otter', 'sesame')).join('\n')
    const blob = text.indexOf('{"blob"')
    const places = fc.oneof(fc.integer({ min: 0, max: blob }), fc.integer({ min: text.length - 3000, max: text.length - 1 }))
    await fc.assert(
      fc.asyncProperty(places, fc.constantFrom('', 'x', '0', '\n', '"'), async (place, put) => {
        const changed = text.slice(0, place) + put + text.slice(place + 1)
        fc.pre(changed !== text)
        const there = elsewhere(memoryStore())
        expect((await refusal(there.import(changed.split('\n'), { secret: 'sesame' }))).code).toMatch(/^R20(7\d|8[0-4])$/)
        expect(await there.runs()).toEqual([])
      }),
      { numRuns: 60 },
    )
  })
})
