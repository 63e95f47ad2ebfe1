import { mkdtempSync, rmSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { historyFaults } from '../faults.ts'

/** Characters that are written at once. */
const WRITE_SIZE = 1_000_000

/** Lines in a file that has no name once it is open: it ends with this process, however that ends, and nobody else can change it meanwhile. */
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

  /** The same lines, each written on its way. */
  async *tee(lines: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string> {
    let text = ''
    for await (const line of lines) {
      if (typeof line !== 'string') throw historyFaults.make('R2070', `an archive is lines of text, and one of them is ${typeof line}`)
      text += `${line}\n`
      if (text.length >= WRITE_SIZE) {
        await this.#file.appendFile(text)
        text = ''
      }
      yield line
    }
    await this.#file.appendFile(text)
  }

  /** Those that were kept, once more. */
  bytes(): AsyncIterable<Uint8Array> {
    return this.#file.createReadStream({ start: 0, autoClose: false })
  }

  async close(): Promise<void> {
    await this.#file.close()
    this.#discard()
  }

  /** Some systems keep the name of a file until it is closed. */
  #discard(): void {
    try {
      rmSync(this.#folder, { recursive: true, force: true })
    } catch {
      // It goes when the file is closed.
    }
  }
}
