import { realpathSync, type Stats, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { faults } from '../kernel/journal/faults.ts'

/** How often the log is looked at after its folder changed: some file systems tell times in steps of ten milliseconds. */
const CHECKS = 100

/**
 * The files of an open store: SQLite goes on writing into a file that was deleted, and knows nothing of one that took its
 * place.
 */
export class FileCheck {
  readonly #name: string
  readonly #path: string
  readonly #logPath: string
  /** The file, as it was when it was looked at last. */
  #file: Stats
  /** Its log, which stands beside it for as long as it is open. */
  #log: Stats | undefined
  /** When a file was last made, renamed or removed in the folder of the log. */
  #folderChanged: number | undefined
  #checksLeft = 0

  /** Throws what the system throws where there is no file. */
  constructor(file: string) {
    this.#name = file
    this.#path = resolve(file)
    this.#logPath = `${realpathSync(this.#path)}-wal`
    this.#file = statSync(this.#path)
  }

  /** Throws `R5005` if one of the files is gone or another one. To be called within a transaction, before it is committed. */
  check(): void {
    this.#checkFile()
    this.#checkLog()
  }

  /** A store never shrinks by itself. */
  #checkFile(): void {
    const found = statSync(this.#path, { throwIfNoEntry: false })
    const what = changeOf(this.#file, found) ?? ((found?.size ?? 0) < this.#file.size ? 'was cut short' : undefined)
    if (what !== undefined)
      throw faults.make('R5005', `the store ${this.#name} ${what}`, {
        file: this.#name,
        fix: 'put the file back, or restore it from a copy',
      })
    this.#file = found ?? this.#file
  }

  /**
   * What is written into a log that was deleted is there for nobody else, and gone when this process is killed. The folder is
   * asked first: Linux gives a file that was looked at a time stamp of its own with the next write, and a disk that has to
   * keep it takes half as long again for a commit.
   */
  #checkLog(): void {
    const folderChanged = statSync(dirname(this.#logPath), { throwIfNoEntry: false })?.mtimeMs
    if (folderChanged !== this.#folderChanged) this.#checksLeft = CHECKS
    if (this.#checksLeft === 0) return
    const found = statSync(this.#logPath, { throwIfNoEntry: false })
    this.#log ??= found
    const what = this.#log === undefined ? undefined : changeOf(this.#log, found)
    if (what !== undefined)
      throw faults.make('R5005', `the log ${this.#name}-wal of the store ${what}`, {
        file: this.#name,
        fix: 'resume the run; that file belongs to the store',
      })
    this.#folderChanged = folderChanged
    this.#checksLeft--
  }
}

function changeOf(before: Stats, found: Stats | undefined): string | undefined {
  if (found === undefined) return 'is gone'
  return found.ino === before.ino && found.dev === before.dev ? undefined : 'is another file now'
}
