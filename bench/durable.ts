import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { memoryStore, openSqlite, type Store } from '../packages/reflex/src/store/index.ts'
import { Counting, STORED_STEP } from './counting.ts'
import { alternate, type Contestant, type Line, perSecond, timed, timesAsFast } from './measure.ts'

const PURE = 10_000

/** One prepared statement, which is one transaction with its own fsync, for each step. The settings are those of our store. */
function raw(db: DatabaseSync, runs: number, steps: number): Contestant {
  const insert = db.prepare('insert into steps values (?, ?, ?)')
  let round = 0
  return {
    name: 'raw node:sqlite',
    round() {
      round++
      return timed(async () => {
        for (let step = 0; step < steps; step++)
          for (let run = 0; run < runs; run++) insert.run(`${runs}:${round}:${run}`, step, STORED_STEP)
      })
    },
  }
}

/** A file with the settings of our store, and one table. */
export function openRaw(file: string): DatabaseSync {
  const db = new DatabaseSync(file)
  db.exec('pragma journal_mode = wal; pragma synchronous = full; pragma fullfsync = 1')
  db.exec('create table steps (run text, step integer, body text, primary key (run, step)) strict')
  return db
}

/** Durable steps a second, beside a raw client that makes a transaction of each step, and beside runs that keep nothing. */
export async function durable(line: Line): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'reflex-bench-sqlite-'))
  const [store, db] = [openSqlite(join(folder, 'reflex.db')), openRaw(join(folder, 'raw.db'))]
  try {
    await againstRaw(line, store, db)
    await pureSteps(line, store)
  } finally {
    await store.close()
    db.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function againstRaw(line: Line, store: Store, db: DatabaseSync): Promise<void> {
  const counting = new Counting('leaving', store)
  for (const [runs, steps, rounds, aim] of [
    [1, 500, 20, 0.85],
    [10, 200, 15, 5],
    [100, 100, 10, 10],
  ] as const) {
    const [own, floor] = await alternate([counting.runs(runs, steps), raw(db, runs, steps)], runs * steps, rounds)
    if (own === undefined || floor === undefined) continue
    line(`SQLite, ${runs} at once, an effect each step`, perSecond(own.ns), `raw node:sqlite: ${perSecond(floor.ns)}`)
    line('  times as fast as raw node:sqlite', timesAsFast(own, floor).toFixed(2), `aim ${aim}`)
  }
  await counting.close()
}

/** Steps whose effect leaves nothing run ahead of the store. */
async function pureSteps(line: Line, store: Store): Promise<void> {
  const all = [new Counting('pure', store), new Counting('pure', memoryStore()), new Counting('pure')]
  const [own, kept, bare] = await alternate(
    all.map((counting) => counting.runs(1, PURE)),
    PURE,
    25,
  )
  for (const counting of all) await counting.close()
  if (own === undefined || kept === undefined || bare === undefined) return
  const beside = `${own.ns.toFixed(0)} ns a step; in memory ${bare.ns.toFixed(0)}, in a memory store ${kept.ns.toFixed(0)}`
  line('SQLite, pure steps', perSecond(own.ns), beside)
  line('  speed in memory, where nothing is written', timesAsFast(own, bare).toFixed(2), 'aim 0.5')
  line('  speed in a memory store', timesAsFast(own, kept).toFixed(2), '')
}
