import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Cause } from '../../src/history/causes.ts'
import type { Reflex } from '../../src/app/reflex.ts'
import { memoryStore, openSqlite, type Store } from '../../src/store/index.ts'
import { newFolder, workflow } from '../app/folders.ts'
import { forgotten, sealedCopy, watchedStore } from '../history/archive/sealed.ts'
import { faultOf, reflexOf } from './world.ts'

const ARCHIVE = 'f00d'.repeat(16)
const NODES = 100
const NAMES = Array.from({ length: NODES }, (_, i) => `n${i}`)

/** Nodes in a row, each of which writes its own number and a common key, and a question at the end. */
const LONG = workflow(
  'long',
  {
    ...Object.fromEntries(NAMES.map((name, i) => [name, { writes: { latest: i, [`k${i}`]: i } }])),
    ask: { ask: 'Again?' },
    end: {},
  },
  [...NAMES.map((name, i) => [`e${i}`, name, NAMES[i + 1] ?? 'ask'] as const), ['yes', 'ask', 'end']],
)

interface World {
  readonly reflex: Reflex
  readonly store: Store
  readonly last: number
  /** The numbers of records that were read since the last call. */
  readonly read: () => number
}

/** A run `otter`, and the same run `crane` in three segments and an open one. */
async function world(inner: Store): Promise<World> {
  const { store, read } = watchedStore(inner)
  const writer = reflexOf({ store: inner })
  const file = join(writer.workdir, 'long.workflow.json')
  writeFileSync(file, JSON.stringify(LONG))
  const { run } = await writer.run(file, { id: 'otter' })
  await writer.runtime.close()
  await sealedCopy(writer, 'otter', inner, 'crane', [20, 40, 80])
  const reflex = reflexOf({ store })
  let before = 0
  return {
    reflex,
    store: inner,
    last: run.state.n,
    read: () => {
      const now = read() - before
      before = read()
      return now
    },
  }
}

const sqlite = (): Store => openSqlite(join(newFolder(), 'reflex.db'))

function depthOf(cause: Cause): Cause {
  return cause.from.reduce((deepest, one) => (depthOf(one).record < deepest.record ? depthOf(one) : deepest), cause)
}

describe.each([
  ['memory', memoryStore],
  ['SQLite', sqlite],
])('a sealed run in %s', (_, make) => {
  test('is shown, traced and compared as a run that was never sealed', async () => {
    const { reflex } = await world(make())
    const [one, other] = [await reflex.trace('otter'), await reflex.trace('crane')]
    expect(other.lines).toEqual(one.lines)
    expect([one.first, one.gone, other.gone]).toEqual([1, undefined, undefined])
    expect((await reflex.show('crane@33')).board).toEqual((await reflex.show('otter@33')).board)
    expect((await reflex.show('crane')).segments.map(({ first, last }) => [first, last])).toEqual([
      [1, 20],
      [21, 40],
      [41, 80],
      [81, expect.any(Number)],
    ])
    expect(await reflex.diff('otter', 'crane')).toMatchObject({ differences: [] })
    expect((await reflex.spans('crane')).length).toBe((await reflex.spans('otter')).length)
  })

  test('is read from the segment on that a question concerns', async () => {
    const { reflex, read, last } = await world(make())
    const whole = await reflex.trace('otter')
    read()
    const tail = await reflex.trace('crane', { tail: 5 })
    expect(tail.lines).toEqual(whole.lines.filter(({ n }) => n > last - 5))
    expect(read()).toBeLessThanOrEqual(last - 80)
    const middle = await reflex.trace('crane@30', { from: 25 })
    expect(middle.lines).toEqual(whole.lines.filter(({ n }) => n >= 25 && n <= 30))
    expect(read()).toBeLessThanOrEqual(20)
    const cause = await reflex.why('crane@30', 'latest')
    expect(read()).toBeLessThanOrEqual(20)
    expect(cause).toMatchObject({ what: 'value', name: 'latest' })
    expect(cause.record).toBeLessThanOrEqual(30)
  })

  test('names the question that leads into an earlier segment', async () => {
    const { reflex } = await world(make())
    const cause = await reflex.why('crane', 'k1')
    expect(cause).toMatchObject({ name: 'k1', value: 1, from: [{ name: 'further back', text: `why @${cause.record}` }] })
    expect(await reflex.why('crane', `@${cause.record}`)).toEqual(await reflex.why('otter', `@${cause.record}`))
  })

  test('without its first segments is told as far as its records exist, with the archive that has the rest', async () => {
    const { reflex, store, last } = await world(make())
    const whole = await reflex.trace('otter')
    await forgotten(store, 'crane', 2, ARCHIVE)
    const traced = await reflex.trace('crane')
    expect(traced.lines).toEqual(whole.lines.filter(({ n }) => n > 40))
    expect([traced.first, traced.gone]).toEqual([41, { last: 40, archive: ARCHIVE }])
    expect((await reflex.trace('crane', { tail: 3 })).lines).toEqual(whole.lines.filter(({ n }) => n > last - 3))
    expect((await reflex.show('crane@41')).board).toEqual((await reflex.show('otter@41')).board)
    for (const work of [
      reflex.show('crane@39'),
      reflex.trace('crane', { from: 12 }),
      reflex.why('crane', '@12'),
      reflex.trace('crane@9'),
    ]) {
      const { code, message } = await faultOf(work)
      expect([code, message]).toEqual(['R5054', expect.stringContaining(ARCHIVE)])
    }
    const value = await reflex.why('crane', 'k1')
    expect(value).toMatchObject({ value: 1, from: [{ name: 'further back' }] })
    expect(depthOf(await reflex.why('crane', 'latest')).name).toBe('further back')
    expect(await reflex.diff('otter', 'crane')).toMatchObject({ differences: [], equal: last })
    const run = (await reflex.spans('crane')).find(({ what }) => what === 'run')
    expect(run?.start).toBe((await reflex.spans('otter')).find(({ what }) => what === 'run')?.start)
    const folder = newFolder()
    const tables = await reflex.exportTables(folder)
    expect(tables.find(({ table }) => table === 'records')?.rows).toBe(last + last - 40)
  })

  test('without its first segments is answered and continued', async () => {
    const { reflex, store } = await world(make())
    await forgotten(store, 'crane', 3, ARCHIVE)
    expect(await faultOf(reflex.question('crane/q7'))).toMatchObject({ code: 'R2002' })
    const { handle } = await reflex.answer('crane', 'YES')
    await handle?.idle()
    expect(handle?.status).toBe('completed')
    await reflex.runtime.close()
  })
})

test('a trace takes a first record or a number of records', async () => {
  const { reflex } = await world(memoryStore())
  expect(await faultOf(reflex.trace('otter', { from: 4_000 }))).toMatchObject({ code: 'R2021' })
  for (const options of [{ tail: 0 }, { tail: 1.5 }, { from: 2, tail: 3 }])
    expect(await faultOf(reflex.trace('otter', options))).toMatchObject({ code: 'R2031' })
})
