import type { Source } from '../../../text/index.ts'

/** A text in a file of Lua that has no escapes, by offsets: of its bracket or quote, of its first character, and of its end. */
interface LuaText {
  readonly opens: number
  readonly start: number
  readonly end: number
}

/** Finds the texts of a file that Lua has accepted. Of any other one, it ends at the first text without an end. */
function* textsIn(file: string): Generator<LuaText> {
  // The beginning of a comment, of a text between brackets, or of one between quotes.
  const opening = /--(?:\[=*\[)?|\[=*\[|["']/g
  for (let match = opening.exec(file); match !== null; match = opening.exec(file)) {
    const [mark] = match
    const start = opening.lastIndex
    const isComment = mark.startsWith('--')
    const close = mark === '--' ? '\n' : mark.endsWith('[') ? mark.replace('--', '').replaceAll('[', ']') : mark
    const end = close === mark ? endOfShort(file, start, mark) : file.indexOf(close, start)
    if (end < 0) return
    opening.lastIndex = end + close.length
    // A line break behind the bracket is not part of the text.
    const first = close !== mark && file[start] === '\n' ? start + 1 : start
    if (!isComment && (close !== mark || !file.slice(start, end).includes('\\'))) yield { opens: match.index, start: first, end }
  }
}

/** Returns the offset of the quote that ends a text; -1 if its line ends before. */
function endOfShort(file: string, start: number, quote: string): number {
  const stop = /["'\\\n]/g
  stop.lastIndex = start
  for (let match = stop.exec(file); match !== null; match = stop.exec(file)) {
    if (match[0] === quote) return match.index
    if (match[0] === '\n') return -1
    // The character behind a backslash ends nothing.
    if (match[0] === '\\') stop.lastIndex++
  }
  return -1
}

interface Place {
  /** The line of its first quote or bracket. */
  readonly opens: number
  /** The line of its first character. */
  readonly line: number
}

/** The places of the texts in a definition file in Lua, which may be code. The file is searched once. */
export class CodePlaces {
  readonly #source: Source
  #found: Map<string, Place[]> | undefined

  constructor(source: Source) {
    this.#source = source
  }

  /**
   * Returns the line on which a text begins: of the first such text from the line of a call on, else of the only one in the file. Undefined if it
   * stands nowhere as it is, because it was put together or has escapes.
   */
  lineOf(code: string, call: number): number | undefined {
    const places = (this.#found ??= this.#search()).get(code) ?? []
    const [first] = places
    if (places.length === 1) return first?.line
    return places[leastFrom(places, call)]?.line
  }

  #search(): Map<string, Place[]> {
    const text = this.#source.text.replace(/\r\n?/g, '\n')
    const found = new Map<string, Place[]>()
    let [line, seen] = [1, 0]
    const lineAt = (offset: number): number => {
      for (; seen < offset; seen++) if (text[seen] === '\n') line++
      return line
    }
    for (const { opens, start, end } of textsIn(text)) {
      const code = text.slice(start, end)
      const places = found.get(code) ?? []
      found.set(code, places)
      places.push({ opens: lineAt(opens), line: lineAt(start) })
    }
    return found
  }
}

/** Returns the index of the first place that opens on a line or below it, in a list in the order of the text. */
function leastFrom(sorted: readonly Place[], line: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle]?.opens ?? line) < line) low = middle + 1
    else high = middle
  }
  return low
}
