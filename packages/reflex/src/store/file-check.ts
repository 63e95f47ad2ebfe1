import { realpathSync, type Stats, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { faults } from '../kernel/index.ts'

/** The number of checks of the log after its folder changed: some file systems keep times in steps of ten milliseconds. */
const CHECKS = 100

/** Checks the files of an open store. SQLite keeps writing to a deleted file and does not notice a file that replaced it. */
export class FileCheck {
  readonly #name: string
  readonly #path: string
  readonly #logPath: string
  /** The state of the file at the last check. */
  #file: Stats
  /** The state of its log, which lies beside the file while the store is open. */
  #log: Stats | undefined
  /** The time at which a file was last created, renamed or removed in the folder of the log. */
  #folderChanged: number | undefined
  #checksLeft = 0

  /** Throws the system's error if there is no file. */
  constructor(file: string) {
    this.#name = file
    this.#path = resolve(file)
    this.#logPath = `${realpathSync(this.#path)}-wal`
    this.#file = statSync(this.#path)
  }

  /** Throws `R5005` if one of the files is missing or was replaced. Call it inside a transaction, before the commit. */
  check(): void {
    this.#checkFile()
    this.#checkLog()
  }

  /** Checks the file. A store never shrinks by itself. */
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
   * Checks the log. No other process sees what is written to a deleted log, and it is lost when this process is killed.
   * The folder is checked first: after a `stat` of the log, Linux gives it a new time stamp with the next write, and on
   * a disk that must store it a commit takes 1.5 times as long.
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
  return found.ino === before.ino && found.dev === before.dev ? undefined : 'was replaced by another file'
}
