import { join } from 'node:path'
import { expect, test } from 'vitest'
import { memoryStore, openStore } from '../../src/store/index.ts'
import { crowd } from './crowd.ts'
import { newFolder } from './folders.ts'

test.each(['memory', 'SQLite'])('of many suspended runs, those that were answered at once go on, and nothing is lost: %s', async (kind) => {
  const folder = newFolder()
  const memory = memoryStore()
  const open = kind === 'memory' ? () => memory : () => openStore(join(folder, 'reflex.db'))
  const { completed, suspended, wrong, held } = await crowd({ workdir: folder, open, runs: 200, answered: 50 })
  expect({ wrong, held, suspended }).toEqual({ wrong: [], held: 0, suspended: 150 })
  expect(new Set(completed).size).toBe(50)
})
