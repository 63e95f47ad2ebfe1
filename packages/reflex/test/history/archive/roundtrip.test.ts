import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { linesOf } from '../../../src/history/archive/import.ts'
import { dumpState, type Store } from '../../../src/kernel/index.ts'
import type { Reflex } from '../../../src/app/reflex.ts'
import { memoryStore, openPostgres } from '../../../src/store/index.ts'
import { chain, lifeIn, newFolder, workflow } from '../../app/folders.ts'
import { PostgresServer, postgresPrograms } from '../../store/postgres-server.ts'
import { asking, elsewhere, exported, longRun, refusal } from './lines.ts'
import { sealedCopy } from './sealed.ts'

const stateOf = async (reflex: Reflex, run: string): Promise<object> => dumpState((await reflex.runtime.peek(run)).state, (pin) => pin < 0)
const shown = async (reflex: Reflex, run: string): Promise<object> => {
  const { owner: _, ...row } = await reflex.find(run)
  return row
}

describe('an import', () => {
  test('creates an equal run, which replays exactly and can be continued', async () => {
    const { reflex } = await asking()
    const there = elsewhere()
    const { row, signature, messages } = await there.import(reflex.export('otter'))
    expect({ id: row.id, status: row.status, signature, messages }).toEqual({
      id: 'otter-2m9q',
      status: 'suspended',
      signature: 'none',
      messages: 0,
    })
    expect(await there.runtime.journal('otter-2m9q')).toEqual(await reflex.runtime.journal('otter-2m9q'))
    expect(await stateOf(there, 'otter-2m9q')).toEqual(await stateOf(reflex, 'otter-2m9q'))
    expect(await shown(there, 'otter')).toEqual(await shown(reflex, 'otter'))
    expect(await exported(there, 'otter')).toEqual(await exported(reflex, 'otter'))
    expect(await there.replay('otter')).toMatchObject({ result: 'equal' })
    const { handle } = await there.answer('otter', 'YES')
    await handle?.idle()
    expect([handle?.status, handle?.get('receipt')]).toEqual(['completed', 'rf_1'])
    expect(await there.replay('otter')).toMatchObject({ result: 'equal' })
  })

  test('of a run that has ended, failed or was cancelled', async () => {
    const { reflex, folder } = await asking(memoryStore(), 10)
    await reflex.answer('otter', 'NO')
    await reflex.runtime.openRuns.get('otter-2m9q')?.idle()
    const other = await reflex.run(join(folder, 'pay.workflow.json'), { id: 'lark-1aaa' })
    await other.run.cancel('enough')
    await other.idle()
    const there = elsewhere()
    for (const run of ['otter-2m9q', 'lark-1aaa']) {
      await there.import(reflex.export(run))
      expect(await shown(there, run)).toEqual(await shown(reflex, run))
      expect(await there.replay(run)).toMatchObject({ result: 'equal' })
    }
  })

  test('includes messages that no record has taken', async () => {
    const { reflex } = await asking(memoryStore(), 10)
    reflex.runtime.openRuns.get('otter-2m9q')?.close()
    await reflex.answer('otter', 'YES', { run: false, by: 'ana' })
    const there = elsewhere()
    expect(await there.import(reflex.export('otter'))).toMatchObject({ messages: 1 })
    expect(await exported(there, 'otter')).toEqual(await exported(reflex, 'otter'))
    const handle = await there.resume('otter')
    await handle.idle()
    expect([handle.status, handle.get('receipt')]).toEqual(['completed', 'rf_1'])
  })

  test('of an answer that would be due performs nothing by itself', async () => {
    const { reflex } = await asking(memoryStore(), 10)
    const there = elsewhere()
    await there.import(reflex.export('otter'))
    expect([there.runtime.openRuns.size, await there.store.due(there.host.now())]).toEqual([0, []])
  })

  test('refuses a name that is taken, and accepts another name', async () => {
    const { reflex } = await asking(memoryStore(), 10)
    expect(await refusal(reflex.import(reflex.export('otter')))).toMatchObject({ code: 'R5007' })
    expect(await refusal(reflex.import(reflex.export('otter'), { id: '../otter' }))).toMatchObject({ code: 'R2022' })
    const { row } = await reflex.import(reflex.export('otter'), { id: 'heron-7k3p' })
    expect([row.id, (await reflex.runtime.peek(row.id)).state.start?.run]).toEqual(['heron-7k3p', 'heron-7k3p'])
    expect(await reflex.replay('heron')).toMatchObject({ result: 'equal' })
    const { handle } = await reflex.answer('heron', 'YES')
    await handle?.idle()
    expect([handle?.status, (await reflex.find('otter')).status]).toEqual(['completed', 'suspended'])
  })

  test('of a fork, which keeps its source and performs nothing', async () => {
    const { reflex } = await asking(memoryStore(), 10)
    const { last } = await reflex.find('otter')
    const fork = await reflex.fork(`otter-2m9q@${last}`)
    const there = elsewhere()
    await there.import(reflex.export(fork.id))
    expect(await shown(there, fork.id)).toEqual(await shown(reflex, fork.id))
    expect(await exported(there, fork.id)).toEqual(await exported(reflex, fork.id))
    const { state } = await there.runtime.peek(fork.id)
    expect([state.isIdle, state.start?.fork]).toEqual([true, ['otter-2m9q', last]])
    expect(await there.replay(fork.id)).toMatchObject({ result: 'equal' })
  })

  test('of a signed archive', async () => {
    const { reflex } = await asking(memoryStore(), 10)
    const lines = await exported(reflex, 'otter', 'sesame')
    expect(await elsewhere().import(lines, { secret: 'sesame' })).toMatchObject({ signature: 'checked' })
    expect(await elsewhere().import(lines)).toMatchObject({ signature: 'unchecked' })
    expect(await elsewhere().import(lines, { secret: new TextEncoder().encode('sesame') })).toMatchObject({ signature: 'checked' })
  })

  test('has at most the default trust, also if the run was more trusted, and no proof is exported', async () => {
    const folder = newFolder()
    const reflex = lifeIn(folder, { trust: 'autonomous' })
    writeFileSync(join(folder, 'ask.workflow.json'), JSON.stringify(workflow('ask', { ask: { ask: 'Go?' } }, [])))
    await reflex.run(join(folder, 'ask.workflow.json'), { id: 'otter-2m9q' })
    const lines = await exported(reflex, 'otter')
    expect(lines.join('\n')).not.toContain('"proof"')
    const here = lifeIn(newFolder())
    const { row } = await here.import(lines)
    const handle = await here.resume(row.id)
    expect(handle.run.settings).toMatchObject({ trust: 'probationary', lowered: true })
    const replaced = JSON.stringify(await reflex.runtime.journal('otter-2m9q'))
    expect(replaced).toContain('"proof"')
  })

  test('that was interrupted can be repeated, and the partial run cannot be continued', async () => {
    const { reflex } = await asking(memoryStore(), 10)
    await longRun(reflex.store, 'bear-1aaa', 100, 5, 4_000_000)
    const store = memoryStore()
    let commits = 0
    const breaking = new Proxy(store, {
      get(target, name) {
        if (name === 'commit' && ++commits === 2) throw new Error('the disk is full')
        const value: unknown = Reflect.get(target, name)
        return typeof value === 'function' ? (value.bind(target) as unknown) : value
      },
    })
    await expect(elsewhere(breaking).import(reflex.export('bear'))).rejects.toThrow('the disk is full')
    const there = elsewhere(store)
    expect(await there.runs()).toMatchObject([{ id: 'bear-1aaa', status: 'cancelled' }])
    expect(await refusal(there.import(reflex.export('otter'), { id: 'bear-1aaa' }))).toMatchObject({ code: 'R5007' })
    await there.import(reflex.export('bear'))
    expect(await stateOf(there, 'bear-1aaa')).toEqual(await stateOf(reflex, 'bear-1aaa'))
    expect(await exported(there, 'bear')).toEqual(await exported(reflex, 'bear'))
    expect((await there.find('bear')).status).toBe('suspended')
  })

  test('of thousands of records is equal, and begins with a snapshot if the journal is long', async () => {
    const folder = newFolder()
    const reflex = lifeIn(folder, { store: memoryStore() })
    await reflex.run(chain(3000) as never, { id: 'long-1aaa' })
    const there = elsewhere()
    await there.import(reflex.export('long'))
    expect(await shown(there, 'long')).toEqual(await shown(reflex, 'long'))
    expect(await there.replay('long')).toMatchObject({ result: 'equal', equal: 3002 })
  })

  test('reads the lines of a file, with either line end', async () => {
    const { reflex } = await asking(memoryStore(), 10)
    const lines = await exported(reflex, 'otter')
    const bytes = Buffer.from(`${lines.join('\r\n')}\r\n`)
    const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, i) => bytes.subarray(i * 7, i * 7 + 7))
    const there = elsewhere()
    await there.import(
      linesOf(
        (async function* () {
          yield* pieces
        })(),
      ),
    )
    expect(await exported(there, 'otter')).toEqual(lines)
  })
})

describe('an export', () => {
  test('has no secret of the run', async () => {
    const folder = newFolder()
    const reflex = lifeIn(folder, { secrets: ['hunter2-hunter2'] })
    writeFileSync(join(folder, 'one.workflow.json'), JSON.stringify(workflow('one', { a: { ask: 'Which?' } }, [])))
    await reflex.run(join(folder, 'one.workflow.json'), { id: 'otter-2m9q', input: { password: 'hunter2-hunter2' } })
    expect((await exported(reflex, 'otter')).join('\n')).not.toContain('hunter2')
  })

  test('of a program that cannot be stored as data is refused', async () => {
    const reflex = elsewhere(memoryStore())
    const program = workflow('fn', { a: { writes: { x: 1 } }, b: { writes: { y: 1 } } }, [
      ['e', 'a', 'b', { type: 'custom', evaluate: () => true }],
    ])
    await reflex.run(program as never, { id: 'otter-2m9q' })
    expect(await refusal(exported(reflex, 'otter'))).toMatchObject({ code: 'R2085' })
  })
})

const programs = postgresPrograms()
describe.skipIf('missing' in programs)('between stores', { timeout: 60_000 }, () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(() => server?.stop())

  test('a run is the same in memory, SQLite and Postgres, and back', async () => {
    const { reflex } = await asking(memoryStore())
    const first = await exported(reflex, 'otter', 'sesame')
    const postgres = (): Store => {
      const store = openPostgres(server.address())
      onTestFinished(async () => store.close())
      return store
    }
    let lines = first
    for (const store of [undefined, postgres(), memoryStore()]) {
      const there = elsewhere(store)
      await there.import(lines, { secret: 'sesame' })
      lines = await exported(there, 'otter', 'sesame')
      expect(lines).toEqual(first)
      expect(await there.replay('otter')).toMatchObject({ result: 'equal' })
    }
  })

  test('a sealed run is the same in Postgres, and its first records can be moved to an archive there', async () => {
    const { reflex } = await asking(memoryStore(), 10)
    await sealedCopy(reflex, 'otter-2m9q', reflex.store, 'crane-1aaa', [4, 8])
    const lines = await exported(reflex, 'crane')
    const store = openPostgres(server.address())
    onTestFinished(async () => store.close())
    const there = elsewhere(store)
    await there.import(lines)
    expect(await exported(there, 'crane')).toEqual(lines)
    const part: string[] = []
    for await (const line of there.export('crane', { through: 1 })) part.push(line)
    await there.forget('crane', part, { through: 1 })
    expect(await there.gc()).toMatchObject({ packed: { segments: 1, left: 0 } })
    expect((await there.trace('crane')).gone).toMatchObject({ last: 4 })
    await there.import(there.export('crane'), { id: 'wren-1aaa' })
    expect(await stateOf(there, 'wren-1aaa')).toMatchObject({ n: (await reflex.find('crane')).last })
    const { handle } = await there.answer('wren', 'YES')
    await handle?.idle()
    expect(handle?.status).toBe('completed')
    await there.runtime.close()
  })

  test('a run that is larger than one commit is complete in Postgres', async () => {
    const here = elsewhere(memoryStore())
    await longRun(here.store, 'bear-1aaa', 100, 3, 4_000_000)
    const store = openPostgres(server.address())
    onTestFinished(async () => store.close())
    const there = elsewhere(store)
    await there.import(here.export('bear'))
    expect(await exported(there, 'bear')).toEqual(await exported(here, 'bear'))
    expect(await there.runs()).toMatchObject([{ id: 'bear-1aaa', status: 'suspended' }])
  })
})

test('optional packages are neither imported nor needed until they are used', () => {
  const told = execFileSync(process.execPath, [join(import.meta.dirname, 'absent.ts')], { encoding: 'utf8' })
  expect(JSON.parse(told)).toEqual({ before: [], parquet: 'R2087', trouble: ['R2086'], asked: ['hyparquet-writer', '@opentelemetry/api'] })
})

test('neither side needs memory for more than the latest values', { timeout: 120_000 }, () => {
  const script = join(import.meta.dirname, 'large.ts')
  const told = execFileSync(process.execPath, ['--max-old-space-size=60', script], { encoding: 'utf8' })
  expect(JSON.parse(told)).toEqual({ records: 2000, values: 12, same: true })
})
