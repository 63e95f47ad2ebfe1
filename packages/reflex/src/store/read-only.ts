import { accessSync, constants, copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import type { Fault } from '../kernel/index.ts'
import { faults, PERMIT } from './faults.ts'
import { hasLog } from './file-header.ts'

/** The number of attempts to copy or read a file while another process changes it. */
const TRIES = 20
/** The size of the smallest index of a log, in bytes. */
const INDEX_BYTES = 32 * 1024

/** Returns the fault `R5024` for a store that cannot be written, or undefined if it can. */
export function writeRefusal(path: string, name: string): Fault | undefined {
  for (const [place, what] of [
    [path, 'the file'],
    [dirname(path), 'its folder'],
  ] as const) {
    if (!existsSync(place)) continue
    try {
      accessSync(place, constants.W_OK)
    } catch (cause) {
      return faults.make('R5024', `the store ${name} is read-only: ${what} cannot be written`, { file: name, fix: PERMIT, cause })
    }
  }
  return undefined
}

/**
 * A store that can only be read. SQLite reads a log through an index beside it and would create a missing index: a file
 * of this user in the folder of another one, or an error where it cannot. So the file is opened normally only while
 * another process has it open. Otherwise it is opened as a file that nothing changes or, if a killed process left a
 * log, as a copy.
 */
export class ReadOnlyFile {
  /** The fault of every write. */
  readonly refusal: Fault
  readonly #path: string
  #lastMarks = ''
  #copyFolder: string | undefined

  constructor(path: string, refusal: Fault) {
    this.#path = path
    this.refusal = refusal
  }

  open(): DatabaseSync {
    this.#lastMarks = this.#marks()
    if (this.#isInUse()) return new DatabaseSync(this.#path, { readOnly: true })
    if (hasLog(this.#path)) return new DatabaseSync(this.#copy(), { readOnly: true })
    const url = pathToFileURL(this.#path)
    url.search = 'immutable=1'
    return new DatabaseSync(url, { readOnly: true })
  }

  /** Performs `work`, and repeats it if another process changed the file meanwhile. `reopen` opens the changed file. */
  retryWhileChanging<T>(reopen: () => void, work: () => T): T {
    for (let tries = 1; ; tries++) {
      if (this.#marks() !== this.#lastMarks) reopen()
      try {
        const result = work()
        if (tries === TRIES || this.#marks() === this.#lastMarks) return result
      } catch (thrown) {
        if (tries === TRIES || this.#marks() === this.#lastMarks) throw thrown
      }
    }
  }

  close(): void {
    if (this.#copyFolder !== undefined) rmSync(this.#copyFolder, { recursive: true, force: true })
    this.#copyFolder = undefined
  }

  #copy(): string {
    this.close()
    this.#copyFolder = mkdtempSync(join(tmpdir(), 'reflex-read-'))
    const copy = join(this.#copyFolder, basename(this.#path))
    for (let tries = 1; ; tries++) {
      this.#lastMarks = this.#marks()
      for (const suffix of ['', '-wal']) copyFileSync(`${this.#path}${suffix}`, `${copy}${suffix}`)
      if (tries === TRIES || this.#marks() === this.#lastMarks) return copy
    }
  }

  /**
   * Returns a text that changes when the file changes, or when another process opens or closes it. SQLite itself
   * notices changes of the log.
   */
  #marks(): string {
    const [file, log] = ['', '-wal'].map((end) => statSync(`${this.#path}${end}`, { throwIfNoEntry: false }))
    const inUse = this.#isInUse()
    const marks = inUse ? [] : [file?.mtimeMs, file?.size, log?.mtimeMs, log?.size]
    return [file?.dev, file?.ino, inUse, log?.ino, ...marks].join(' ')
  }

  /**
   * True if another process has the file open, or was killed. On a full disk, a process that cannot open the file
   * leaves part of an index.
   */
  #isInUse(): boolean {
    const [log, index] = ['-wal', '-shm'].map((end) => statSync(`${this.#path}${end}`, { throwIfNoEntry: false }))
    return log !== undefined && (index?.size ?? 0) >= INDEX_BYTES
  }
}
