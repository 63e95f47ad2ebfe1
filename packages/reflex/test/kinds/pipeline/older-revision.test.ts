import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Reflex } from '../../../src/index.ts'
import type { Store } from '../../../src/kernel/index.ts'
import { memoryStore } from '../../../src/store/index.ts'
import { virtualHost } from '../../../src/testing/index.ts'

const PIPELINE = `digraph old { start [shape=Mdiamond] done [shape=Msquare] ask [type="wait.human", question="Go?"]
  start -> ask; ask -> done [label=Yes]; ask -> done [label=No] }`

/** A store whose pipelines were begun by revision 1. */
function aged(store: Store): Store {
  const older = <Value>(value: Value): Value =>
    JSON.parse(JSON.stringify(value).replaceAll('\\"pipeline\\",2,', '\\"pipeline\\",1,')) as Value
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      const call = (...args: unknown[]): unknown => Reflect.apply(value, target, args) as unknown
      if (name === 'read' || name === 'journal' || name === 'segment') return async (...args: unknown[]) => older(await call(...args))
      if (name !== 'batches') return call
      return async function* (...args: Parameters<Store['batches']>) {
        for await (const batch of target.batches(...args)) yield older(batch)
      }
    },
  })
}

test('a run of an older pipeline can be shown, but not resumed, answered, replayed or forked', async () => {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'reflex-older-')))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  writeFileSync(join(cwd, 'old.dot'), PIPELINE)
  const store = memoryStore()
  const surroundings = { host: virtualHost(), worker: { id: 'a', host: 'here', pid: process.pid }, cwd, environment: {}, actor: 'ana' }
  const first = new Reflex({ store, surroundings, workdir: cwd })
  const handle = await first.start(join(cwd, 'old.dot'), { id: 'otter' })
  await handle.run.idle()
  await first.close()

  const reflex = new Reflex({ store: aged(store), surroundings, workdir: cwd })
  onTestFinished(() => reflex.close())
  const code = (doing: Promise<unknown>): Promise<unknown> =>
    doing.then(
      () => 'done',
      (thrown: unknown) => (thrown as { readonly code?: string }).code,
    )
  expect(await code(reflex.resume('otter'))).toBe('R5011')
  expect(await code(reflex.answer('otter', 'Yes'))).toBe('R5011')
  expect(await code(reflex.replay('otter'))).toBe('R5011')
  expect(await code(reflex.fork('otter'))).toBe('R5011')
  expect(await code(reflex.show('otter'))).toBe('done')
  expect(await code(reflex.trace('otter'))).toBe('done')
  let lines = 0
  for await (const line of reflex.export('otter')) lines += line === '' ? 0 : 1
  expect(lines).toBeGreaterThan(2)
})
