import { type FileHandle, open } from 'node:fs/promises'

/** The most bytes of a line; the rest of a longer one is dropped. */
const MOST_LINE = 1_100_000
const CHUNK = 262_144
const NEWLINE = 10
const MARK = '\ufeff'

/** Reads the lines of a file in order, from any line on whose place is known. Never holds more than a line and a chunk. */
export class FileReader {
  readonly #handle: FileHandle
  readonly #chunk = Buffer.allocUnsafe(CHUNK)
  /** The part of the chunk that has not been returned. */
  #from = 0
  #to = 0
  /** The offset in the file of the end of the chunk. */
  #end = 0
  /** The beginning of a line that is longer than what was read of it. */
  #parts: Buffer[] = []
  #size = 0
  /** The number of lines before the next one. */
  line = 0
  #isEnd = false
  /** True if the last line that was taken is longer than `take` returns. */
  isCut = false

  private constructor(handle: FileHandle) {
    this.#handle = handle
  }

  /** Opens a file of which `read` bytes were read before. Throws an error for one that is shorter: it is another file. */
  static async open(file: string, read = 0): Promise<FileReader> {
    const handle = await open(file)
    if (read === 0 || (await handle.stat()).size >= read) return new FileReader(handle)
    await handle.close()
    throw new Error(`it has fewer than the ${read} bytes that were read of it before`)
  }

  /** The offset of the next line, in bytes. */
  get offset(): number {
    return this.#end - (this.#to - this.#from) - this.#size
  }

  /** Goes to a line: `line` lines are before it. Costs nothing if the reader is there, or has read it last. */
  seek(offset: number, line: number): void {
    if (this.line === line && this.offset === offset) return
    const start = this.#end - this.#to
    if (offset < start || offset > this.#end) {
      this.#to = 0
      this.#end = offset
    }
    this.#from = offset - (this.#end - this.#to)
    this.#parts = []
    this.#size = 0
    this.#isEnd = false
    this.line = line
  }

  /**
   * Returns the next line of those that have been read; undefined if more must be read. The last line needs no line feed. A byte order mark at the
   * beginning of the file belongs to no line.
   */
  take(): string | undefined {
    const at = this.#chunk.indexOf(NEWLINE, this.#from)
    if (at < 0 || at >= this.#to) {
      this.#keep(this.#to)
      return this.#isEnd && this.#size > 0 ? this.#taken('') : undefined
    }
    const text = this.#size === 0 ? this.#chunk.toString('utf8', this.#from, at) : ''
    if (this.#size > 0) this.#keep(at)
    this.#from = at + 1
    return this.#taken(text)
  }

  #keep(to: number): void {
    const kept = this.#parts.reduce((sum, { length }) => sum + length, 0)
    if (to > this.#from && kept < MOST_LINE) this.#parts.push(Buffer.from(this.#chunk.subarray(this.#from, to)))
    this.#size += to - this.#from
    this.#from = to
  }

  #taken(text: string): string {
    const whole = this.#size === 0 ? text : Buffer.concat(this.#parts).toString('utf8')
    this.isCut = this.#size > MOST_LINE
    this.#parts = []
    this.#size = 0
    this.line++
    return this.line === 1 && whole.startsWith(MARK) ? whole.slice(1) : whole
  }

  /** Reads more. False at the end of the file. */
  async more(): Promise<boolean> {
    const { bytesRead } = await this.#handle.read(this.#chunk, 0, CHUNK, this.#end)
    this.#from = 0
    this.#to = bytesRead
    this.#end += bytesRead
    this.#isEnd = bytesRead === 0
    return !this.#isEnd
  }

  close(): Promise<void> {
    return this.#handle.close()
  }
}
