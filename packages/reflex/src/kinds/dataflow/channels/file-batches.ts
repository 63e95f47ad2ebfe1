import { causeOf, type Json } from '../../../kernel/index.ts'
import { faults } from '../run/faults.ts'
import type { BatchRequest, FileBatch } from '../run/file-batch.ts'
import { MOST_CHARACTERS } from '../run/topics.ts'
import { eventOfLine } from './event-line.ts'
import { FileReader } from './file-reader.ts'

/** The files from which one run reads its events, open from the first batch to the end of the run in this process. */
export class FileBatches {
  readonly #readers = new Map<string, FileReader>()
  /** The effect before, which may have been dropped while it reads: it has the reader until then. */
  #before: Promise<unknown> = Promise.resolve()

  /**
   * Reads the next events of a file, as many as one record takes. Throws `R1387` for a file that cannot be read. What is read depends only on
   * the request and the file, so after a crash the same lines are read again.
   */
  read(request: BatchRequest): Promise<FileBatch> {
    const batch = this.#before.then(() => this.#read(request))
    this.#before = batch.catch(() => undefined)
    return batch
  }

  async #read(request: BatchRequest): Promise<FileBatch> {
    const { file, name } = request
    try {
      const reader = this.#readers.get(file) ?? (await FileReader.open(file))
      this.#readers.set(file, reader)
      return await readBatch(reader, request)
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

async function readBatch(reader: FileReader, { name, at, most }: BatchRequest): Promise<FileBatch> {
  const [offset, line, after] = at
  reader.seek(offset, line)
  const events: Json[] = []
  const lines: number[] = []
  let characters = 0
  let isEnd = false
  while (events.length < most && characters < MOST_CHARACTERS) {
    const text = reader.take()
    if (text === undefined) {
      if (isEnd) break
      isEnd = !(await reader.more())
    } else if (reader.line > after && text.trim() !== '') {
      events.push(eventOfLine(text))
      lines.push(reader.line)
      characters += text.length
    }
  }
  const isUnbroken = events.length === 0 || lines.at(-1) === after + events.length
  return {
    source: name,
    at,
    events,
    ...(isUnbroken ? {} : { lines }),
    to: [reader.offset, reader.line],
    ...(isEnd ? { isEnd: true } : {}),
  }
}
