import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import * as fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { linesOf } from '../../../src/history/archive/import.ts'
import { isFault } from '../../../src/kernel/index.ts'
import { memoryStore } from '../../../src/store/index.ts'
import { lifeIn, newFolder, workflow } from '../../app/folders.ts'
import { asking, elsewhere, exported, type Refusal, refusal, rehashed } from './lines.ts'

/** Returns the lines of an attacker: the hashes and the last line match. */
function written(lines: readonly string[]): string[] {
  return rehashed(lines.map((line, i) => (line.startsWith('{"end"') ? line.replace(/"lines":\d+/, `"lines":${i + 1}`) : line)))
}

const put = (lines: readonly string[], before: string, ...more: readonly string[]): string[] => {
  const at = lines.findIndex((line) => line.startsWith(before))
  return written([...lines.slice(0, at), ...more.map((line) => `${line.slice(0, -1)},"hash":""}`), ...lines.slice(at)])
}
const set = (lines: readonly string[], start: string, change: (line: string) => string): string[] =>
  written(lines.map((line) => (line.startsWith(start) ? change(line) : line)))
const message = (body: string, to = '6w', id = 'm', type = 'answer'): string =>
  `{"message":"${id}","type":"${type}","to":"${to}","body":${body},"at":1}`
const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Returns record 2 with the name of a value in a number of places. */
function bomb(lines: readonly string[], text: string, places: number): string[] {
  const name = sha256(text)
  const paths = Array.from({ length: places }, (_, i) => `["${name}",1,1,${i}]`)
  const record = `{"record":2,"v":1,"row":[260,["host",[${Array(places).fill(0).join(',')}]],[${paths.join(',')}]],"hash":""}`
  const blob = `{"blob":"${name}","part":1,"of":1,"text":${JSON.stringify(text)}}`
  return put(
    set(lines, '{"record":2,', () => record),
    '{"record":2,',
    blob,
  )
}

/** Returns record 2 with a value at a path. */
function led(lines: readonly string[], path: string): string[] {
  const name = sha256('"autonomous"')
  const record = `{"record":2,"v":1,"row":[304,"read",[["decide"]],[["${name}",${path}]]],"hash":""}`
  const blob = `{"blob":"${name}","part":1,"of":1,"text":"\\"autonomous\\""}`
  return put(
    set(lines, '{"record":2,', () => record),
    '{"record":2,',
    blob,
  )
}

type Attack = (lines: readonly string[]) => readonly string[]
const ATTACKS: Readonly<Record<string, readonly [code: string, attack: Attack]>> = {
  'a key that stands there twice': ['R2072', (lines) => set(lines, '{"record":2,', (line) => line.replace(/"v":\d+/, '$&,$&'))],
  'a number that is none': ['R2081', (lines) => put(lines, '{"end"', message('1e999'))],
  'a number below nothing that is nothing': ['R2081', (lines) => put(lines, '{"end"', message('-0'))],
  'a text that is escaped otherwise': ['R2081', (lines) => put(lines, '{"end"', message('"\\u0041"'))],
  'a line with a line end in it': ['R2072', (lines) => set(lines, '{"record":2,', (line) => line.replace(/"v":\d+/, '\n$&'))],
  'a message of endless levels': ['R2081', (lines) => put(lines, '{"end"', message(nested(5000)))],
  'a program of endless levels': [
    'R2077',
    (lines) => put(lines, '{"record":1,', `{"program":"${'0'.repeat(64)}","kind":"workflow","source":${nested(5000)}}`),
  ],
  'a record of endless levels': [
    'R2072',
    (lines) => set(lines, '{"record":2,', () => `{"record":2,"v":1,"row":[4,["host",${nested(5000)}]],"hash":""}`),
  ],
  'a value of endless levels': ['R2084', (lines) => bomb(lines, nested(5000), 1)],
  'a value at ten thousand places': ['R2084', (lines) => bomb(lines, JSON.stringify('x'.repeat(900_000)), 10_000)],
  'a value for what all objects share': ['R2084', (lines) => led(lines, '"__proto__","__proto__","trust"')],
  'a value for what all lists share': ['R2084', (lines) => led(lines, '"constructor","prototype","trust"')],
  'a value that makes a list longer': ['R2084', (lines) => led(lines, '"length"')],
  'a value in place of another one': ['R2084', (lines) => led(lines, '1')],
  'a share in what all objects have': [
    'R2084',
    (lines) => set(lines, '{"record":3,', () => '{"record":3,"v":1,"row":[140,["ok",2,{}],["x",0],[[1,"constructor"]]],"hash":""}'),
  ],
  'a share for a place that is not there': [
    'R2084',
    (lines) => set(lines, '{"record":3,', () => '{"record":3,"v":1,"row":[140,["ok",2,{}],["x",0],[[900000000]]],"hash":""}'),
  ],
  'a value in smaller parts': [
    'R2079',
    (lines) =>
      put(
        lines,
        '{"record":2,',
        `{"blob":"${sha256('"ab"')}","part":1,"of":2,"text":"\\"a"}`,
        `{"blob":"${sha256('"ab"')}","part":2,"of":2,"text":"b\\""}`,
      ),
  ],
  'two answers to one question': ['R2076', (lines) => put(lines, '{"end"', message('"YES"'), message('"NO"', '6w', 'n'))],
  'two messages of one name': [
    'R2076',
    (lines) => put(lines, '{"end"', message('1', 'a', 'm', 'message'), message('2', 'b', 'm', 'message')),
  ],
  'a message of another time than there is': [
    'R2081',
    (lines) => put(lines, '{"end"', message('1').replace('"at":1', '"at":9000000000000000')),
  ],
  'a start beyond all time': [
    'R2070',
    (lines) => set(lines, '{"archive"', (line) => line.replace(/"started":\d+/, '"started":9000000000000000')),
  ],
  'a record beyond all time': [
    'R2084',
    (lines) => set(lines, '{"record":2,', () => '{"record":2,"v":1,"row":[50,9000000000000000,"read",[["decide"]]],"hash":""}'),
  ],
  'a time between two milliseconds': [
    'R2084',
    (lines) => set(lines, '{"record":2,', () => '{"record":2,"v":1,"row":[50,0.5,"read",[["decide"]]],"hash":""}'),
  ],
  'a pin that is short': [
    'R2084',
    (lines) =>
      set(lines, '{"record":1,', (line) => line.replace(/"pins":\[\[("[^"]+"),"workflow",(\d+),"[0-9a-f]+"/, '"pins":[[$1,"workflow",$2')),
  ],
  'an ending that is none': [
    'R2084',
    (lines) => set(lines, '{"record":2,', () => '{"record":2,"v":1,"row":[80,"read",{"return":["dead"]}],"hash":""}'),
  ],
  'a call of no program': [
    'R2084',
    (lines) => set(lines, '{"record":2,', () => '{"record":2,"v":1,"row":[80,"read",{"call":{"pin":9}}],"hash":""}'),
  ],
  'a fork of nothing': ['R2084', (lines) => set(lines, '{"record":1,', (line) => line.replace('"pins":', '"fork":"otter","pins":'))],
  'a format before the first': ['R2070', (lines) => set(lines, '{"archive"', (line) => line.replace('"archive":1', '"archive":0'))],
  'a mangled signature': ['R2081', (lines) => [...lines.slice(0, -1), (lines.at(-1) ?? '').replace(/"signature":"./, '"signature":"')]],
  'a name that leads out of a folder': ['R2022', (lines) => written(lines.map((line) => line.replaceAll('otter-2m9q', '../../otter')))],
}

/** Imports into a store in a file. Returns the fault and the number of rows that each table has after it. */
async function attempt(lines: Iterable<string>, secret?: string): Promise<Refusal & { readonly left: Readonly<Record<string, number>> }> {
  const folder = newFolder()
  const file = join(folder, 'reflex.db')
  const reflex = lifeIn(folder, { store: file })
  const { code, line } = await refusal(reflex.import(lines, { secret }))
  await reflex.store.close()
  const db = new DatabaseSync(file)
  const rows = ['run', 'journal', 'program', 'blob', 'inbox'].map((table) => [
    table,
    Number(db.prepare(`select count(*) as n from ${table}`).get()?.['n']),
  ])
  db.close()
  return { code, line, left: Object.fromEntries(rows.filter(([, n]) => n !== 0)) as Readonly<Record<string, number>> }
}

describe('an archive from an attacker who computes all hashes', () => {
  test.each(Object.entries(ATTACKS).map(([about, [code, attack]]) => [about, code, attack] as const))(
    'with %s is %s',
    async (_, code, attack) => {
      const { reflex } = await asking(memoryStore(), 10)
      const lines = attack(await exported(reflex, 'otter', 'sesame'))
      expect(await attempt(lines)).toMatchObject({ code, left: {} })
      expect('trust' in {}).toBe(false)
    },
  )

  test('is refused or can be examined in every way, with any part changed', { timeout: 60_000 }, async () => {
    const { reflex } = await asking(memoryStore(), 10)
    const lines = await exported(reflex, 'otter')
    await fc.assert(
      fc.asyncProperty(fc.nat(lines.length - 1), fc.nat(), fc.jsonValue({ maxDepth: 1 }), async (at, which, value) => {
        const { hash: _, ...said } = JSON.parse(lines[at] ?? '') as Record<string, unknown>
        const places = placesIn(said)
        const place = places[which % places.length]
        fc.pre(place !== undefined)
        const changed = written(
          lines.map((line, i) => (i === at ? `${JSON.stringify(withPart(said, place ?? [], value)).slice(0, -1)},"hash":""}` : line)),
        )
        const there = elsewhere(memoryStore())
        const refused = (await faultOf(there.import(changed))) !== undefined
        const [row] = await there.runs()
        expect(row === undefined).toBe(refused)
        if (refused) return
        const out = newFolder()
        const run = row?.id ?? ''
        const looks = [
          there.trace(run),
          there.show(run),
          there.spans(run),
          there.replay(run),
          there.why(run, '@2'),
          there.diff(`${run}@1`, run),
          exported(there, run),
        ]
        for (const look of looks) await faultOf(look)
        for (const format of ['jsonl', 'parquet'] as const) await there.exportTables(out, format)
      }),
      { numRuns: 150 },
    )
  })
})

/** Returns the code of the fault that the work throws. Throws any other error again. */
async function faultOf(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work
    return undefined
  } catch (thrown) {
    if (isFault(thrown) && thrown.verdict !== 'bug') return thrown.code
    throw thrown
  }
}

type Path = readonly (string | number)[]

function placesIn(value: unknown, at: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    const place = [...at, Array.isArray(value) ? Number(key) : key]
    return [place, ...placesIn(inner, place)]
  })
}

function withPart(value: unknown, [step, ...rest]: Path, part: unknown): unknown {
  if (step === undefined) return part
  const holder = value as Readonly<Record<string | number, unknown>>
  const inner = withPart(holder[step], rest, part)
  return Array.isArray(value) ? value.map((item: unknown, i) => (i === step ? inner : item)) : { ...holder, [step]: inner }
}

describe('a start that is stored as a large value', () => {
  /** Arguments that are large together, but not each of them. */
  async function started(): Promise<readonly string[]> {
    const reflex = lifeIn(newFolder(), { trust: 'autonomous' })
    const program = workflow('ask', { ask: { ask: 'Go?' } }, [])
    await reflex.run(program as never, { id: 'otter-2m9q', input: { one: 'ä'.repeat(50_000), other: 'ö'.repeat(49_900) } })
    const [batch] = await reflex.store.journal('otter-2m9q')
    expect(batch?.body.slice(0, 40)).toContain('"start":0')
    return exported(reflex, 'otter')
  }

  test('is exported without its proof', async () => {
    const text = (await started()).join('\n')
    expect(text.includes('autonomous')).toBe(true)
    expect(/proof|seal|nonce/.exec(text)).toBeNull()
  })

  test('gets another name', async () => {
    const there = elsewhere()
    await there.import(await started(), { id: 'heron-7k3p' })
    expect((await there.runtime.peek('heron-7k3p')).state.start?.run).toBe('heron-7k3p')
    expect(await there.replay('heron')).toMatchObject({ result: 'equal' })
    // Only the name under which its program was started first stays: ids that programs derive from it are the same here.
    const text = (await exported(there, 'heron')).join('\n')
    expect([...text.matchAll(/(\w+)[\\"]+:[\\"]+otter/g)].map(([, key]) => key)).toEqual(['origin'])
  })
})

describe('a secret', () => {
  test('that is empty signs nothing and checks nothing', async () => {
    const { reflex } = await asking(memoryStore(), 10)
    expect(await refusal(exported(reflex, 'otter', ''))).toMatchObject({ code: 'R2088' })
    const lines = await exported(reflex, 'otter')
    for (const secret of ['', new Uint8Array()])
      expect(await refusal(elsewhere().import(lines, { secret }))).toMatchObject({ code: 'R2088' })
  })

  test('signs one archive and no other', async () => {
    const { reflex, folder } = await asking(memoryStore(), 10)
    await reflex.run(join(folder, 'pay.workflow.json'), { id: 'lark-1aaa' })
    const [one, other] = [await exported(reflex, 'otter', 'sesame'), await exported(reflex, 'lark', 'sesame')]
    const signature = /"signature":"[0-9a-f]+"/.exec(other.at(-1) ?? '')?.[0] ?? ''
    const moved = one.map((line) => line.replace(/"signature":"[0-9a-f]+"/, signature))
    expect(await attempt(moved, 'sesame')).toMatchObject({ code: 'R2083', left: {} })
    expect(await attempt([...one, ...other], 'sesame')).toMatchObject({ code: 'R2076', left: {} })
    for (let lines = 0; lines < one.length; lines++) {
      expect(await attempt(one.slice(0, lines), 'sesame')).toMatchObject({ code: lines === 0 ? 'R2070' : 'R2075', left: {} })
    }
  })
})

test('a file without line ends is refused at its beginning', async () => {
  let read = 0
  async function* endless(): AsyncGenerator<Buffer> {
    for (; read < 1000; read++) yield Buffer.alloc(100_000, 'a')
  }
  expect(await refusal(elsewhere().import(linesOf(endless())))).toMatchObject({ code: 'R2070' })
  expect(read).toBeLessThan(5)
})

test('a message that is taken while a run is exported is in the archive once', async () => {
  const store = memoryStore()
  const { reflex } = await asking(store, 10)
  reflex.runtime.openRuns.get('otter-2m9q')?.close()
  await reflex.answer('otter', 'YES', { run: false })
  let looked = false
  const meanwhile = new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      if (name !== 'inbox') return value.bind(target) as unknown
      return async (...given: readonly unknown[]) => {
        if (!looked) {
          looked = true
          await (await reflex.resume('otter')).idle()
        }
        return (await value.apply(target, given)) as unknown
      }
    },
  })
  const there = elsewhere()
  await there.import(await exported(elsewhere(meanwhile), 'otter-2m9q'))
  const handle = await there.find('otter')
  expect([handle.status, await there.store.inbox('otter-2m9q')]).toEqual(['completed', []])
})

test('no copy of the archive is left after an import, however it ends', async () => {
  const { reflex } = await asking(memoryStore(), 10)
  const lines = await exported(reflex, 'otter')
  const folder = join(newFolder(), 'tmp')
  mkdirSync(folder)
  const before = process.env['TMPDIR']
  onTestFinished(() => {
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
  })
  process.env['TMPDIR'] = folder
  const there = elsewhere(memoryStore())
  const seen: string[][] = []
  async function* watched(): AsyncGenerator<string> {
    for (const line of lines) {
      seen.push(readdirSync(folder).filter((name) => name.startsWith('reflex-import')))
      yield line
    }
  }
  await there.import(watched())
  expect(seen.flat()).toEqual([])
})

test('an export reads a journal in parts, never as a whole', async () => {
  const store = memoryStore()
  await asking(store, 10)
  const parts = new Proxy(store, {
    get(target, name) {
      if (name === 'journal') throw new Error('a whole journal is read')
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
  expect(await exported(elsewhere(parts), 'otter-2m9q')).toEqual(await exported(elsewhere(store), 'otter-2m9q'))
})
