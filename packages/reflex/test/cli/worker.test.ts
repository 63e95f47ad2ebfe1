import { join } from 'node:path'
import { expect, test } from 'vitest'
import { DOCUMENTS } from '../../src/cli/output/schema.ts'
import { openStore } from '../../src/store/index.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { normal, reflex, start, workFolder, type WorldOptions } from './worlds.ts'

const DAY = 24 * 60 * 60 * 1000
const lines = (text: string): unknown[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown)

/** A folder with a run that has been answered and one that nobody answers, and a clock for everything in it. */
async function scene(): Promise<WorldOptions & { readonly host: ReturnType<typeof virtualHost> }> {
  const options = { folder: workFolder(), host: virtualHost() }
  for (const id of ['otter-2m9q', 'lark-9q2m']) await reflex(['run', 'refund.workflow.json', '--id', id, '--answers', 'none'], options)
  await reflex(['answer', 'otter', 'approve', '--no-run'], options)
  return options
}

test('prints its store, the result of each run, and the number of runs', async () => {
  const options = await scene()
  const { code, out, err } = await reflex(['worker', '--once'], options)
  expect({ code, out }).toEqual({ code: 0, out: '' })
  expect(normal(err).replaceAll(options.folder, 'FOLDER').split('\n')).toEqual([
    '2026-11-20T14:02:07Z  works     on FOLDER/.reflex/reflex.db',
    expect.stringMatching(/Z {2}completed otter-2m9q {2}refund {2}\d records$/) as string,
    '2026-11-20T14:02:07Z  stops     continued runs 1 time',
    '',
  ])
  expect((await reflex(['worker', '--once', '-q'], options)).screen).toBe('')
})

test('works until a signal, and takes runs that become due meanwhile', async () => {
  const options = await scene()
  await options.host.advance(3 * DAY - 2000)
  const worker = start(['worker'], options)
  await worker.shows('completed otter-2m9q')
  await options.host.advance(3000)
  await worker.shows('lark-9q2m')
  worker.interrupt('SIGTERM')
  const { code, err } = await worker.ended
  expect(code).toBe(143)
  expect(err).toMatch(/stops {5}continued runs 2 times\n$/)
})

test('prints documents: a line for each run, or one for all', async () => {
  const options = await scene()
  const { code, out, err } = await reflex(['worker', '--once', '--jsonl'], options)
  expect({ code, err }).toEqual({ code: 0, err: '' })
  const [line, ...more] = lines(out)
  expect(more).toEqual([])
  expect(DOCUMENTS.carried.parse(line)).toMatchObject({ run: 'otter-2m9q', status: 'completed' })
  const all = await reflex(['worker', '--once', '--json'], options)
  expect(DOCUMENTS.worker.parse(JSON.parse(all.out))).toEqual({ v: 1, runs: 0, failures: 0 })
})

test.each([
  [['--most', '0'], '--most'],
  [['--most', 'many'], '--most'],
  [['--lease', '5ms'], '--lease'],
  [['--lease', 'soon'], '--lease'],
])('%j is refused before anything happens', async (words, named) => {
  const options = await scene()
  const { code, err } = await reflex(['worker', '--once', ...words], options)
  expect(code).toBe(2)
  expect(err).toContain('R2031')
  expect(err).toContain(named)
  expect((await reflex(['runs', '--status', 'completed', '--json'], options)).out).not.toContain('otter')
})

test('show prints messages left in the inbox of an ended run, and a later answer is refused', async () => {
  const options = { folder: workFolder(), host: virtualHost() }
  await reflex(['run', 'refund.workflow.json', '--id', 'otter', '--answers', 'none'], options)
  const store = openStore(join(options.folder, '.reflex/reflex.db'))
  const note = { id: 'n1', type: 'message', to: 'news', body: 'the parcel was found', by: 'bea', at: options.host.now() } as const
  await store.post('otter', note)
  expect((await reflex(['show', 'otter'], { ...options, columns: 100 })).screen).toMatch(
    /inbox {3}message news: "the parcel was found" \s+by bea {2}.* {2}not read yet/,
  )
  expect((await reflex(['answer', 'otter', 'approve'], options)).code).toBe(0)
  expect((await reflex(['show', 'otter'], { ...options, columns: 100 })).screen).toMatch(/inbox {3}message news: [^]*the run had ended/)
  expect((await reflex(['show', 'otter'], options)).out).toContain('inbox\tmessage news\t"the parcel was found"\tbea\n')
  const shown = DOCUMENTS.show.parse(JSON.parse((await reflex(['show', 'otter', '--json'], options)).out))
  expect(shown.inbox).toMatchObject([{ type: 'message', to: 'news', value: 'the parcel was found', by: 'bea' }])
  expect(() => store.post('otter', { ...note, id: 'n2' })).toThrow(/otter has completed/)
  expect((await reflex(['answer', 'otter/q1', 'approve'], options)).err).toMatch(
    /no open question q1; ana was first, with YES; record \d+\s+closed it/,
  )
  await store.close()
})

test('fires the schedules of its store, and releases their runs as others', async () => {
  const options = { folder: workFolder(), host: virtualHost({ at: Date.UTC(2026, 0, 5, 9, 59, 30) }) }
  const add = (name: string, ...more: string[]): Promise<unknown> =>
    reflex(['schedule', 'add', name, 'workflow:refund', '-i', 'order_id=A-1042', '--cron', ...more], options)
  await add('hourly', '0 * * * *')
  const worker = start(['worker'], options)
  await worker.shows('works')
  // The worker sees the schedule, and then its time.
  await options.host.drain(20)
  await options.host.advance(31_000)
  await worker.shows('suspended')
  worker.interrupt('SIGTERM')
  expect((await worker.ended).err).toMatch(/suspended \S+ {2}refund {2}\d+ records {2}waits at approve/)
  await add('daily', '5 10 * * *')
  await reflex(['worker', '--once'], options)
  await options.host.advance(10 * 60_000)
  // One that ends at once starts what is due, and continues it until it rests.
  const once = await reflex(['worker', '--once', '--json'], options)
  expect(DOCUMENTS.worker.parse(JSON.parse(once.out))).toEqual({ v: 1, runs: 1, failures: 0 })
  expect(JSON.parse((await reflex(['runs', '--json'], options)).out)).toMatchObject({
    runs: [{ status: 'suspended' }, { status: 'suspended' }],
  })
  expect(JSON.parse((await reflex(['schedule', '--json'], options)).out)).toMatchObject({
    schedules: [
      { name: 'daily', last: { time: '2026-01-05T10:05:00.000Z', did: 'started' } },
      { name: 'hourly', last: { time: '2026-01-05T10:00:00.000Z', did: 'started' } },
    ],
  })
})
