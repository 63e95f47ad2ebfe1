import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Reflex } from '../../../../src/index.ts'
import { PoolWorker } from '../../../../src/kinds/tree/lua/pool-worker.ts'
import { memoryStore } from '../../../../src/store/index.ts'

function file(): string {
  const folder = mkdtempSync(join(tmpdir(), 'closing-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'one.lua')
  writeFileSync(path, 'return BT.tree("one", { root = BT.script("s", { code = "return true" }) })\n')
  return path
}

test('the workers of Lua end with their Reflex, and it takes no more Lua', async () => {
  const kill = vi.spyOn(PoolWorker.prototype, 'kill')
  onTestFinished(() => kill.mockRestore())
  const [path, reflex, other] = [file(), new Reflex({ store: memoryStore() }), new Reflex({ store: memoryStore() })]
  expect(await reflex.run(path)).toMatchObject({ status: 'completed' })
  expect(await other.run(path)).toMatchObject({ status: 'completed' })
  await reflex.close()
  expect(kill.mock.calls).toHaveLength(1)
  const { findings } = await reflex.library.check(path)
  expect(findings.map(({ code, message }) => `${code} ${message}`).join()).toMatch(/^R1245 .*the pool was closed$/)
  // The workers of another Reflex are its own.
  expect(await other.run(path)).toMatchObject({ status: 'completed' })
  await other.close()
  expect(kill.mock.calls).toHaveLength(2)
})

test('a Reflex that has met no Lua starts no worker when it closes', async () => {
  const reflex = new Reflex({ store: memoryStore() })
  const kill = vi.spyOn(PoolWorker.prototype, 'kill')
  onTestFinished(() => kill.mockRestore())
  await reflex.close()
  await reflex.close()
  expect(kill).not.toHaveBeenCalled()
})
