import { systemHost, type SweepOptions, type SweepResult } from '../kernel/index.ts'
import type { Connection } from './connection.ts'
import { compactKept } from './ledgers.ts'
import type { StoredRunRow } from './rows.ts'
import { isRest, removeRest, removeRuns } from './run-removal.ts'
import type { Statements } from './statements.ts'
import { chunksOf } from './sweep-candidates.ts'
import { SweepReader, yieldToRuns } from './sweep-reader.ts'

/** The most hashes that one transaction reads or removes, so that a commit waits for a few milliseconds at most. */
const HASHES = 500
/** The most runs that one transaction removes. */
const RUNS = 50

/**
 * Removes everything that is no longer needed, in transactions of a few milliseconds each. The sweep reads everything
 * before it removes anything; the transactions that remove read only what was committed since.
 */
export async function sweepStore(connection: Connection, options: SweepOptions): Promise<SweepResult> {
  const sweep = new Sweep(connection, options)
  await sweep.reader.read()
  const runs = options.dry === true ? sweep.reader.runs : await sweep.dropRuns()
  return {
    runs: runs.filter((row) => !isRest(row)).map(({ id }) => id),
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
    const dropped: StoredRunRow[] = []
    // Reading again may find more runs to remove.
    for (let runs = this.reader.runs; runs.length > 0; runs = this.reader.runs)
      for (const chunk of chunksOf(runs, RUNS)) dropped.push(...(await this.#dropChunk(chunk)))
    await this.reader.keepRemaining()
    return dropped
  }

  async #dropChunk(chunk: readonly StoredRunRow[]): Promise<readonly StoredRunRow[]> {
    const dropped: StoredRunRow[] = []
    for (let left = chunk; left.length > 0; ) {
      const { removed, changed, rest } = await this.#writeCurrent((sql) => removeRuns(sql, this.reader.stillGone(left)))
      dropped.push(...removed)
      this.reader.forget(removed)
      this.reader.keep(changed)
      if (rest !== undefined) while (!(await this.#writeCurrent((sql) => removeRest(sql, rest))));
      left = this.reader.stillGone(left)
    }
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
      const began = systemHost.monotonic()
      const outcome = this.#connection.write((sql) => {
        if (!this.reader.catchUpNow(sql)) return undefined
        const result = work(sql)
        this.reader.mark(sql)
        return { result }
      })
      await yieldToWriters(systemHost.monotonic() - began)
      if (outcome !== undefined) return outcome.result
      await this.reader.read()
    }
  }
}

/**
 * Waits for as long as a transaction took, in milliseconds. A process that waits for SQLite's lock looks for it only now and then: it
 * must find it free half of the time.
 */
function yieldToWriters(took: number): Promise<void> {
  return new Promise((resolve) => void systemHost.at(systemHost.now() + Math.ceil(took), resolve))
}
