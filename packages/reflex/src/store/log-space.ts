import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, realpathSync, writeSync } from 'node:fs'
import { resolve } from 'node:path'

/** SQLite writes its log from the beginning again after the commit that reaches page 1000; that commit may have more pages. */
const LOG_PAGES = 1050
/** The size in bytes of the header of the log, and of the header of each page in it. */
const LOG_HEADER_BYTES = 32
const PAGE_HEADER_BYTES = 24
/** The process reserves the space at this commit: a process that commits less often would not gain what it costs. */
const AT_COMMIT = 50

/**
 * Reserves the disk space of a store's log once. A commit that makes the log longer takes about 1.5 times as long as one
 * that overwrites it, because the file system has to write the new length, too.
 */
export class LogSpace {
  readonly #path: string
  readonly #bytes: number
  #commits = 0

  /** Throws the system's error if there is no file. */
  constructor(file: string, pageSize: number) {
    this.#path = `${realpathSync(resolve(file))}-wal`
    this.#bytes = LOG_HEADER_BYTES + LOG_PAGES * (PAGE_HEADER_BYTES + pageSize)
  }

  /**
   * Counts a commit, and reserves the space when it is time. Call it inside a transaction that writes: then no other process
   * changes the length of the log. Never throws: without the space, commits are slower and nothing else changes.
   */
  countCommit(): void {
    this.#commits++
    if (this.#commits === AT_COMMIT) reserve(this.#path, this.#bytes)
  }
}

/**
 * Appends zeros to a log until it has this size. SQLite reads a log up to the first page that it has not written itself, so
 * zeros are not part of it. A full disk gets its space back.
 */
function reserve(path: string, bytes: number): void {
  let file: number | undefined
  let size: number | undefined
  try {
    file = openSync(path, 'r+')
    size = fstatSync(file).size
    const zeros = Buffer.alloc(Math.max(0, bytes - size))
    for (let done = 0; done < zeros.length; ) done += writeSync(file, zeros, done, zeros.length - done, size + done)
    fsyncSync(file)
  } catch {
    if (file !== undefined && size !== undefined) giveBack(file, size)
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

function giveBack(file: number, size: number): void {
  try {
    ftruncateSync(file, size)
  } catch {
    // The log uses the space itself later.
  }
}
