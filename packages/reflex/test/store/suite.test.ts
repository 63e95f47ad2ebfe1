import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { memoryStore, openSqlite } from '../../src/store/index.ts'
import { storeSuite, type StoreUnderTest } from '../../src/testing/store-suite.ts'

function memory(): StoreUnderTest {
  const store = memoryStore()
  return { open: () => store, dispose: () => {} }
}

function sqlite(): StoreUnderTest {
  const folder = mkdtempSync(join(tmpdir(), 'reflex-store-'))
  return { open: () => openSqlite(join(folder, 'reflex.db')), dispose: () => rmSync(folder, { recursive: true }) }
}

describe('the contract of stores', () => {
  for (const { name, run } of [...storeSuite('memory', memory), ...storeSuite('sqlite', sqlite)]) it(name, run)
})
