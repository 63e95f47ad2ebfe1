import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Lease } from '../../src/kernel/ports/store.ts'
import { openSqlite } from '../../src/store/index.ts'
import { NOW, rowOf, TTL } from '../../src/testing/store-suite/world.ts'
import { folder, StoreProcess } from './processes.ts'
import { testSharedRuns, workerIn } from './shared-runs.ts'

const RUN = 'otter-2m9q'

describe('several processes', { timeout: 60_000 }, () => {
  it('create the same new store at the same time, and all can use it', async () => {
    const path = folder()
    const processes = Array.from({ length: 4 }, () => new StoreProcess())
    for (let round = 1; round <= 10; round++) {
      const file = join(path, `deep/${round}/reflex.db`)
      await Promise.all(processes.map(async (process) => process.call('open', file)))
      const rows = await Promise.all(
        processes.map(async (process, i) => {
          const worker = workerIn(`w${i}`, process)
          await process.call('hello', worker, NOW, TTL)
          return process.call<Lease | 'taken'>('create', rowOf(RUN), worker)
        }),
      )
      expect(rows.filter((row) => row !== 'taken')).toHaveLength(1)
      // When several close at the same time, each may leave the log to the others.
      for (const process of processes) await process.call('close')
      expect(readdirSync(join(path, `deep/${round}`))).toEqual(['reflex.db'])
    }
  })

  testSharedRuns({ address: () => join(folder(), 'reflex.db'), settled: async () => {} })

  it('one that is killed while it creates stores leaves only stores that can be opened', async () => {
    const path = folder()
    const files = Array.from({ length: 60 }, (_, i) => join(path, `${i}.db`))
    const victim = new StoreProcess()
    await victim.call('open', files[0])
    for (const file of files.slice(1)) victim.tell('open', file)
    await victim.answer()
    await victim.kill()
    for (const file of files) {
      const store = openSqlite(file)
      expect(await store.runs()).toEqual([])
      await store.close()
    }
  })
})
