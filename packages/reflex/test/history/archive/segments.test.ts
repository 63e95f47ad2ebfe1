import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Reflex } from '../../../src/app/reflex.ts'
import { decodeBatch, dumpState, encodeRecord, type Rec, type Store } from '../../../src/kernel/index.ts'
import { memoryStore, openSqlite } from '../../../src/store/index.ts'
import { lifeIn, newFolder, workflow } from '../../app/folders.ts'
import { elsewhere, exported, refusal, rehashed } from './lines.ts'
import { forgotten, sealedCopy } from './sealed.ts'

const ARCHIVE = 'f00d'.repeat(16)
const NAMES = Array.from({ length: 60 }, (_, i) => `n${i}`)

/** Nodes in a row that write values, one of them large, and a question with a due time at the end. */
const LONG = workflow(
  'long',
  {
    ...Object.fromEntries(NAMES.map((name, i) => [name, { writes: { latest: i, [`k${i}`]: i === 25 ? 'x'.repeat(120_000) : i } }])),
    ask: { ask: 'Again?', due: '1m' },
    end: {},
  },
  [...NAMES.map((name, i) => [`e${i}`, name, NAMES[i + 1] ?? 'ask'] as const), ['yes', 'ask', 'end']],
)

/** The same with few nodes. */
const SHORT = workflow('short', { a: { writes: { one: 1 } }, b: { writes: { two: [2] } }, ask: { ask: 'Again?' } }, [
  ['e1', 'a', 'b'],
  ['e2', 'b', 'ask'],
])

/** A store with `crane`, whose records 20, 40 and 55 end segments. */
async function sealed(store: Store, seals: readonly number[] = [20, 40, 55], program: object = LONG): Promise<Reflex> {
  const folder = newFolder()
  const file = join(folder, 'long.workflow.json')
  writeFileSync(file, JSON.stringify(program))
  const reflex = lifeIn(folder, { store })
  await reflex.run(file, { id: 'otter' })
  await sealedCopy(reflex, 'otter', store, 'crane', seals)
  return reflex
}

const sqlite = (): Store => openSqlite(join(newFolder(), 'reflex.db'))
const STORES = [
  ['memory', memoryStore],
  ['SQLite', sqlite],
] as const

const stateOf = async (reflex: Reflex, run: string, at?: number): Promise<object> =>
  dumpState((await reflex.runtime.peek(run, at)).state, (pin) => pin < 0)

async function segmentsOf(reflex: Reflex, run: string): Promise<string[]> {
  const segments = await reflex.store.segments(run)
  return segments.map(({ number, first, last, sealed: isSealed, place }) => `${number}: ${first}-${last} ${isSealed ? place : 'open'}`)
}

/** Returns a snapshot without what an archive leaves out. */
function withoutProof(body = ''): object {
  const { start, ...state } = JSON.parse(body) as { readonly start: { readonly by: object } }
  return { ...state, start: { ...start, by: { ...start.by, proof: undefined } } }
}

async function part(reflex: Reflex, run: string, through: number): Promise<string[]> {
  const lines: string[] = []
  for await (const line of reflex.export(run, { through })) lines.push(line)
  return lines
}

const startsWith = (lines: readonly string[], prefix: string): number => lines.findIndex((line) => line.startsWith(prefix))

describe.each(STORES)('an archive of a sealed run in %s', (_, make) => {
  test('has its segments, and an import has the same', async () => {
    const reflex = await sealed(make())
    const lines = await exported(reflex, 'crane')
    expect(lines[0]).toMatch(/^\{"archive":2,/)
    expect((await exported(reflex, 'otter'))[0]).toMatch(/^\{"archive":1,/)
    expect(lines.flatMap((line) => /^\{"segment":(\d+),"at":(\d+),"hash"/.exec(line)?.slice(1, 3).join('@') ?? [])).toEqual([
      '2@20',
      '3@40',
      '4@55',
    ])
    const there = elsewhere(make())
    const imported = await there.import(lines)
    expect(imported).toMatchObject({ first: 1, isPart: false, row: { id: 'crane', status: 'suspended' } })
    expect(imported.row.due).not.toBeNull()
    expect(await segmentsOf(there, 'crane')).toEqual(await segmentsOf(reflex, 'crane'))
    expect(await exported(there, 'crane')).toEqual(lines)
    for (const at of [20, 33, undefined]) expect(await stateOf(there, 'crane', at)).toEqual(await stateOf(reflex, 'crane', at))
    for (const number of [2, 4]) {
      const [one, other] = [await reflex.store.segment('crane', number), await there.store.segment('crane', number)]
      expect(withoutProof(other?.snapshot?.body)).toEqual(withoutProof(one?.snapshot?.body))
      expect(other?.snapshot?.body).not.toContain('"proof"')
    }
    const { handle } = await there.answer('crane', 'YES')
    await handle?.idle()
    expect(handle?.status).toBe('completed')
    await there.runtime.close()
  })

  test('whose last record is a seal, and one under another name', async () => {
    const reflex = await sealed(make())
    const { last } = await reflex.find('otter')
    await sealedCopy(reflex, 'otter', reflex.store, 'lark', [10, last])
    const there = elsewhere(make())
    await there.import(reflex.export('lark'), { id: 'wren' })
    expect(await segmentsOf(there, 'wren')).toEqual(['1: 1-10 rows', `2: 11-${last} rows`])
    expect((await there.runtime.peek('wren')).state.start?.run).toBe('wren')
    expect((await there.find('wren')).status).toBe('suspended')
    await forgotten(there.store, 'wren', 2, ARCHIVE)
    expect(await refusal(exported(there, 'wren'))).toMatchObject({ code: 'R2145' })
    expect((await there.show('wren')).at).toBe(last)
  })

  test('without its first segments begins with the state before its records', async () => {
    const reflex = await sealed(make())
    const whole = await reflex.trace('crane')
    await forgotten(reflex.store, 'crane', 2, ARCHIVE)
    const lines = await exported(reflex, 'crane')
    expect(lines.find((line) => line.startsWith('{"segment":3,'))).toMatch(
      new RegExp(`^\\{"segment":3,"at":40,"chain":\\d+,"archive":"${ARCHIVE}","snapshot":"[0-9a-f]{64}"`),
    )
    const there = elsewhere(make())
    expect(await there.import(lines, { id: 'wren' })).toMatchObject({ first: 41, earlier: ARCHIVE, isPart: false })
    expect(await segmentsOf(there, 'wren')).toEqual(['1: 41-55 rows', `2: 56-${whole.row.last} open`])
    expect((await there.trace('wren')).lines).toEqual(whole.lines.filter(({ n }) => n > 40))
    expect(await refusal(there.trace('wren@12'))).toMatchObject({ code: 'R5054' })
    expect(await refusal(there.import(lines, { id: 'wren' }))).toMatchObject({ code: 'R5007' })
    // Without programs and large values that only gone records name, it can still be read after a clean-up.
    await there.gc()
    expect((await there.show('wren')).board.length).toBe((await reflex.show('otter')).board.length)
    const again = await exported(there, 'wren')
    await elsewhere(make()).import(again)
    const { handle } = await there.answer('wren', 'YES')
    await handle?.idle()
    expect(handle?.status).toBe('completed')
    await there.runtime.close()
  })

  test('through a segment has its records and nothing that is due', async () => {
    const reflex = await sealed(make())
    expect(await part(reflex, 'crane', 2)).toEqual(await part(reflex, 'crane', 2))
    const there = elsewhere(make())
    const imported = await there.import(reflex.export('crane', { through: 2 }))
    expect(imported).toMatchObject({ first: 1, isPart: true, row: { status: 'suspended', last: 40, due: null } })
    expect(await segmentsOf(there, 'crane')).toEqual(['1: 1-20 rows', '2: 21-40 rows'])
    expect(await stateOf(there, 'crane')).toEqual(await stateOf(reflex, 'crane', 40))
    for (const through of [4, 5, 0, -1, 1.5]) expect(await refusal(part(reflex, 'crane', through))).toMatchObject({ code: 'R2140' })
    expect(await refusal(part(reflex, 'otter', 1))).toMatchObject({ code: 'R2140' })
    await forgotten(reflex.store, 'crane', 2, ARCHIVE)
    expect(await refusal(part(reflex, 'crane', 2))).toMatchObject({ code: 'R5054' })
    expect(await there.import(reflex.export('crane', { through: 3 }), { id: 'wren' })).toMatchObject({ first: 41, row: { last: 55 } })
  })

  test('that was interrupted at any commit can be repeated', async () => {
    const reflex = await sealed(make())
    await forgotten(reflex.store, 'crane', 1, ARCHIVE)
    const lines = await exported(reflex, 'crane')
    for (const point of [1, 2, 3]) {
      const store = make()
      let commits = 0
      const breaking = new Proxy(store, {
        get(target, name) {
          if (name === 'commit' && ++commits === point) throw new Error('the disk is full')
          const value: unknown = Reflect.get(target, name)
          return typeof value === 'function' ? (value.bind(target) as unknown) : value
        },
      })
      await expect(elsewhere(breaking).import(lines)).rejects.toThrow('the disk is full')
      const there = elsewhere(store)
      await there.import(lines)
      expect(await segmentsOf(there, 'crane')).toEqual(['1: 21-40 rows', '2: 41-55 rows', '3: 56-63 open'])
      expect(await stateOf(there, 'crane')).toEqual(await stateOf(reflex, 'crane'))
    }
  })
})

describe('a change of the segments of an archive is found, and nothing is stored', () => {
  type Change = (lines: readonly string[]) => readonly string[]
  const swap =
    (prefix: string, from: RegExp | string, to: string): Change =>
    (lines) =>
      lines.map((line) => (line.startsWith(prefix) ? line.replace(from, to) : line))
  const without =
    (prefix: string): Change =>
    (lines) =>
      lines.filter((line) => !line.startsWith(prefix))
  /** Adds the line of a segment after a line. */
  const then =
    (prefix: string, added: object): Change =>
    (lines) =>
      lines.flatMap((line) => (line.startsWith(prefix) ? [line, JSON.stringify({ ...added, hash: '' })] : [line]))
  const changes: Readonly<Record<string, readonly [code: string, change: Change, isRehashed: boolean]>> = {
    'a changed line of a segment': ['R2141', swap('{"segment":3,', '"at":40', '"at":41'), false],
    'a changed checksum of the records before': ['R2141', swap('{"segment":2,', /"chain":\d+/, '"chain":5'), false],
    'a checksum that is not a number': ['R2141', swap('{"segment":2,', /"chain":\d+/, '"chain":"5"'), true],
    'a missing line of a segment': ['R2142', without('{"segment":3,'), true],
    'a segment at another record': ['R2142', swap('{"segment":3,', '"at":40', '"at":41'), true],
    'a repeated segment': ['R2142', (lines) => lines.flatMap((line) => (line.startsWith('{"segment":3,') ? [line, line] : [line])), true],
    'a segment without records': ['R2142', then('{"segment":3,', { segment: 4, at: 40 }), true],
    'a segment without records after the opening': ['R2142', then('{"segment":2,', { segment: 3, at: 20 }), true],
    'a segment that comes again after later records': ['R2142', then('{"record":45,', { segment: 3, at: 40 }), true],
    'a segment that overlaps the one before': ['R2142', then('{"record":45,', { segment: 4, at: 38 }), true],
    'segments in another order': ['R2142', swap('{"segment":3,', '"segment":3', '"segment":4'), true],
    'records of a segment in another order': [
      'R2074',
      (lines) => {
        const at = startsWith(lines, '{"record":30,')
        return lines.toSpliced(at, 2, lines[at + 1] ?? '', lines[at] ?? '')
      },
      true,
    ],
    'missing records of a segment': ['R2142', (lines) => lines.filter((line) => !/^\{"record":(4[1-9]|5[0-5]),/.test(line)), true],
    'a missing state': ['R2080', without('{"blob":'), true],
    'a changed state': ['R2079', swap('{"blob":', 'latest', 'newest'), true],
    'no opening': ['R2073', without('{"segment":2,'), true],
    'a state of another record': ['R2143', swap('{"segment":2,', '"at":20', '"at":19'), true],
    'segments in format 1': ['R2076', swap('{"archive":2', '{"archive":2', '{"archive":1'), true],
    'another end of a part': ['R2070', swap('{"archive":2', '"started"', '"through":"60","started"'), true],
    'a wrong end of a part': ['R2084', swap('{"archive":2', /("started":\d+)/, '$1,"through":60'), true],
    'a program that is missing': ['R2143', without('{"program":'), true],
  }
  test.each(Object.entries(changes))('%s', async (_, [code, change, isRehashed]) => {
    const reflex = await sealed(memoryStore())
    await forgotten(reflex.store, 'crane', 1, ARCHIVE)
    const lines = await exported(reflex, 'crane')
    const changed = change(lines)
    expect(changed).not.toEqual(lines)
    const there = elsewhere(memoryStore())
    const found = await refusal(there.import(isRehashed ? rehashed(changed) : changed))
    expect(found.code).toBe(code)
    expect(found.line).toBeGreaterThan(0)
    const inserted = changed.length > lines.length ? changed.findIndex((line, i) => line !== lines[i]) + 1 : found.line
    expect(found.line).toBe(inserted)
    expect(await there.runs()).toEqual([])
  })

  test('a short archive cannot need more memory than a state can have', async () => {
    const reflex = await sealed(memoryStore(), [4], SHORT)
    const lines = await exported(reflex, 'crane')
    const value = 'x'.repeat(1_000_000)
    const at = startsWith(lines, '{"record":4,')
    const { v, row } = JSON.parse(lines[at] ?? '') as { v: number; row: Json }
    const [record] = decodeBatch(v, `[${JSON.stringify(row)}]`, () => 'null')
    const one = encodeRecord({ ...(record as Rec), writes: ['key 0', value] })
    const { blobs = new Map<string, string>() } = one
    // A large value is in one line, and the record names each place where it stands.
    const parts = JSON.parse(one.text) as Json[]
    const [[hash, place] = []] = parts.at(-1) as readonly (readonly [string, number])[]
    parts[place ?? 0] = Array.from({ length: 110 }, (_, i) => [`key ${i}`, 0]).flat()
    parts[parts.length - 1] = Array.from({ length: 110 }, (_, i) => [hash ?? '', place ?? 0, 2 * i + 1])
    const text = JSON.stringify(parts)
    const added = [...blobs].map(([blob, whole]) => JSON.stringify({ blob, part: 1, of: 2, text: whole.slice(0, 1_000_000), hash: '' }))
    const rest = [...blobs].map(([blob, whole]) => JSON.stringify({ blob, part: 2, of: 2, text: whole.slice(1_000_000), hash: '' }))
    const changed = lines.toSpliced(at, 1, ...added, ...rest, JSON.stringify({ record: 4, v, row: JSON.parse(text) as Json, hash: '' }))
    expect(changed.join('').length).toBeLessThan(2_000_000)
    const there = elsewhere(memoryStore())
    expect(await refusal(there.import(rehashed(changed)))).toMatchObject({ code: 'R2146' })
    expect(await there.runs()).toEqual([])
  })

  test('a state with any part changed is refused, or gives a run that can be examined', async () => {
    const reflex = await sealed(memoryStore(), [4], SHORT)
    await forgotten(reflex.store, 'crane', 1, ARCHIVE)
    const lines = await exported(reflex, 'crane')
    const at = startsWith(lines, '{"blob":')
    const { text } = JSON.parse(lines[at] ?? '') as { text: string }
    const codes = new Set<string>()
    const there = elsewhere(memoryStore())
    let count = 0
    for (const state of brokenStates(JSON.parse(text) as Json)) {
      const changed = JSON.stringify(state)
      const hash = createHash('sha256').update(changed).digest('hex')
      const broken = lines.map((line, i) =>
        i === at
          ? JSON.stringify({ blob: hash, part: 1, of: 1, text: changed, hash: '' })
          : line.replace(/"snapshot":"[0-9a-f]{64}"/, `"snapshot":"${hash}"`),
      )
      const id = `run-${++count}`
      const { code } = await refusal(there.import(rehashed(broken), { id }))
      codes.add(code)
      if (code !== 'nothing is refused') expect(await there.store.read(id)).toBeUndefined()
      else for (const look of [there.show(id), there.trace(id), there.why(id, '@5'), exported(there, id)]) await refusal(look)
    }
    expect([...codes].filter((code) => !/^R2\d{3}$/.test(code) && code !== 'nothing is refused')).toEqual([])
    expect(codes.has('R2143')).toBe(true)
  })
})

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** A state with each of its parts, down to the parts of its frames, in turn replaced or left out. */
function* brokenStates(state: Json): Generator<Json> {
  yield* [null, 7, 'state', [], {}]
  for (const path of pathsOf(state, 4)) for (const other of [undefined, null, -1, 'x', [[[]]]]) yield replaced(state, path, other)
}

function* pathsOf(value: Json, depth: number): Generator<readonly string[]> {
  if (depth === 0 || typeof value !== 'object' || value === null) return
  // The first entries of a list stand for all of them.
  for (const [key, inner] of Object.entries(value).slice(0, 12)) {
    yield [key]
    for (const path of pathsOf(inner, depth - 1)) yield [key, ...path]
  }
}

function replaced(value: Json, [key = '', ...rest]: readonly string[], other: Json | undefined): Json {
  const inner = (value as Record<string, Json>)[key] ?? null
  const next = rest.length === 0 ? other : replaced(inner, rest, other)
  if (Array.isArray(value)) return value.flatMap((item: Json, i) => (String(i) !== key ? [item] : next === undefined ? [] : [next]))
  const { [key]: _, ...others } = value as Record<string, Json>
  return next === undefined ? others : { ...others, [key]: next }
}

test('no worker continues an imported part of a run', async () => {
  const reflex = await sealed(memoryStore(), [20, 63])
  const store = memoryStore()
  const there = elsewhere(store)
  await there.import(reflex.export('crane', { through: 2 }))
  await there.import(reflex.export('crane'), { id: 'wren' })
  const later = there.host.now() + 3_600_000
  expect(await store.due(later)).toEqual(['wren'])
})

describe.each(STORES)('records that are forgotten in %s', (_, make) => {
  const removed = (reflex: Reflex, lines: readonly string[], through: number): Promise<unknown> =>
    reflex.forget('crane', lines, { through })

  test('are in the archive that was checked, and only there', async () => {
    const reflex = await sealed(make())
    const whole = await reflex.trace('crane')
    const [first, signed] = [await part(reflex, 'crane', 1), [] as string[]]
    for await (const line of reflex.export('crane', { through: 1, secret: 'sesame' })) signed.push(line)
    expect(await removed(reflex, signed, 1)).toMatchObject({ run: 'crane', through: 1, first: 1, last: 20 })
    const second = await part(reflex, 'crane', 3)
    expect(await removed(reflex, second, 3)).toMatchObject({ through: 3, first: 21, last: 55 })
    expect(await segmentsOf(reflex, 'crane')).toEqual(['1: 1-20 gone', '2: 21-40 gone', '3: 41-55 gone', '4: 56-63 open'])
    for (const lines of [first, second]) await reflex.import(lines, { id: `lark${lines.length}` })
    expect((await reflex.trace(`lark${first.length}`)).lines).toEqual(whole.lines.filter(({ n }) => n <= 20))
    expect((await reflex.trace(`lark${second.length}`)).lines).toEqual(whole.lines.filter(({ n }) => n > 20 && n <= 55))
    const { handle } = await reflex.answer('crane', 'YES')
    await handle?.idle()
    expect(handle?.status).toBe('completed')
    await reflex.runtime.close()
  })

  test('stay if the archive is not exactly theirs', async () => {
    const reflex = await sealed(make())
    const lines = await part(reflex, 'crane', 2)
    const others: readonly (readonly string[])[] = [
      [],
      lines.slice(0, -1),
      lines.toSpliced(5, 1),
      [...lines, lines.at(-1) ?? ''],
      lines.map((line) => line.replace('"latest",7', '"latest",8')),
      rehashed(lines.map((line) => line.replace('"latest",7', '"latest",8'))),
      await exported(reflex, 'crane'),
      await part(reflex, 'crane', 1),
      await part(reflex, 'crane', 3),
      await exported(reflex, 'otter'),
    ]
    for (const other of others) expect(await refusal(removed(reflex, other, 2))).toMatchObject({ code: 'R2144' })
    for (const through of [4, 9, 0]) expect(await refusal(removed(reflex, lines, through))).toMatchObject({ code: 'R2140' })
    expect((await segmentsOf(reflex, 'crane')).join()).not.toContain('gone')
    await removed(reflex, lines, 2)
    expect(await refusal(removed(reflex, lines, 2))).toMatchObject({ code: 'R5054' })
  })

  test('are never lost by a process that ends at any point', async () => {
    const store = make()
    const reflex = await sealed(store)
    const lines = await part(reflex, 'crane', 2)
    let calls = Number.NEGATIVE_INFINITY
    let point = 0
    const ending = new Proxy(store, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        if (++calls === point) throw new Error('the process ends')
        return value.bind(target) as unknown
      },
    })
    const life = lifeIn(reflex.workdir, { store: ending })
    for (let failed: string | undefined = ''; failed !== undefined; ) {
      point++
      calls = 0
      failed = await refusalText(life.forget('crane', lines, { through: 2 }))
      calls = Number.NEGATIVE_INFINITY
      const places = (await store.segments('crane')).slice(0, 2).map(({ place }) => place)
      expect(places.filter((place) => place === 'gone')).toHaveLength(failed === undefined ? 2 : 0)
      if (failed !== undefined) expect(await part(reflex, 'crane', 2)).toEqual(lines)
    }
    expect(point).toBeGreaterThan(5)
    const there = elsewhere(make())
    expect(await there.import(lines)).toMatchObject({ row: { last: 40 } })
  })
})

async function refusalText(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work
    return undefined
  } catch (thrown) {
    return String(thrown)
  }
}
