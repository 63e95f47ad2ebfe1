import { join } from 'node:path'
import { it } from 'vitest'
import { openSqlite } from '../../src/store/index.ts'
import { answersAsMemory } from './model.ts'
import { folder } from './processes.ts'

// All sequences share one file: creating a file takes longer than using it.
it('memory and SQLite answer any sequence of calls in the same way', { timeout: 60_000 }, async () => {
  const sqlite = openSqlite(join(folder(), 'reflex.db'))
  await answersAsMemory(sqlite, 100)
  await sqlite.close()
})
