import { open } from 'node:fs/promises'

/** A line of a file, its number from 1, and the offset in bytes behind it. */
export interface FileLine {
  readonly text: string
  readonly line: number
  readonly end: number
}

/** The most bytes of a line; the rest of a longer one is dropped. */
const MOST_LINE = 1_100_000
const CHUNK = 65_536

/** Yields the lines of a file from an offset on, which is the beginning of line `line + 1`. Never holds more than a line and a chunk. */
export async function* fileLines(file: string, offset = 0, line = 0): AsyncGenerator<FileLine> {
  const handle = await open(file)
  try {
    const buffer = new Uint8Array(CHUNK)
    let parts: Uint8Array[] = []
    let size = 0
    let at = offset
    let number = line
    const take = (): FileLine => {
      const text = Buffer.concat(parts).toString('utf8')
      parts = []
      size = 0
      return { text, line: ++number, end: at }
    }
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, CHUNK, at)
      if (bytesRead === 0) break
      const start = at
      let from = 0
      for (let to = buffer.indexOf(10); to >= 0 && to < bytesRead; to = buffer.indexOf(10, from)) {
        if (size < MOST_LINE) parts.push(buffer.slice(from, to))
        from = to + 1
        at = start + from
        yield take()
      }
      if (from < bytesRead && size < MOST_LINE) parts.push(buffer.slice(from, bytesRead))
      size += bytesRead - from
      at = start + bytesRead
    }
    if (size > 0) yield take()
  } finally {
    await handle.close()
  }
}
