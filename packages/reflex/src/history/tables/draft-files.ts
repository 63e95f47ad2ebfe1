import { closeSync, fsyncSync, mkdirSync, mkdtempSync, openSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Files of a folder that get their names together, after all of them are complete and on the disk. Until then they are in their own
 * subfolder, so that two exports at the same time do not write to the same file.
 */
export class DraftFiles {
  readonly #target: string
  readonly #folder: string

  /** Creates the folder if it does not exist. */
  constructor(target: string) {
    mkdirSync(target, { recursive: true })
    this.#target = target
    this.#folder = mkdtempSync(join(target, '.reflex-export-'))
  }

  /** Returns the path for writing a file. */
  path(name: string): string {
    return join(this.#folder, name)
  }

  /** Gives the files their names. Replaces existing files. */
  publish(names: readonly string[]): void {
    for (const name of names) syncFile(this.path(name))
    for (const name of names) renameSync(this.path(name), join(this.#target, name))
    syncFolder(this.#target)
    this.discard()
  }

  /** Removes the draft files. */
  discard(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** Makes new names in a folder durable. Some systems cannot do this, and need not. */
function syncFolder(folder: string): void {
  try {
    syncFile(folder, 'r')
  } catch {
    // The files themselves are on the disk.
  }
}

function syncFile(file: string, mode = 'r+'): void {
  const handle = openSync(file, mode)
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
