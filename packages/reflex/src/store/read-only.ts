import { accessSync, constants, copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import type { Fault } from '../kernel/journal/fault.ts'
import { faults, PERMIT } from './faults.ts'
import { hasLog } from './file-header.ts'

/** The number of times that a file is copied or read while another process changes it. */
const TRIES = 20
/** Bytes of the smallest index of a log. */
const INDEX_BYTES = 32 * 1024

/** The fault for a store that refuses to be written; undefined where it can be written. */
export function writeRefusal(path: string, name: string): Fault | undefined {
  for (const [place, what] of [
    [path, 'the file'],
    [dirname(path), 'its folder'],
  ] as const) {
    if (!existsSync(place)) continue
    try {
      accessSync(place, constants.W_OK)
    } catch (cause) {
      return faults.make('R5024', `the store ${name} is read-only: ${what} refuses to be written`, { file: name, fix: PERMIT, cause })
    }
  }
  return undefined
}

/**
 * A store that can only be read. SQLite reads a log through an index beside it, which it would make: a file of this user in the
 * folder of another one, or an error where none can be made. So it is opened as it is only while another process has it open;
 * otherwise as a file that nobody changes, or, with a log that a killed process left, as a copy.
 */
export class ReadOnlyFile {
  /** The fault of everything that would write. */
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

  /** Performs `work` again where another process changed the file under it; `reopen` opens the file in between. */
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

  /** Changes when the file changes, or when another process opens or closes it. SQLite itself sees the changes of a log. */
  #marks(): string {
    const [file, log] = ['', '-wal'].map((end) => statSync(`${this.#path}${end}`, { throwIfNoEntry: false }))
    const inUse = this.#isInUse()
    const marks = inUse ? [] : [file?.mtimeMs, file?.size, log?.mtimeMs, log?.size]
    return [file?.dev, file?.ino, inUse, log?.ino, ...marks].join(' ')
  }

  /** Another process has it open, or was killed. On a full disk, a process that could not open it leaves a part of an index. */
  #isInUse(): boolean {
    const [log, index] = ['-wal', '-shm'].map((end) => statSync(`${this.#path}${end}`, { throwIfNoEntry: false }))
    return log !== undefined && (index?.size ?? 0) >= INDEX_BYTES
  }
}
