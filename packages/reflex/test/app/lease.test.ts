import { expect, onTestFinished, test } from 'vitest'
import { faults } from '../../src/kernel/journal/faults.ts'
import { digest } from '../../src/kernel/index.ts'
import { Reflex } from '../../src/app/reflex.ts'
import { memoryStore } from '../../src/store/index.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { workflow } from '../../src/kinds/workflow/index.ts'
import { newFolder } from './folders.ts'

test('the user is notified once, and before the lease is over, if the store does not confirm the lease of a run', async () => {
  const store = memoryStore()
  store.beat = () => {
    throw faults.make('R5005', 'no room left')
  }
  const host = virtualHost()
  const troubles: unknown[] = []
  const cwd = newFolder()
  const reflex = new Reflex({
    store,
    workdir: cwd,
    leaseMs: 10_000,
    surroundings: {
      host,
      worker: { id: 't', host: 'test', pid: 2 ** 22 },
      cwd,
      environment: {},
      actor: 'ana',
      seal: (text) => digest(text),
    },
    onTrouble: ({ code, verdict, cause }) => void troubles.push({ code, verdict, cause }),
  })
  onTestFinished(() => reflex.close())
  await host.advance(20_000)
  const waits = workflow({
    id: 'waits',
    entry: 'ask',
    nodes: { ask: { spec: Object.assign({ kind: 'human' }, { prompt: 'go on?' }) } },
    edges: [],
  })
  await reflex.start(waits, { id: 'otter' })
  await host.advance(9_999)
  expect(troubles).toEqual([{ code: 'R5012', verdict: 'wait', cause: expect.objectContaining({ code: 'R5005' }) as unknown }])
  await host.advance(60_000)
  expect(troubles).toHaveLength(1)
})
