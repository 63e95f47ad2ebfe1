import { existsSync, mkdirSync, statfsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isFault } from '../kernel/index.ts'
import { faults, noRoom, replaced } from './faults.ts'
import { damagedStore, type FileState, hasLog, judgeFile, judgeMarks } from './file-header.ts'
import { ReadOnlyFile, writeRefusal } from './read-only.ts'
import { createTables, hasTables, identityOf, LAYOUT, PAGE_BYTES } from './schema.ts'
import { isBusy, isDiskError, isFull, storeFault } from './sqlite-faults.ts'

/**
 * A store of up to this size is checked completely when it is opened, which costs 2 ms per megabyte. The parts of a
 * larger store are checked when they are read.
 */
const FULL_CHECK_BYTES = 4 * 2 ** 20
/** The number of attempts to open a store that another process uses, and the milliseconds between two attempts. */
const TRIES = 100
const PAUSE_MS = 25

/** The settings with which a store is opened. */
export interface OpenSettings {
  /** The time in milliseconds that a statement waits for another process. */
  readonly busyTimeout: number
  /** The identity that the store must have. Absent: any. */
  readonly expectedIdentity?: string | undefined
  /** The identity that a new store gets. */
  readonly newIdentity: string
}

/** An open database. */
export interface OpenedDatabase {
  readonly db: DatabaseSync
  /** Absent if the store can be written. */
  readonly readOnly?: ReadOnlyFile
}

/**
 * Opens the database of a store, and creates it if there is none. A file that is refused is not changed. A file that
 * can only be read is opened read-only, and nothing is created beside it.
 */
export function openDatabase(file: string, settings: OpenSettings): OpenedDatabase {
  if (file === '' || file === ':memory:')
    throw faults.make('R5027', `"${file}" is not a file name`, { fix: 'write a path, or memory: for a store that ends with the process' })
  const path = resolve(file)
  try {
    makeFolder(path, file)
    const state = judgeWithRetry(path, file)
    const refusal = writeRefusal(path, file)
    if (refusal === undefined) return openToWrite(path, file, state, settings)
    if (state === 'empty') throw refusal
    return openToRead(new ReadOnlyFile(path, refusal), file, settings)
  } catch (thrown) {
    throw storeFault(thrown, file, 'open')
  }
}

function makeFolder(path: string, name: string): void {
  const folder = dirname(path)
  try {
    makeFolders(folder)
  } catch (cause) {
    throw faults.make('R5023', `the folder of the store ${name} cannot be created`, {
      file: name,
      fix: 'name a file in a folder that you may write to',
      cause,
    })
  }
}

/** Creates a folder and those above it. Node's recursive `mkdir` never returns in places such as /proc. */
function makeFolders(folder: string): void {
  if (existsSync(folder)) return
  if (dirname(folder) !== folder) makeFolders(dirname(folder))
  try {
    mkdirSync(folder)
  } catch (thrown) {
    // Another process may have created it first.
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown
  }
}

/**
 * Judges a file, and judges it again if it looks damaged: another process may be creating the store, or SQLite can roll
 * it back to a valid state.
 */
function judgeWithRetry(path: string, name: string): 'empty' | 'ours' {
  try {
    return judgeFile(path, name)
  } catch (thrown) {
    if (!isFault(thrown) || thrown.code !== 'R5021') throw thrown
    return existsSync(`${path}-journal`) ? 'ours' : judgeFile(path, name)
  }
}

function openToWrite(path: string, name: string, state: FileState, settings: OpenSettings): OpenedDatabase {
  try {
    if (state === 'ours' && hasLog(path)) retryWhileBusy(() => inspect(path, name, settings))
    const db = retryWhileBusy(() => connect(path, name, settings))
    db.exec(`pragma busy_timeout = ${settings.busyTimeout}`)
    return { db }
  } catch (thrown) {
    if (!isWithoutRoom(thrown, path)) throw thrown
    const refusal = noRoom(name, 'its disk', { file: name, cause: thrown })
    if (state === 'empty') throw refusal
    return openToRead(new ReadOnlyFile(path, refusal), name, settings)
  }
}

/**
 * True if the disk is full. SQLite needs space even to read a store that it may write, and reports the lack of space as
 * a disk error.
 */
function isWithoutRoom(thrown: unknown, path: string): boolean {
  return isFull(thrown) || (isDiskError(thrown) && statfsSync(dirname(path)).bavail === 0)
}

/** Opens a store that can only be read. Throws the faults of `openDatabase`. */
export function openToRead(readOnly: ReadOnlyFile, name: string, settings: OpenSettings): OpenedDatabase {
  const db = readOnly.open()
  try {
    db.exec(`pragma busy_timeout = ${settings.busyTimeout}`)
    checkStore(db, name, settings)
    return { db, readOnly }
  } catch (thrown) {
    db.close()
    readOnly.close()
    throw thrown
  }
}

/** Checks a store whose log has content, without merging the log into the file: a refused store stays as it is. */
function inspect(path: string, name: string, settings: OpenSettings): void {
  const db = new DatabaseSync(path, { readOnly: true })
  try {
    db.exec(`pragma busy_timeout = ${PAUSE_MS}`)
    checkStore(db, name, settings)
  } finally {
    db.close()
  }
}

function connect(path: string, name: string, settings: OpenSettings): DatabaseSync {
  const db = new DatabaseSync(path)
  try {
    db.exec(`pragma busy_timeout = ${PAUSE_MS}; pragma synchronous = full; pragma fullfsync = 1; pragma cell_size_check = 1`)
    if (marksOf(db).application === 0) initialize(db, name, settings.newIdentity)
    const layout = checkStore(db, name, settings)
    const mode = db.prepare('pragma journal_mode = wal').get()?.['journal_mode']
    if (mode !== 'wal')
      throw faults.make('R5023', `SQLite cannot keep its log on the disk of the store ${name}`, {
        file: name,
        fix: 'name a file on a disk of this machine',
      })
    if (layout < LAYOUT) migrate(db, name, settings.newIdentity)
    return db
  } catch (thrown) {
    db.close()
    throw thrown
  }
}

/** Throws unless this is a valid store with the expected identity. Returns its layout. */
function checkStore(db: DatabaseSync, name: string, { expectedIdentity }: OpenSettings): number {
  const { application, layout } = marksOf(db)
  judgeMarks(application, layout, name)
  checkIntegrity(db, name, layout)
  if (expectedIdentity !== undefined && identityOf(db) !== expectedIdentity) throw replaced(name)
  return layout
}

/**
 * Creates the tables, unless another process was faster. The tables and their marks become visible at the same time and
 * in the main file, without a log, so that the header identifies the store.
 */
function initialize(db: DatabaseSync, name: string, identity: string): void {
  db.exec(`pragma page_size = ${PAGE_BYTES}; pragma journal_mode = delete`)
  makeTables(db, name, identity)
}

/** Migrates a store of an older release to the layout of this release. */
function migrate(db: DatabaseSync, name: string, identity: string): void {
  makeTables(db, name, identity)
  db.exec('pragma wal_checkpoint(truncate)')
}

function makeTables(db: DatabaseSync, name: string, identity: string): void {
  db.exec('begin immediate')
  try {
    const { application, layout, tables } = marksOf(db)
    if (application !== 0 || tables !== 0) judgeMarks(application, layout, name)
    createTables(db, layout, identity)
    db.exec('commit')
  } catch (thrown) {
    rollBack(db)
    throw thrown
  }
}

/** Ends a transaction that failed. If SQLite has ended it already, the rollback throws; that error is ignored. */
export function rollBack(db: DatabaseSync): void {
  try {
    db.exec('rollback')
  } catch {
    // The caller reports the first error.
  }
}

function marksOf(db: DatabaseSync): { readonly application: number; readonly layout: number; readonly tables: number } {
  const number = (sql: string): number => Number(Object.values(db.prepare(sql).get() ?? {})[0] ?? 0)
  return {
    application: number('pragma application_id'),
    layout: number('pragma user_version'),
    tables: number('select count(*) from sqlite_schema'),
  }
}

function checkIntegrity(db: DatabaseSync, name: string, layout: number): void {
  if (layout < 1 || !hasTables(db, layout)) throw damagedStore(name, 'does not have the tables of its layout')
  const size = db.prepare('select page_count * page_size as size from pragma_page_count, pragma_page_size').get()?.['size']
  if (typeof size !== 'number' || size > FULL_CHECK_BYTES) return
  const answer = db.prepare('pragma integrity_check(1)').get()?.['integrity_check']
  if (answer !== 'ok') throw damagedStore(name, `is damaged: ${String(answer)}`)
}

/**
 * Repeats `work` while another process uses the store. SQLite does not wait in every case while several processes
 * create the same store.
 */
function retryWhileBusy<T>(work: () => T): T {
  for (let tries = 1; ; tries++) {
    try {
      return work()
    } catch (thrown) {
      if (!isBusy(thrown) || tries >= TRIES) throw thrown
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
    }
  }
}
