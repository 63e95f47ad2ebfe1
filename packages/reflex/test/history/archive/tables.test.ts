import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { expect, test } from 'vitest'
import { linesOf } from '../../../src/history/archive/import.ts'
import { exportTables } from '../../../src/history/tables/export-tables.ts'
import { memoryStore } from '../../../src/store/index.ts'
import { lifeIn } from '../../app/folders.ts'
import { asking, longRun, modelRun } from './lines.ts'

type Row = Readonly<Record<string, unknown>>

async function rowsOf(file: string): Promise<readonly Row[]> {
  if (file.endsWith('.parquet')) return (await parquetReadObjects({ file: await asyncBufferFromFile(file) })) as readonly Row[]
  const rows: Row[] = []
  for await (const line of linesOf(createReadStream(file))) rows.push(JSON.parse(line) as Row)
  return rows
}

/** Returns the rows of both formats as JSON. Parquet has whole numbers as bigints and times as dates. */
const plainly = (rows: readonly Row[]): unknown =>
  JSON.parse(JSON.stringify(rows, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value)))

test('the tables of a store have the same rows in both formats', async () => {
  const { reflex, folder } = await asking(memoryStore(), 150_000)
  await reflex.answer('otter', 'YES')
  await reflex.runtime.openRuns.get('otter-2m9q')?.idle()
  await reflex.run(join(folder, 'pay.workflow.json'), { id: 'lark-1aaa' })
  const jsonl = await reflex.exportTables(join(folder, 'out'))
  const parquet = await reflex.exportTables(join(folder, 'out'), 'parquet')
  expect(readdirSync(join(folder, 'out')).sort()).toEqual(
    ['effects', 'entries', 'records', 'runs'].flatMap((name) => [`${name}.jsonl`, `${name}.parquet`]).sort(),
  )
  for (const [i, { table, file, rows }] of jsonl.entries()) {
    const [one, other] = [await rowsOf(file), await rowsOf(parquet[i]?.file ?? '')]
    expect([table, one.length]).toEqual([table, rows])
    expect(plainly(other)).toEqual(plainly(one))
  }
  const [runs = [], records = [], effects = [], entries = []] = await Promise.all(jsonl.map(({ file }) => rowsOf(file)))
  expect(runs).toMatchObject([
    { run: 'otter-2m9q', status: 'completed', kind: 'workflow', effects: 6, cost_usd: null },
    { run: 'lark-1aaa', status: 'suspended' },
  ])
  const { last } = await reflex.find('otter')
  expect(records.filter(({ run }) => run === 'otter-2m9q').map(({ record }) => record)).toEqual(
    Array.from({ length: last }, (_, i) => i + 1),
  )
  const own = effects.filter(({ run }) => run === 'otter-2m9q')
  expect(own.map(({ node, port, status }) => [node, port, status])).toEqual([
    ['read', 'decide', 'done'],
    ['verify/look', 'decide', 'done'],
    ['verify', 'decide', 'done'],
    ['ask', 'decide', 'done'],
    ['ask', 'decide', 'done'],
    ['paid', 'decide', 'done'],
  ])
  expect(entries.filter(({ run }) => run === 'otter-2m9q').map(({ frame, key }) => [frame, key])).toEqual([
    ['0', 'total'],
    ['0', 'note'],
    ['4f', 'verdict'],
    ['0', 'identity'],
    ['0', 'receipt'],
  ])
  expect(String(entries[1]?.['value'])).toHaveLength(133_344)
})

test('an export that fails leaves no files', async () => {
  const { reflex, folder } = await asking(memoryStore(), 10)
  await longRun(reflex.store, 'bear-1aaa', 50, 5, 200_000)
  const broken = new Proxy(reflex.store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      return name === 'blob' ? () => undefined : typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
  const out = join(folder, 'out')
  await expect(
    exportTables({ store: broken, runtime: reflex.runtime, programsOf: (state) => reflex.programsOf(state) }, out, 'jsonl'),
  ).rejects.toMatchObject({ code: 'R5003' })
  expect(existsSync(out) ? readdirSync(out) : []).toEqual([])
  expect(readFileSync(join(folder, 'order.json'), 'utf8')).toContain('84')
})

test('a value that a column cannot hold is null, and no table has a proof of trust', async () => {
  const { folder } = await asking(memoryStore(), 10)
  const there = lifeIn(folder, { store: memoryStore(), trust: 'autonomous' })
  await there.run(join(folder, 'pay.workflow.json'), { id: 'lark-1aaa' })
  const used = [{ input: 1.5, output: -1e300, model: 7 }, { input: 3 }]
  await modelRun(there.store, 'bear-1aaa', used)
  for (const format of ['jsonl', 'parquet'] as const) {
    const [, records, effects] = await there.exportTables(join(folder, 'out'), format)
    const rows = (await rowsOf(effects?.file ?? '')).filter(({ run }) => run === 'bear-1aaa')
    expect(plainly(rows)).toMatchObject([
      { input_tokens: null, output_tokens: null, model: 'one', status: 'done' },
      { input_tokens: 3, output_tokens: 0, status: 'done' },
    ])
    const text = JSON.stringify(plainly(await rowsOf(records?.file ?? '')))
    expect([text.includes('autonomous'), /proof|seal/.exec(text)]).toEqual([true, null])
  }
})
