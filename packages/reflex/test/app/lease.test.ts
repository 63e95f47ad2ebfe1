import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { faults } from '../../src/kernel/journal/faults.ts'
import { digest } from '../../src/kernel/index.ts'
import { Reflex } from '../../src/app/reflex.ts'
import { memoryStore } from '../../src/store/index.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { workflow } from '../../src/kinds/workflow/index.ts'
import { defineTool } from '../../src/tools/index.ts'
import type { Store } from '../../src/kernel/ports/store.ts'
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

const LEASE = 10_000
const PROGRAMS = {
  'walk.lua': 'return BT.tree("walk", { root = BT.tool("note", {}) })',
  'note.workflow.json': JSON.stringify({ id: 'note', entry: 'a', nodes: { a: { id: 'a', spec: { tool: 'note', args: {} } } }, edges: [] }),
}

test.each(Object.entries(PROGRAMS))('%s: a tool does not begin in a process that lost the run while it read labels', async (name, text) => {
  const store = memoryStore()
  const noted: string[] = []
  const folder = newFolder()
  writeFileSync(join(folder, name), text)
  const on = (machine: string, own: Store, at: number): { readonly reflex: Reflex; readonly host: ReturnType<typeof virtualHost> } => {
    const host = virtualHost({ at })
    const worker = { id: machine, host: machine, pid: 1 }
    const run = () => (noted.push(machine), {})
    const note = defineTool({ name: 'note', description: 'Notes.', leaves: true, repeat: 'keyed', needs: () => [], run })
    const surroundings = { host, worker, cwd: folder, environment: {}, actor: 'ana' }
    const reflex = new Reflex({ store: own, workdir: folder, leaseMs: LEASE, tools: [note], surroundings })
    onTestFinished(() => reflex.close())
    return { reflex, host }
  }
  // The first process has a connection that answers late.
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  let isSlow = false
  let isAsked = false
  const slow = new Proxy(store, {
    get(target, method) {
      const member: unknown = Reflect.get(target, method, target)
      if (typeof member !== 'function') return member
      return (...args: readonly unknown[]): unknown => {
        const act = (): unknown => Reflect.apply(member, target, args)
        if (isSlow && method === 'beat') throw faults.make('R5005', 'no answer')
        if (!isSlow || method !== 'ledger') return act()
        isAsked = true
        return answered.then(act)
      }
    },
  })
  const began = 1_000_000
  const first = on('first', slow, began)
  const handle = await first.reflex.start(join(folder, name), { id: 'otter', prepare: () => void (isSlow = true) })
  const lost = handle.idle({ until: 'end' }).catch((thrown: unknown) => thrown)
  await expect.poll(() => isAsked).toBe(true)
  const second = on('second', store, began + 2 * LEASE)
  await (await second.reflex.resume('otter')).idle({ until: 'end' })
  expect(noted).toEqual(['second'])
  await first.host.advance(2 * LEASE)
  answer()
  await first.host.advance(2 * LEASE)
  expect(await lost).toMatchObject({ code: expect.stringMatching(/^R50(02|12)$/) as string })
  expect(noted).toEqual(['second'])
})
