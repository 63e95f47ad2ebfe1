import { causeOf, type Json } from '../../../kernel/index.ts'
import { faults } from '../run/faults.ts'
import type { BatchRequest, FileBatch } from '../run/file-batch.ts'
import { MOST_CHARACTERS } from '../run/topics.ts'
import { TOO_LARGE } from '../run/read-event.ts'
import { eventOfLine } from './event-line.ts'
import { FileReader } from './file-reader.ts'

/** The files from which one run reads its events, open from the first batch to the end of the run in this process. */
export class FileBatches {
  readonly #readers = new Map<string, FileReader>()
  /** The effect before, which may have been dropped while it reads: it has the reader until then. */
  #before: Promise<unknown> = Promise.resolve()

  /**
   * Reads the next events of a file, as many as one record takes. Throws `R1387` for a file that cannot be read. What is read depends only on
   * the request and the file, so after a crash the same lines are read again. `signal`: reading ends, and its result is not needed.
   */
  read(request: BatchRequest, signal: AbortSignal): Promise<FileBatch> {
    const batch = this.#before.then(() => this.#read(request, signal))
    this.#before = batch.catch(() => undefined)
    return batch
  }

  async #read(request: BatchRequest, signal: AbortSignal): Promise<FileBatch> {
    const { file, name, at } = request
    try {
      const reader = this.#readers.get(file) ?? (await FileReader.open(file, Math.max(0, at[0])))
      this.#readers.set(file, reader)
      return await readBatch(reader, request, signal)
    } catch (thrown) {
      throw faults.make('R1387', `${file} cannot be read`, { rule: 'driver_io', path: name, cause: causeOf(thrown) })
    }
  }

  async close(): Promise<void> {
    await this.#before
    await Promise.all([...this.#readers.values()].map((reader) => reader.close()))
    this.#readers.clear()
  }
}

async function readBatch(reader: FileReader, { name, at, most }: BatchRequest, signal: AbortSignal): Promise<FileBatch> {
  const [offset, line, after] = at
  reader.seek(offset, line)
  const lines = new BatchLines()
  let isEnd = false
  while (lines.events.length < most && lines.characters < MOST_CHARACTERS) {
    const text = reader.take()
    if (text === undefined) {
      if (isEnd) break
      signal.throwIfAborted()
      isEnd = !(await reader.more())
    } else if (reader.line > after) lines.add(text, reader)
  }
  return { source: name, at, ...lines.partsBehind(after), to: [reader.offset, reader.line], ...(isEnd ? { isEnd: true } : {}) }
}

/** The lines of a batch so far. */
class BatchLines {
  readonly events: Json[] = []
  readonly #lines: number[] = []
  readonly #problems: (readonly [index: number, problem: string])[] = []
  characters = 0

  /** Adds a line, unless it is empty. */
  add(text: string, { line, isCut }: FileReader): void {
    if (!isCut && text.trim() === '') return
    const read = isCut ? { problem: TOO_LARGE } : eventOfLine(text)
    if ('problem' in read) this.#problems.push([this.events.length, read.problem])
    this.events.push('event' in read ? read.event : null)
    this.#lines.push(line)
    this.characters += text.length
  }

  /** Returns the parts of a batch whose first line is behind the line `after`. */
  partsBehind(after: number): Pick<FileBatch, 'events' | 'lines' | 'problems'> {
    const { events } = this
    const isUnbroken = events.length === 0 || this.#lines.at(-1) === after + events.length
    return {
      events,
      ...(isUnbroken ? {} : { lines: this.#lines }),
      ...(this.#problems.length === 0 ? {} : { problems: this.#problems }),
    }
  }
}
