import { Journals, type Json, keptRecords, readPart, type Runtime, type Store } from '../../kernel/index.ts'
import type { ProgramViewer } from '../../programs/kinds.ts'
import { type ColumnType, RunTables, type TableName, type TableRow, TABLES } from './tables.ts'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { historyFaults } from '../faults.ts'
import { DraftFiles } from './draft-files.ts'

/** The file format of the tables. */
export type TableFormat = 'jsonl' | 'parquet'

/** A file that was written. */
export interface ExportedTable {
  readonly table: TableName
  readonly file: string
  readonly rows: number
}

/** The parts that an export of a store needs. */
export interface ExportWorld extends ProgramViewer {
  readonly store: Store
  readonly runtime: Pick<Runtime, 'programs'>
}

/** The file of one table. */
interface TableFile {
  write(cells: readonly Cell[]): Promise<void> | undefined
  /** Writes the remaining rows. */
  end(): Promise<void>
  close(): Promise<void>
}

type Columns = readonly (readonly [name: string, type: ColumnType])[]

const TABLE_NAMES = Object.keys(TABLES) as readonly TableName[]

/**
 * Writes every run of a store as tables (runs, records, effects, entries) into a folder, as `runs.jsonl` and so on. Reads one run at a
 * time. The files appear when all are complete, and they replace the files of an earlier export. Throws `R2087` if the package for Parquet
 * is missing, and `R5003` for a journal that cannot be read; no file is left then.
 */
export async function exportTables(world: ExportWorld, folder: string, format: TableFormat): Promise<readonly ExportedTable[]> {
  const parquet = format === 'parquet' ? await loadParquet() : undefined
  const drafts = new DraftFiles(folder)
  const files = new Map<TableName, TableFile>()
  try {
    for (const table of TABLE_NAMES) {
      const [path, columns] = [drafts.path(`${table}.${format}`), Object.entries(TABLES[table])]
      files.set(table, parquet === undefined ? await jsonlFile(path, columns) : parquetFile(parquet, path, columns))
    }
    const counts = await writeRows(world, files)
    for (const file of files.values()) await file.close()
    drafts.publish(TABLE_NAMES.map((table) => `${table}.${format}`))
    return TABLE_NAMES.map((table) => ({ table, file: join(folder, `${table}.${format}`), rows: counts.get(table) ?? 0 }))
  } catch (thrown) {
    await Promise.allSettled([...files.values()].map((file) => file.close()))
    drafts.discard()
    throw thrown
  }
}

async function writeRows(world: ExportWorld, files: ReadonlyMap<TableName, TableFile>): Promise<ReadonlyMap<TableName, number>> {
  const counts = new Map<TableName, number>()
  for await (const [table, row] of rowsOf(world)) {
    counts.set(table, (counts.get(table) ?? 0) + 1)
    await files.get(table)?.write(Object.entries(TABLES[table]).map(([name, type]) => cellOf(row[name], type)))
  }
  for (const file of files.values()) await file.end()
  return counts
}

async function* rowsOf(world: ExportWorld): AsyncGenerator<readonly [TableName, TableRow]> {
  const { store, runtime } = world
  const journals = new Journals(store, runtime.programs)
  for (const row of [...(await store.runs())].reverse()) {
    const part = await readPart(store, row.id, (await keptRecords(store, row.id)).first, row.last)
    const opening = part.opening()
    await journals.loadPrograms(opening.pins, row.id)
    const tables = new RunTables({ row, opening, definitionsFor: (state) => world.programsOf(state) })
    for await (const [, record] of part.records()) {
      await journals.loadPrograms([...(record.more?.start?.pins ?? []), ...(record.more?.pin ?? [])], row.id)
      yield* tables.record(record)
    }
    yield* tables.end()
  }
}

// JSON lines

/** The number of characters in one write. */
const WRITE_SIZE = 1_000_000

async function jsonlFile(path: string, columns: Columns): Promise<TableFile> {
  const file: FileHandle = await open(path, 'wx')
  let text = ''
  const flush = async (): Promise<void> => {
    const chunk = text
    text = ''
    // `write` can leave out the rest when the disk is full; `appendFile` does not.
    await file.appendFile(chunk)
  }
  return {
    write(cells) {
      const row = Object.fromEntries(columns.map(([name, type], i) => [name, jsonlValue(cells[i] ?? null, type)]))
      text += `${JSON.stringify(row)}\n`
      return text.length >= WRITE_SIZE ? flush() : undefined
    },
    end: flush,
    close: () => file.close(),
  }
}

function jsonlValue(cell: Cell, type: ColumnType): unknown {
  return type === 'time' && typeof cell === 'number' ? new Date(cell).toISOString() : cell
}

// Parquet

/** The used part of the package hyparquet-writer, which is optional. */
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
/** The maximum number of rows in a row group; `GROUP_SIZE`: of characters of text and JSON. */
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
    const isMissing = (thrown as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND'
    throw historyFaults.make(
      'R2087',
      isMissing ? 'Parquet files need the package hyparquet-writer' : 'the package hyparquet-writer cannot be loaded',
      {
        fix: 'npm install hyparquet-writer',
        ...(isMissing ? {} : { cause: thrown }),
      },
    )
  }
}

function parquetFile({ ParquetWriter, fileWriter }: Parquet, path: string, columns: Columns): TableFile {
  const elements = columns.map(([name, type]) => ({ name, repetition_type: 'OPTIONAL', ...PARQUET[type] }))
  const writer = new ParquetWriter({ writer: fileWriter(path), schema: [{ name: 'root', num_children: columns.length }, ...elements] })
  let rows: (readonly Cell[])[] = []
  let size = 0
  const flush = async (): Promise<void> => {
    if (rows.length === 0) return
    // Statistics of JSON columns are useless, and would store whole values.
    const columnData = columns.map(([name, type], i) => ({
      name,
      data: rows.map((cells) => parquetValue(cells[i] ?? null, type)),
      statistics: type !== 'json',
    }))
    rows = []
    size = 0
    await writer.write({ columnData, rowGroupSize: GROUP_ROWS })
  }
  return {
    write(cells) {
      rows.push(cells)
      for (const [i, [, type]] of columns.entries()) if (type === 'json' || type === 'text') size += lengthOf(cells[i] ?? null)
      return rows.length >= GROUP_ROWS || size >= GROUP_SIZE ? flush() : undefined
    },
    async end() {
      await flush()
      await writer.finish()
    },
    close: () => Promise.resolve(),
  }
}

function parquetValue(cell: Cell, type: ColumnType): unknown {
  if (typeof cell !== 'number') return cell
  if (type === 'whole') return BigInt(cell)
  return type === 'time' ? new Date(cell) : cell
}

function lengthOf(cell: Cell): number {
  return typeof cell === 'string' ? cell.length : cell === null ? 0 : JSON.stringify(cell).length
}

/** The value of a column in a row. */
type Cell = Json

const END_OF_TIME = 8_640_000_000_000_000

const CELL_CHECKS: Readonly<Record<ColumnType, (value: Json) => boolean>> = {
  text: (value) => typeof value === 'string',
  whole: (value) => Number.isSafeInteger(value),
  number: (value) => Number.isFinite(value),
  time: (value) => typeof value === 'number' && Math.abs(value) <= END_OF_TIME,
  flag: (value) => typeof value === 'boolean',
  json: () => true,
}

/**
 * Returns a value for a column; null if it is unknown or the column cannot hold it, such as half a token or a time outside the calendar.
 */
function cellOf(value: Json | undefined, type: ColumnType): Cell {
  return value !== undefined && CELL_CHECKS[type](value) ? value : null
}
