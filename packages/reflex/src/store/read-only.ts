import { accessSync, constants, copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import type { Fault } from '../kernel/journal/fault.ts'
import { faults, PERMIT } from './faults.ts'
import { hasLog } from './header.ts'

/** The number of times that a file is copied or read while another process changes it. */
const TRIES = 20
/** Bytes of the smallest index of a log. */
const INDEX = 32 * 1024

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
  #seen = ''
  #copies: string | undefined

  constructor(path: string, refusal: Fault) {
    this.#path = path
    this.refusal = refusal
  }

  open(): DatabaseSync {
    this.#seen = this.#marks()
    if (this.#isInUse()) return new DatabaseSync(this.#path, { readOnly: true })
    if (hasLog(this.#path)) return new DatabaseSync(this.#copy(), { readOnly: true })
    const url = pathToFileURL(this.#path)
    url.search = 'immutable=1'
    return new DatabaseSync(url, { readOnly: true })
  }

  /** Performs `work` again where another process changed the file under it; `reopen` opens the file in between. */
  steadily<T>(reopen: () => void, work: () => T): T {
    for (let tries = 1; ; tries++) {
      if (this.#marks() !== this.#seen) reopen()
      try {
        const result = work()
        if (tries === TRIES || this.#marks() === this.#seen) return result
      } catch (thrown) {
        if (tries === TRIES || this.#marks() === this.#seen) throw thrown
      }
    }
  }

  close(): void {
    if (this.#copies !== undefined) rmSync(this.#copies, { recursive: true, force: true })
    this.#copies = undefined
  }

  #copy(): string {
    this.close()
    this.#copies = mkdtempSync(join(tmpdir(), 'reflex-read-'))
    const copy = join(this.#copies, basename(this.#path))
    for (let tries = 1; ; tries++) {
      this.#seen = this.#marks()
      for (const end of ['', '-wal']) copyFileSync(`${this.#path}${end}`, `${copy}${end}`)
      if (tries === TRIES || this.#marks() === this.#seen) return copy
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
    return log !== undefined && (index?.size ?? 0) >= INDEX
  }
}
