import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { faults, NAME_ANOTHER, RESTORE } from './faults.ts'
import { APPLICATION, LAYOUT } from './schema.ts'

const MAGIC = Buffer.from('SQLite format 3\0', 'latin1')
/** The header of the database, and the header of the tree on its first page. */
const HEADER_BYTES = 108

/** What stands at a path, as far as its first bytes tell. `empty`: a database without tables, or nothing at all. */
export type FileState = 'empty' | 'ours'

/** The log beside a database holds something. */
export function hasLog(path: string): boolean {
  return sizeOf(`${path}-wal`) > 0
}

/**
 * Judges a file by its bytes, before SQLite opens it: SQLite would make files beside it, or roll back what
 * another program left. Throws `R5020` to `R5023` for what may not be opened.
 */
export function judgeFile(path: string, name: string): FileState {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat?.isFile() === false) {
    throw faults.make('R5023', `the store ${name} is ${stat.isDirectory() ? 'a folder' : 'not a file'}`, { file: name, fix: 'name a file' })
  }
  const size = stat?.size ?? 0
  if (size === 0) {
    if (hasLog(path))
      throw damagedStore(
        name,
        'is empty, and yet a -wal file with content lies beside it',
        'restore the file that the -wal file belongs to',
      )
    // Nothing writes a log, or keeps folders of runs, before the file has tables: what is empty now was cut short.
    if (stat !== undefined && [`${path}-wal`, join(dirname(path), 'runs')].some((neighbour) => existsSync(neighbour)))
      throw damagedStore(name, 'is empty, and yet runs were kept in it', 'restore it from a copy, or remove the empty file to begin anew')
    return 'empty'
  }
  return judgeHeader(readStart(path), size, path, name)
}

function judgeHeader(header: Buffer, size: number, path: string, name: string): FileState {
  // What a power cut leaves of a file that was just being made.
  if (header.every((byte) => byte === 0)) throw damagedStore(name, 'begins with zeros')
  if (!header.subarray(0, MAGIC.length).equals(MAGIC.subarray(0, header.length))) throw foreign(name, 'is no database')
  if (header.length < HEADER_BYTES) throw damagedStore(name, `ends after ${size} bytes`)
  const application = header.readUInt32BE(68)
  if (application === 0 && header[100] === 0x0d && header.readUInt16BE(103) === 0 && !hasLog(path)) return 'empty'
  judgeMarks(application, header.readUInt32BE(60), name)
  // SQLite trusts the number of pages only if both change counters agree, and the log may hold the missing ones.
  const pages = header.readUInt32BE(24) === header.readUInt32BE(92) ? header.readUInt32BE(28) : 0
  const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16)
  if (size < pages * pageSize && !hasLog(path)) throw damagedStore(name, `has ${size} of its ${pages * pageSize} bytes`)
  return 'ours'
}

/** Throws unless these are the marks of a store that this release knows. */
export function judgeMarks(application: number, layout: number, name: string): void {
  if (application !== APPLICATION) throw foreign(name, 'belongs to another program')
  judgeLayout(layout, name)
}

/** Throws `R5022` for a layout that a newer release has made, also while the store is open. */
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
