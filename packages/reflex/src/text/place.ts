/** A line and a column, both counted from 1. A column counts characters (code points), not UTF-16 units. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** A span of a text, in UTF-16 units. */
export interface TextSpan {
  readonly offset: number
  readonly length: number
}

/** A span of source text in UTF-16 units, with the line and column of its start. */
export interface Place extends Position, TextSpan {}

/**
 * The lines of a source. It turns offsets into places.
 *
 * A line ends at `\n`, `\r\n` or `\r`. The table of lines is built at the first look-up. Each look-up is a binary search, also in a file
 * that is one line of many megabytes.
 */
export class Lines {
  readonly text: string
  #startsMade: readonly number[] | undefined
  #pairsMade: readonly number[] | undefined

  constructor(text: string) {
    this.text = text
  }

  get #starts(): readonly number[] {
    return (this.#startsMade ??= lineStarts(this.text))
  }

  get #pairs(): readonly number[] {
    return (this.#pairsMade ??= surrogatePairs(this.text))
  }

  /** The number of lines; an empty text has one. */
  get count(): number {
    return this.#starts.length
  }

  /** Returns the line and column of an offset. An offset outside the text counts as the start or the end. */
  positionAt(offset: number): Position {
    const clamped = Math.min(Math.max(0, Math.trunc(offset) || 0), this.text.length)
    const index = countUpTo(this.#starts, clamped) - 1
    const [start, end] = this.range(index + 1)
    return { line: index + 1, column: 1 + this.#characters(start, Math.min(clamped, end)) }
  }

  /** Returns the place of a span that begins at `offset`. */
  place(offset: number, length: number): Place {
    return { offset, length, ...this.positionAt(offset) }
  }

  /** Returns the offsets of the start and the end of a line, without the line break. */
  range(line: number): readonly [start: number, end: number] {
    const start = this.#starts[line - 1]
    if (start === undefined) return [this.text.length, this.text.length]
    let end = this.#starts[line] ?? this.text.length
    if (line < this.count) {
      if (this.text[end - 1] === '\n') end--
      if (end > start && this.text[end - 1] === '\r') end--
    }
    return [start, end]
  }

  /** Returns the offset of a line and column: the inverse of `positionAt`. */
  offset(position: Position): number {
    const [start, end] = this.range(position.line)
    let offset = start
    for (let column = 1; column < position.column && offset < end; column++) offset += this.#isPair(offset) ? 2 : 1
    return offset
  }

  #characters(from: number, to: number): number {
    if (this.#pairs.length === 0) return to - from
    const inner = this.#isPair(to - 1) && to < this.text.length ? to - 1 : to
    return inner - from - (countUpTo(this.#pairs, inner - 1) - countUpTo(this.#pairs, from - 1))
  }

  #isPair(offset: number): boolean {
    return (this.text.codePointAt(offset) ?? 0) > 0xffff
  }
}

function lineStarts(text: string): number[] {
  const starts = [0]
  if (!text.includes('\r')) {
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
    return starts
  }
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 10 || (code === 13 && text.charCodeAt(i + 1) !== 10)) starts.push(i + 1)
  }
  return starts
}

/** Returns the offsets of the second halves of characters that take two UTF-16 units. */
function surrogatePairs(text: string): number[] {
  const halves: number[] = []
  if (!/[\ud800-\udbff]/.test(text)) return halves
  for (let i = 0; i < text.length; i++) {
    if ((text.codePointAt(i) ?? 0) > 0xffff) halves.push(++i)
  }
  return halves
}

/** Returns how many of the sorted numbers are at most `limit`. */
function countUpTo(sorted: readonly number[], limit: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? 0) <= limit) low = middle + 1
    else high = middle
  }
  return low
}
