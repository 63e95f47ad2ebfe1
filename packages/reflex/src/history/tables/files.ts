import { createWriteStream, mkdirSync, renameSync, rmSync, type WriteStream } from 'node:fs'
import { once } from 'node:events'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { historyFaults } from '../faults.ts'
import { RunTables, type ColumnType, type TableName, type TableRow, TABLES } from './tables.ts'
import { Journals, RunPrograms, type Runtime, type Store } from '../../kernel/index.ts'

/** How the tables of a store are written. */
export type TableFormat = 'jsonl' | 'parquet'

/** A file that was written. */
export interface ExportedTable {
  readonly table: TableName
  readonly file: string
  readonly rows: number
}

/** What an export of a store needs. */
export interface ExportWorld {
  readonly store: Store
  readonly runtime: Pick<Runtime, 'programs'>
}

/** What is written to one table. */
interface TableFile {
  write(row: TableRow): Promise<void> | undefined
  close(): Promise<void>
}

const NAMES = Object.keys(TABLES) as readonly TableName[]

/**
 * Writes every run of a store as tables (runs, records, effects, entries) into a folder: `runs.jsonl` and so on. One run is
 * read at a time. The files appear once all are whole; those of an earlier export are replaced. Throws `R2087` where the package for Parquet is missing, `R5003`
 * for a journal that cannot be read; nothing is left behind then.
 */
export async function exportTables(world: ExportWorld, folder: string, format: TableFormat): Promise<readonly ExportedTable[]> {
  const parquet = format === 'parquet' ? await loadParquet() : undefined
  mkdirSync(folder, { recursive: true })
  const files = NAMES.map((table) => ({ table, file: join(folder, `${table}.${format}`), draft: join(folder, `${table}.${format}.part`) }))
  const open = files.map(({ table, draft }) =>
    parquet === undefined ? jsonlFile(draft, TABLES[table]) : parquetFile(parquet, draft, TABLES[table]),
  )
  const counts = NAMES.map(() => 0)
  try {
    for await (const [table, row] of rowsOf(world)) {
      const at = NAMES.indexOf(table)
      counts[at] = (counts[at] ?? 0) + 1
      await open[at]?.write(row)
    }
    for (const file of open) await file.close()
  } catch (thrown) {
    await Promise.allSettled(open.map((file) => file.close()))
    for (const { draft } of files) rmSync(draft, { force: true })
    throw thrown
  }
  return files.map(({ table, file, draft }, i) => {
    renameSync(draft, file)
    return { table, file, rows: counts[i] ?? 0 }
  })
}

async function* rowsOf({ store, runtime }: ExportWorld): AsyncGenerator<readonly [TableName, TableRow]> {
  const journals = new Journals(store, runtime.programs)
  for (const row of [...(await store.runs())].reverse()) {
    const tables = new RunTables({ row, definitionsFor: (state) => new RunPrograms(runtime.programs, state) })
    let n = 0
    for await (const batch of journals.batches(row.id)) {
      for (const record of batch) {
        if (++n > row.last) break
        await journals.learn([...(record.more?.start?.pins ?? []), ...(record.more?.pin ?? [])], row.id)
        yield* tables.record(record)
      }
    }
    yield* tables.end()
  }
}

// JSON lines

function jsonlFile(file: string, columns: Readonly<Record<string, ColumnType>>): TableFile {
  const out: WriteStream = createWriteStream(file)
  // Whoever writes or closes hears of it.
  out.on('error', () => undefined)
  const names = Object.entries(columns)
  return {
    write(row) {
      const line = JSON.stringify(Object.fromEntries(names.map(([name, type]) => [name, jsonlValue(row[name] ?? null, type)])))
      return out.write(`${line}\n`) ? undefined : once(out, 'drain').then(() => undefined)
    },
    async close() {
      out.end()
      await finished(out)
    },
  }
}

function jsonlValue(value: NonNullable<TableRow[string]> | null, type: ColumnType): unknown {
  return type === 'time' && typeof value === 'number' ? new Date(value).toISOString() : value
}

// Parquet

/** What the package hyparquet-writer is used for; it need not be installed. */
interface Parquet {
  readonly ParquetWriter: new (options: {
    readonly writer: unknown
    readonly schema: readonly object[]
  }) => {
    write(rows: { readonly columnData: readonly object[]; readonly rowGroupSize: number }): void | Promise<void>
    finish(): void | Promise<void>
  }
  readonly fileWriter: (file: string) => unknown
}

const PACKAGE: string = 'hyparquet-writer'
/** A group of rows is held until it has so many rows, or so many characters of text and JSON. */
const GROUP_ROWS = 10_000
const GROUP_SIZE = 8_000_000

const PARQUET: Readonly<Record<ColumnType, object>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  whole: { type: 'INT64' },
  number: { type: 'DOUBLE' },
  time: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
  flag: { type: 'BOOLEAN' },
  json: { type: 'BYTE_ARRAY', converted_type: 'JSON' },
}

async function loadParquet(): Promise<Parquet> {
  try {
    return (await import(/* @vite-ignore */ PACKAGE)) as Parquet
  } catch (thrown) {
    const missing = (thrown as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND'
    throw historyFaults.make(
      'R2087',
      missing ? 'Parquet files need the package hyparquet-writer' : 'the package hyparquet-writer cannot be loaded',
      {
        fix: 'npm install hyparquet-writer',
        ...(missing ? {} : { cause: thrown }),
      },
    )
  }
}

function parquetFile({ ParquetWriter, fileWriter }: Parquet, file: string, columns: Readonly<Record<string, ColumnType>>): TableFile {
  const all = Object.entries(columns)
  const elements = all.map(([name, type]) => ({ name, repetition_type: 'OPTIONAL', ...PARQUET[type] }))
  const writer = new ParquetWriter({ writer: fileWriter(file), schema: [{ name: 'root', num_children: all.length }, ...elements] })
  let rows: TableRow[] = []
  let size = 0
  const flush = async (): Promise<void> => {
    if (rows.length === 0) return
    // The least and the greatest JSON say nothing, and would stand in the file whole.
    const columnData = all.map(([name, type]) => ({
      name,
      data: rows.map((row) => parquetValue(row[name] ?? null, type)),
      statistics: type !== 'json',
    }))
    rows = []
    size = 0
    await writer.write({ columnData, rowGroupSize: GROUP_ROWS })
  }
  return {
    write(row) {
      rows.push(row)
      for (const [name, type] of all) if (type === 'json' || type === 'text') size += lengthOf(row[name])
      return rows.length >= GROUP_ROWS || size >= GROUP_SIZE ? flush() : undefined
    },
    async close() {
      await flush()
      await writer.finish()
    },
  }
}

function parquetValue(value: NonNullable<TableRow[string]> | null, type: ColumnType): unknown {
  if (value === null) return null
  if (type === 'whole' && typeof value === 'number') return BigInt(value)
  return type === 'time' && typeof value === 'number' ? new Date(value) : value
}

function lengthOf(value: TableRow[string]): number {
  return typeof value === 'string' ? value.length : value === undefined || value === null ? 0 : JSON.stringify(value).length
}
