import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Reflex } from '../../packages/reflex/src/index.ts'
import type { Line } from '../measure.ts'
import { tickFolder, writeTicks } from './ticks.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Bytes of the heap that stay after a collection. */
function keptBytes(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

/** Processor time of this process in microseconds. */
function processorTime(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

/**
 * The floor: reads the same file, parses each line, and writes the events as JSON, 256 in a row, a transaction every 20 rows as durable as those
 * of a store. It checks, computes and remembers nothing. Returns microseconds of processor time for an event.
 */
function bareLoop(source: string, store: string, count: number): number {
  const from = processorTime()
  const db = new DatabaseSync(store)
  db.exec('pragma journal_mode = wal; pragma synchronous = full; create table journal (row integer primary key, body text) strict')
  const insert = db.prepare('insert into journal (body) values (?)')
  const file = openSync(source, 'r')
  const buffer = Buffer.alloc(65_536)
  let events: unknown[] = []
  let rows = 0
  let rest = ''
  const write = (): void => {
    if (rows % 20 === 0) db.exec(rows === 0 ? 'begin' : 'commit; begin')
    rows++
    insert.run(JSON.stringify(events))
    events = []
  }
  for (let size = readSync(file, buffer); size > 0; size = readSync(file, buffer)) {
    const lines = (rest + buffer.toString('utf8', 0, size)).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (events.push(JSON.parse(line)) === 256) write()
  }
  write()
  db.exec('commit')
  db.close()
  closeSync(file)
  return (processorTime() - from) / count
}

/** A file of events from end to end in SQLite, with its journal: the time, the heap and the bytes of an event; then its replay. */
export async function eventFile(line: Line, count: number): Promise<void> {
  const place = tickFolder()
  const store = join(place.folder, 'store.db')
  const reflex = new Reflex({ workdir: place.folder, store })
  try {
    const source = join(place.folder, 'ticks.jsonl')
    const size = writeTicks(source, count)
    const small = join(place.folder, 'warm.jsonl')
    writeTicks(small, Math.min(count, 20_000))
    await reflex.run(place.graph, { dataflow: { source: small } })
    const floorBefore = bareLoop(source, join(place.folder, 'floor-before.db'), count)
    const before = statSync(store).size
    const kept: number[] = []
    const run = await reflex.start(place.graph, { id: 'file', dataflow: { source } })
    // A tenth of the way each, by the clock of the graph, which each event advances by a second.
    run.onRecord(() => {
      const clock = (run.run.state.root.position as { n?: number } | undefined)?.n ?? 0
      if (clock >= ((kept.length + 1) * count) / 11) kept.push(keptBytes())
    })
    const [from, clock] = [processorTime(), performance.now()]
    await run.idle({ until: 'end' })
    const [cost, wall] = [(processorTime() - from) / count, ((performance.now() - clock) * 1000) / count]
    const name = `event of a file of ${count.toLocaleString('en-US')}, SQLite`
    const { events } = run.value as { events: number }
    if (events !== count) throw new Error(`${events} of ${count} events were taken`)
    line(name, `${cost.toFixed(2)} us`, `aim 5; ${wall.toFixed(2)} us by the clock; ${run.run.state.n} records`)
    const floor = (bareLoop(source, join(place.folder, 'floor.db'), count) + floorBefore) / 2
    line(
      '  over a bare loop that parses and stores',
      `${(cost / floor).toFixed(2)} times`,
      `it takes ${floor.toFixed(2)} us, before and after`,
    )
    const [first = 0, last = 0] = [kept[0], kept.at(-1)]
    line('  heap kept after nine tenths', `${((last - first) / 1024).toFixed(0)} kB more`, 'aim 0: than after a tenth')
    const bytes = (statSync(store).size - before) / count
    line('  bytes of the store', `${bytes.toFixed(0)} B`, `aim 63 with the event; it has ${(size / count).toFixed(0)} B in the file`)
    await replayed(line, reflex, count)
  } finally {
    await reflex.close()
    place.remove()
  }
}

async function replayed(line: Line, reflex: Reflex, count: number): Promise<void> {
  const from = processorTime()
  await reflex.replay('file')
  line('  replay of an event', `${((processorTime() - from) / count).toFixed(2)} us`, 'every pass computed again')
}
