import { expect, test } from 'vitest'
import type { Batch, Run, Store } from '../../src/kernel/index.ts'
import { memoryStore } from '../../src/store/index.ts'
import { kindOf, type Step, worldOf } from './world.ts'

/** Takes events for ever, asks when one says so, and ends when one says so. */
const takes: Step = (x, input) => {
  if (input?.[0] === 'answer') return
  if (input !== undefined) x.set('last', input[2])
  if (input?.[2] === 'end') return x.done()
  if (input?.[2] === 'ask') x.wait('answer', 'q')
  x.wait('message', 'event')
}

function countingStore(): { readonly store: Store; readonly commits: number[] } {
  const store = memoryStore()
  const commit = store.commit.bind(store)
  const commits: number[] = []
  store.commit = (batches: readonly Batch[]) => {
    commits.push(batches.reduce((sum, { count }) => sum + count, 0))
    return commit(batches)
  }
  return { store, commits }
}

async function running() {
  const { store, commits } = countingStore()
  const world = worldOf([kindOf('takes', takes)], { store })
  const run = await world.start('takes')
  await run.idle()
  commits.length = 0
  let sent = 0
  const send = async (body: string): Promise<void> => {
    await store.post(run.id, { id: `m${sent++}`, type: 'message', to: 'event', body, at: world.host.now() })
    await world.host.drain()
  }
  return { ...world, run, commits, send }
}

test('records that nobody waits for become durable together, within 20 ms', async () => {
  const { run, host, commits, send, runtime } = await running()
  for (let i = 0; i < 200; i++) {
    await send('x')
    await host.advance(1)
  }
  expect(commits.length).toBeLessThanOrEqual(10)
  await host.advance(20)
  expect([run.durable, commits.reduce((sum, count) => sum + count, 0)]).toEqual([run.state.n, 200])
  await runtime.close()
})

test.each([
  ['a question', async ({ send }) => send('ask')],
  ['the end', async ({ send }) => send('end')],
  [
    'a record that a caller awaits',
    async ({ send, run }) => {
      await send('x')
      void run.command(0, 'go')
    },
  ],
  [
    'a rest that a subscriber listens to',
    async ({ send, run }) => {
      run.subscribe(
        () => undefined,
        () => undefined,
      )
      await send('x')
    },
  ],
  [
    'a rest that somebody waits for',
    async ({ send, run }) => {
      await send('x')
      void run.idle()
    },
  ],
] satisfies [string, (world: { send: (body: string) => Promise<void>; run: Run }) => Promise<void>][])(
  '%s becomes durable at once',
  async (_, act) => {
    const { run, host, send, runtime } = await running()
    await act({ send, run })
    await host.drain()
    expect(run.durable).toBe(run.state.n)
    await runtime.close()
  },
)

/** Ticks every two seconds, `ticks` times, and asks at the end. */
const clock: Step = (x, input) => {
  const { ticks } = x.def as { ticks: number }
  const had = Number(x.get('ticks') ?? 0) + (input?.[0] === 'timer' ? 1 : 0)
  if (input?.[0] === 'timer') x.set('ticks', had)
  if (input?.[0] === 'answer') return x.done(had)
  if (had < ticks) x.timer(2_000)
  else x.wait('answer', 'q')
}

test.each([
  ['rest', 0],
  ['people', 3],
  ['end', 4],
] as const)('idle({ until: %s }) resolves after that, and not at each tick before', async (until, expected) => {
  const { store, commits } = countingStore()
  const { start, host, runtime } = worldOf([kindOf('clock', clock)], { store })
  const run = await start('clock', { source: { ticks: 3 } })
  const seen: { n?: number } = {}
  const idle = run
    .idle({ until })
    .then(() => (seen.n = Number(run.state.root.reader().get('ticks') ?? 0) + (run.state.ended === undefined ? 0 : 1)))
  await host.drain()
  for (let i = 0; i < 4; i++) await host.advance(2_000)
  if (until === 'end') expect(seen.n).toBeUndefined()
  if (run.state.waits.size > 0 && until === 'end') await run.answer([...run.state.waits.keys()][0] ?? '', 'yes')
  await idle
  expect(seen.n).toBe(expected)
  expect(commits.length).toBeLessThanOrEqual(run.state.n)
  await runtime.close()
})

test('a rest that a time ends soon does not count where the caller says so', async () => {
  const { start, host, runtime } = worldOf([kindOf('clock', clock)])
  const run = await start('clock', { source: { ticks: 3 } })
  const ended: number[] = []
  const waits = [1_000, 5_000].map((ahead) => run.idle({ ahead }).then(() => ended.push(ahead)))
  await host.drain()
  expect(ended).toEqual([1_000])
  for (let i = 0; i < 4; i++) await host.advance(2_000)
  await Promise.all(waits)
  expect(run.state.waits.size).toBe(1)
  await runtime.close()
})

test('who waits for the end of a run that this process closes is not left waiting', async () => {
  const { start, runtime } = worldOf([kindOf('clock', clock)])
  const run = await start('clock', { source: { ticks: 3 } })
  const end = run.idle({ until: 'end' })
  await run.leave()
  await end
  expect(run.state.ended).toBeUndefined()
  await runtime.close()
})
