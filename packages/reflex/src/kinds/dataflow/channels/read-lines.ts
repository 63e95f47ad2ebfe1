import { open } from 'node:fs/promises'

/** A line of a file, its number from 1, and the offset in bytes behind it. */
export interface FileLine {
  readonly text: string
  readonly line: number
  readonly end: number
  /** True for a line that is too long: its end is not in the text. */
  readonly isCut: boolean
}

/** Where reading begins, and the signal that ends it. */
export interface FileStart {
  /** In bytes: the beginning of line `line + 1`. */
  readonly offset?: number
  readonly line?: number
  readonly signal?: AbortSignal
}

/** The most bytes of a line; the rest of a longer one is dropped. */
const MOST_LINE = 1_100_000
const CHUNK = 65_536
const MARK = '\ufeff'

/**
 * Yields the lines of a file. Never holds more than a line and a chunk. A byte order mark at the beginning of the file belongs to no line.
 * Throws an error for a file that is shorter than the offset: it is another file.
 */
export async function* fileLines(file: string, { offset = 0, line = 0, signal }: FileStart = {}): AsyncGenerator<FileLine> {
  const handle = await open(file)
  try {
    if (offset > 0 && (await handle.stat()).size < offset)
      throw new Error(`it has fewer than the ${offset} bytes that were read of it before`)
    const buffer = new Uint8Array(CHUNK)
    let parts: Uint8Array[] = []
    let size = 0
    let at = offset
    let number = line
    const take = (): FileLine => {
      const text = Buffer.concat(parts).toString('utf8')
      const isCut = size > MOST_LINE
      parts = []
      size = 0
      number++
      return { text: number === 1 && text.startsWith(MARK) ? text.slice(1) : text, line: number, end: at, isCut }
    }
    const keep = (from: number, to: number): void => {
      if (size < MOST_LINE) parts.push(buffer.slice(from, Math.min(to, from + MOST_LINE - size)))
      size += to - from
    }
    for (;;) {
      if (signal?.aborted === true) return
      const { bytesRead } = await handle.read(buffer, 0, CHUNK, at)
      if (bytesRead === 0) break
      const start = at
      let from = 0
      for (let to = buffer.indexOf(10); to >= 0 && to < bytesRead; to = buffer.indexOf(10, from)) {
        keep(from, to)
        from = to + 1
        at = start + from
        yield take()
      }
      keep(from, bytesRead)
      at = start + bytesRead
    }
    if (size > 0) yield take()
  } finally {
    await handle.close()
  }
}
