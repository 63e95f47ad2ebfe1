import { expect, test } from 'vitest'
import type { Store } from '../../src/kernel/index.ts'
import { Reflex } from '../../src/app/reflex.ts'
import { memoryStore } from '../../src/store/index.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { newFolder } from './folders.ts'

const ask = (id: string) => ({ id, spec: { ask: 'Go on?', options: [{ event: 'YES' }] } })
const ASKS = {
  id: 'asks',
  entry: 'a',
  nodes: { a: ask('a'), b: ask('b'), c: { id: 'c', spec: {} } },
  edges: [
    { id: 'on', from: 'a', to: 'b', event: 'YES' },
    { id: 'end', from: 'b', to: 'c', event: 'YES' },
  ],
}

/** Counts how often runs are read with their records. */
function counting(store: Store): { readonly store: Store; readonly reads: () => number } {
  let reads = 0
  const read: Store['read'] = (run, until) => {
    if (until !== 0) reads++
    return store.read(run, until)
  }
  const watched = new Proxy(store, { get: (target, name) => (name === 'read' ? read : bound(target, name)) })
  return { store: watched, reads: () => reads }
}

function bound(target: Store, name: string | symbol): unknown {
  const member: unknown = Reflect.get(target, name)
  return typeof member === 'function' ? (member as (...given: unknown[]) => unknown).bind(target) : member
}

function life(store: Store, pid: number): Reflex {
  const worker = { id: `r${pid}`, host: 'test', pid }
  return new Reflex({
    workdir: newFolder(),
    store,
    surroundings: { host: virtualHost(), worker, cwd: newFolder(), environment: {}, actor: 'ana' },
  })
}

test('a run is read once when it is resumed', async () => {
  const stored = memoryStore()
  const first = life(stored, 1)
  ;(await first.run(ASKS, { id: 'otter' })).close()
  await first.close()
  const { store, reads } = counting(stored)
  const second = life(store, 2)
  const handle = await second.resume('otter')
  expect([reads(), handle.questions.length]).toEqual([1, 1])
  await second.close()
})

test('a run that another process has continued since it was read is read again', async () => {
  const stored = memoryStore()
  const first = life(stored, 1)
  ;(await first.run(ASKS, { id: 'otter' })).close()
  const second = life(stored, 2)
  const stale = await second.runtime.peek('otter')
  const { handle } = await first.answer('otter/q1', 'YES')
  await handle?.idle()
  const { n } = handle?.run.state ?? { n: 0 }
  handle?.close()
  await first.close()
  const run = await second.runtime.resume('otter', { stored: stale })
  expect([stale.state.n < n, run.state.n, run.state.waits.size]).toEqual([true, n, 1])
  await second.close()
})
