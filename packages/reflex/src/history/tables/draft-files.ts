import { closeSync, fsyncSync, mkdirSync, mkdtempSync, openSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Files of a folder that take their names together, once all of them are whole and on the disk. Until then they lie in a folder of their own below it,
 * so that two who write at the same time do not write into the same file.
 */
export class DraftFiles {
  readonly #target: string
  readonly #folder: string

  /** Makes the folder if it is not there. */
  constructor(target: string) {
    mkdirSync(target, { recursive: true })
    this.#target = target
    this.#folder = mkdtempSync(join(target, '.reflex-export-'))
  }

  /** Where a file is written. */
  path(name: string): string {
    return join(this.#folder, name)
  }

  /** Gives the files their names; those that had them are replaced. */
  publish(names: readonly string[]): void {
    for (const name of names) syncFile(this.path(name))
    for (const name of names) renameSync(this.path(name), join(this.#target, name))
    this.discard()
  }

  /** Takes away what was not kept. */
  discard(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

function syncFile(file: string): void {
  const handle = openSync(file, 'r+')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
