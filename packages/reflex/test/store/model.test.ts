import { join } from 'node:path'
import { it } from 'vitest'
import { openSqlite } from '../../src/store/index.ts'
import { answersAsMemory } from './model.ts'
import { folder } from './processes.ts'

// One file for all sequences: to make a file takes longer than to use it.
it('memory and SQLite answer the same to any sequence of calls', { timeout: 60_000 }, async () => {
  const sqlite = openSqlite(join(folder(), 'reflex.db'))
  await answersAsMemory(sqlite, 100)
  await sqlite.close()
})
