/** Exports and imports a long run in a separate process with little memory, and prints the result. */
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Reflex } from '../../../src/app/reflex.ts'
import { longRun } from './lines.ts'

const folder = mkdtempSync(join(tmpdir(), 'reflex-large-'))
const [here, there] = ['here.db', 'there.db'].map((name) => new Reflex({ workdir: folder, store: join(folder, name) }))

async function hashed(reflex: Reflex): Promise<{ readonly hash: string; readonly values: number }> {
  const hash = createHash('sha256')
  let values = 0
  for await (const line of reflex.export('last')) {
    hash.update(line)
    if (line.startsWith('{"blob"') && line.includes('"part":1,')) values++
  }
  return { hash: hash.digest('hex'), values }
}

try {
  if (here === undefined || there === undefined) throw new Error('there is no store')
  await longRun(here.store, 'bear-1aaa', 2000, 12, 2_000_000)
  const { row } = await there.import(here.export('last'))
  const [one, other] = [await hashed(here), await hashed(there)]
  process.stdout.write(JSON.stringify({ records: row.last, values: one.values, same: one.hash === other.hash }))
} finally {
  await here?.close()
  await there?.close()
  rmSync(folder, { recursive: true })
}
