import type { Source } from '../../../text/index.ts'

/** Comments, texts between brackets, texts between quotes. Of a file that Lua has accepted, where each of them has its end. */
const TEXTS =
  /--\[(?<remark>=*)\[[^]*?\]\k<remark>\]|--[^\n]*|(?<open>\[(?<level>=*)\[\n?)(?<long>[^]*?)\]\k<level>\]|(?<quote>["'])(?<short>(?:(?!\k<quote>)[^\\\n]|\\[^])*)\k<quote>/g

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
    for (const { index, groups: { open, long, short, quote = '' } = {} } of text.matchAll(TEXTS)) {
      const code = long ?? short
      if (code === undefined || short?.includes('\\') === true) continue
      const places = found.get(code) ?? []
      found.set(code, places)
      places.push({ opens: lineAt(index), line: lineAt(index + (open ?? quote).length) })
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
