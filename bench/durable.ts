import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { memoryStore, openSqlite, type Store } from '../packages/reflex/src/store/index.ts'
import { LogSpace } from '../packages/reflex/src/store/log-space.ts'
import { PAGE_BYTES } from '../packages/reflex/src/store/schema.ts'
import { Counting, STORED_STEP } from './counting.ts'
import { alternate, type Contestant, type Line, perSecond, timed, timesAsFast } from './measure.ts'

const PURE = 10_000

type Raw = 'default settings' | 'the settings of our store'

/** A file with one table, and the durability of our store. */
export function openRaw(file: string, raw: Raw = 'default settings'): DatabaseSync {
  const db = new DatabaseSync(file)
  if (raw !== 'default settings') db.exec(`pragma page_size = ${PAGE_BYTES}`)
  db.exec('pragma journal_mode = wal; pragma synchronous = full; pragma fullfsync = 1')
  db.exec('create table steps (run text, step integer, body text, primary key (run, step)) strict')
  return db
}

/** Runs each round in a folder of its own: a process that runs one program begins with an empty log. */
function inNewFolder(name: string, round: (folder: string) => Promise<number>): Contestant {
  return {
    name,
    async round() {
      const folder = mkdtempSync(join(tmpdir(), 'reflex-bench-sqlite-'))
      try {
        return await round(folder)
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    },
  }
}

/** One prepared statement, which is one transaction with its own fsync, for each step. */
function rawSteps(raw: Raw, runs: number, steps: number): Contestant {
  return inNewFolder(`raw node:sqlite, ${raw}`, async (folder) => {
    const file = join(folder, 'raw.db')
    const db = openRaw(file, raw)
    const space = new LogSpace(file, PAGE_BYTES)
    const insert = db.prepare('insert into steps values (?, ?, ?)')
    const ms = await timed(async () => {
      for (let step = 0; step < steps; step++)
        for (let run = 0; run < runs; run++) {
          insert.run(`${runs}:${run}`, step, STORED_STEP)
          if (raw !== 'default settings') space.countCommit()
        }
    })
    db.close()
    return ms
  })
}

function ownSteps(runs: number, steps: number): Contestant {
  return inNewFolder('reflex', async (folder) => {
    const store = openSqlite(join(folder, 'reflex.db'))
    const counting = new Counting('leaving', store)
    const ms = await counting.runs(runs, steps).round()
    await counting.close()
    await store.close()
    return ms
  })
}

/** Durable steps a second, beside a raw client that makes a transaction of each step, and beside runs that keep nothing. */
export async function durable(line: Line): Promise<void> {
  for (const [runs, steps, rounds, aims] of [
    [1, 500, 20, ['1.0', '0.85']],
    [10, 200, 15, ['5', '']],
    [100, 100, 10, ['15', '']],
  ] as const) {
    const contestants = [
      ownSteps(runs, steps),
      rawSteps('default settings', runs, steps),
      rawSteps('the settings of our store', runs, steps),
    ]
    const [own, ...raws] = await alternate(contestants, runs * steps, rounds)
    if (own === undefined) continue
    line(`SQLite, ${runs} at once, an effect each step`, perSecond(own.ns), '')
    for (const [i, raw] of raws.entries()) {
      const aim = aims[i] === undefined || aims[i] === '' ? '' : `aim ${aims[i]}; `
      line(`  times as fast as raw, ${raw.name.split(', ')[1] ?? ''}`, timesAsFast(own, raw).toFixed(2), `${aim}raw: ${perSecond(raw.ns)}`)
    }
  }
  await inNewFolder('pure', async (folder) => {
    const store = openSqlite(join(folder, 'reflex.db'))
    const ms = await timed(() => pureSteps(line, store))
    await store.close()
    return ms
  }).round()
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
