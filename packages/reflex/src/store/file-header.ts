import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { faults, NAME_ANOTHER, RESTORE } from './faults.ts'
import { APPLICATION, LAYOUT } from './schema.ts'

const MAGIC = Buffer.from('SQLite format 3\0', 'latin1')
/** The size in bytes of the database header and of the tree header on the first page. */
const HEADER_BYTES = 108

/** The state of a file, judged by its first bytes. `empty`: a database without tables, or no content. */
export type FileState = 'empty' | 'ours'

/** True if the log beside a database has content. */
export function hasLog(path: string): boolean {
  return sizeOf(`${path}-wal`) > 0
}

/**
 * Judges a file by its bytes before SQLite opens it: SQLite would create files beside it, or roll back the work of
 * another program. Throws `R5020` to `R5023` for a file that must not be opened.
 */
export function judgeFile(path: string, name: string): FileState {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat?.isFile() === false) {
    throw faults.make('R5023', `the store ${name} is ${stat.isDirectory() ? 'a folder' : 'not a file'}`, { file: name, fix: 'name a file' })
  }
  const size = stat?.size ?? 0
  if (size === 0) {
    if (hasLog(path))
      throw damagedStore(name, 'is empty, but the -wal file beside it is not', 'restore the file that the -wal file belongs to')
    // A log or a folder of runs exists only after the file has tables, so this file was cut short.
    if (stat !== undefined && [`${path}-wal`, join(dirname(path), 'runs')].some((neighbour) => existsSync(neighbour)))
      throw damagedStore(
        name,
        'is empty, but runs were stored in it',
        'restore it from a copy, or remove the empty file to start with a new store',
      )
    return 'empty'
  }
  return judgeHeader(readStart(path), size, path, name)
}

function judgeHeader(header: Buffer, size: number, path: string, name: string): FileState {
  // A power failure can leave zeros in a file that was being created.
  if (header.every((byte) => byte === 0)) throw damagedStore(name, 'begins with zeros')
  if (!header.subarray(0, MAGIC.length).equals(MAGIC.subarray(0, header.length))) throw foreign(name, 'is not a database')
  if (header.length < HEADER_BYTES) throw damagedStore(name, `ends after ${size} bytes`)
  const application = header.readUInt32BE(68)
  if (application === 0 && header[100] === 0x0d && header.readUInt16BE(103) === 0 && !hasLog(path)) return 'empty'
  judgeMarks(application, header.readUInt32BE(60), name)
  // SQLite trusts the number of pages only if both change counters agree; the log may contain the missing pages.
  const pages = header.readUInt32BE(24) === header.readUInt32BE(92) ? header.readUInt32BE(28) : 0
  const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16)
  if (size < pages * pageSize && !hasLog(path)) throw damagedStore(name, `has ${size} of its ${pages * pageSize} bytes`)
  return 'ours'
}

/** Throws `R5020` or `R5022` unless these are the marks of a store that this release knows. */
export function judgeMarks(application: number, layout: number, name: string): void {
  if (application !== APPLICATION) throw foreign(name, 'belongs to another program')
  judgeLayout(layout, name)
}

/** Throws `R5022` if a newer release made the layout. It is also called while the store is open. */
export function judgeLayout(layout: number, name: string): void {
  if (layout <= LAYOUT) return
  throw faults.make('R5022', `the store ${name} has layout ${layout}; this release knows up to ${LAYOUT}`, {
    file: name,
    fix: 'open it with the release that made it, or a later one',
  })
}

function foreign(name: string, what: string): Error {
  return faults.make('R5020', `${name} ${what}`, { file: name, fix: NAME_ANOTHER })
}

/** Returns the fault `R5021` for a damaged store. */
export function damagedStore(name: string, what: string, fix: string = RESTORE): Error {
  return faults.make('R5021', `the store ${name} ${what}`, { file: name, fix })
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

function readStart(path: string): Buffer {
  const file = openSync(path, 'r')
  try {
    const start = Buffer.alloc(HEADER_BYTES)
    return start.subarray(0, readSync(file, start, 0, HEADER_BYTES, 0))
  } finally {
    closeSync(file)
  }
}
