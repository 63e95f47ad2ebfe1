import { mkdtempSync, rmSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { historyFaults } from '../faults.ts'

/** The number of characters in one write. */
const WRITE_SIZE = 1_000_000

/**
 * Lines in a temporary file. The file has no name after it is open, so it is removed when the process ends, and no other process can change
 * it.
 */
export class Spool {
  readonly #folder: string
  readonly #file: FileHandle

  private constructor(folder: string, file: FileHandle) {
    this.#folder = folder
    this.#file = file
  }

  static async open(): Promise<Spool> {
    const folder = mkdtempSync(join(tmpdir(), 'reflex-import-'))
    try {
      const spool = new Spool(folder, await open(join(folder, 'archive.jsonl'), 'wx+', 0o600))
      spool.#discard()
      return spool
    } catch (thrown) {
      rmSync(folder, { recursive: true, force: true })
      throw thrown
    }
  }

  /** Returns the same lines and writes each of them to the file. */
  async *tee(lines: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string> {
    let text = ''
    for await (const line of lines) {
      if (typeof line !== 'string')
        throw historyFaults.make('R2070', `an archive consists of lines of text, but one line has the type ${typeof line}`)
      text += `${line}\n`
      if (text.length >= WRITE_SIZE) {
        await this.#file.appendFile(text)
        text = ''
      }
      yield line
    }
    await this.#file.appendFile(text)
  }

  /** Returns the stored lines as bytes. */
  bytes(): AsyncIterable<Uint8Array> {
    return this.#file.createReadStream({ start: 0, autoClose: false })
  }

  async close(): Promise<void> {
    await this.#file.close()
    this.#discard()
  }

  /** Removes the folder. Some systems keep the name of a file until it is closed. */
  #discard(): void {
    try {
      rmSync(this.#folder, { recursive: true, force: true })
    } catch {
      // The folder is removed when the file is closed.
    }
  }
}
