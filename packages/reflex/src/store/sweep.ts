import type { SweepOptions, SweepResult } from '../kernel/index.ts'
import type { Connection } from './connection.ts'
import { compactKept } from './ledgers.ts'
import type { StoredRunRow } from './rows.ts'
import type { Statements } from './statements.ts'
import { chunksOf } from './sweep-candidates.ts'
import { SweepReader, yieldToRuns } from './sweep-reader.ts'

/** The most that one transaction removes, so that a commit waits for a few milliseconds at most, and the most hashes that one reads. */
const RUNS_DROPPED = 50
const HASHES = 500

/**
 * Removes everything that is no longer needed, in transactions of a few milliseconds each. The sweep reads everything
 * before it removes anything; the transactions that remove read only what was committed since.
 */
export async function sweepStore(connection: Connection, options: SweepOptions): Promise<SweepResult> {
  const sweep = new Sweep(connection, options)
  await sweep.reader.read()
  const runs = options.dry === true ? sweep.reader.runs : await sweep.dropRuns()
  return {
    runs: runs.map(({ id }) => id),
    programs: await sweep.dropUnneeded('programs'),
    blobs: await sweep.dropUnneeded('blobs'),
    entries: await compactKept(connection, options.now, options.dry === true),
  }
}

class Sweep {
  readonly reader: SweepReader
  readonly #connection: Connection
  readonly #isDry: boolean

  constructor(connection: Connection, options: SweepOptions) {
    this.reader = new SweepReader(connection, options)
    this.#connection = connection
    this.#isDry = options.dry === true
  }

  async dropRuns(): Promise<readonly StoredRunRow[]> {
    const { reader } = this
    const dropped: StoredRunRow[] = []
    // Reading again may find more runs to remove.
    for (let runs = reader.runs; runs.length > 0; runs = reader.runs) {
      const chunk = runs.slice(0, RUNS_DROPPED)
      const droppedRuns = await this.#writeCurrent((sql) => chunk.filter((row) => reader.isGone(row) && dropRun(sql, row)))
      dropped.push(...droppedRuns)
      reader.forget(droppedRuns)
      reader.keep(chunk.filter((row) => !droppedRuns.includes(row)))
    }
    await reader.keepRemaining()
    return dropped
  }

  async dropUnneeded(what: 'programs' | 'blobs'): Promise<string[]> {
    const names = this.reader.unneeded(await this.#hashes(what))
    if (this.#isDry) return names
    const statement = what === 'programs' ? 'dropProgram' : 'dropBlob'
    const dropped: string[] = []
    for (const chunk of chunksOf(names, HASHES)) {
      const gone = await this.#writeCurrent((sql) => {
        const unneeded = this.reader.unneeded(chunk)
        for (const hash of unneeded) sql[statement].run(hash)
        return unneeded
      })
      dropped.push(...gone)
    }
    return dropped
  }

  async #hashes(what: 'programs' | 'blobs'): Promise<string[]> {
    const hashes: string[] = []
    for (let after = '', found = HASHES; found === HASHES; after = hashes.at(-1) ?? '') {
      await yieldToRuns()
      const page = this.#connection.read((sql) => sql[what].all(after, HASHES))
      hashes.push(...page.map(({ hash }) => hash))
      found = page.length
    }
    return hashes
  }

  /** Runs one transaction that removes data, after reading what was committed since the last read. */
  async #writeCurrent<T>(work: (sql: Statements) => T): Promise<T> {
    for (;;) {
      await this.reader.catchUp()
      const outcome = this.#connection.write((sql) => {
        if (!this.reader.catchUpNow(sql)) return undefined
        const result = work(sql)
        this.reader.mark(sql)
        return { result }
      })
      if (outcome !== undefined) return outcome.result
      await this.reader.read()
    }
  }
}

/**
 * Removes a run. Returns false if the run has changed since it was read: another process wrote its first record
 * meanwhile.
 */
function dropRun(sql: Statements, { seq, trace, token, last }: StoredRunRow): boolean {
  if (Number(sql.dropRun.run(seq, trace, token, last).changes) === 0) return false
  for (const table of [sql.dropJournal, sql.dropSnapshots, sql.dropMessages, sql.dropSegments]) table.run(seq)
  return true
}
