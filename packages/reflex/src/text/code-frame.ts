import { countCells, charCells } from './cells.ts'
import { printable } from './printable.ts'
import type { Lines } from './place.ts'

/** Settings of a code frame: a note behind the underline, and the width of the frame. */
export interface FrameOptions {
  readonly note?: string | undefined
  /** The width in terminal cells; the default is 80. */
  readonly width?: number | undefined
}

interface Glyph {
  readonly text: string
  readonly cells: number
}

/**
 * Returns one source line with its number, and a line of carets under the marked characters, followed by the note.
 *
 * A span of several lines is underlined on its first line. A line that is too long is cut around the span. A note that does not fit behind
 * the carets is on a line of its own below them. A tab becomes two spaces.
 */
export function codeFrame(lines: Lines, offset: number, length: number, options: FrameOptions = {}): string {
  const { line } = lines.positionAt(offset)
  const [start, end] = lines.range(line)
  const number = String(line)
  const room = Math.max(20, (options.width ?? 80) - number.length - 3)
  const from = Math.min(Math.max(offset, start), end)
  const to = Math.min(Math.max(from + length, from), end)
  const limit = room * 3
  const before = glyphs(lines.text.slice(Math.max(start, from - limit), from), -limit)
  const marked = glyphs(lines.text.slice(from, Math.min(to, from + limit)), limit)
  const after = glyphs(lines.text.slice(to, Math.min(end, to + limit)), limit)
  const note = printable(options.note ?? '')
  const visible = cut({ before, marked, after, isCutLeft: from - start > limit, isCutRight: end - to > limit }, room, countCells(note))
  const blank = ' '.repeat(number.length)
  return [
    `${number} │ ${visible.text}`.trimEnd(),
    ...underline(visible.column, visible.carets, note, room).map((row) => `${blank} │ ${row}`),
  ].join('\n')
}

interface LineParts {
  readonly before: readonly Glyph[]
  readonly marked: readonly Glyph[]
  readonly after: readonly Glyph[]
  /** True if the line continues to the left of `before`; `isCutRight`: to the right of `after`. */
  readonly isCutLeft: boolean
  readonly isCutRight: boolean
}

function cut(parts: LineParts, room: number, noteCells: number): { text: string; column: number; carets: number } {
  const before = width(parts.before)
  const marked = width(parts.marked)
  const total = before + marked + width(parts.after)
  if (total <= room && !parts.isCutLeft && !parts.isCutRight) {
    return { text: join(parts.before) + join(parts.marked) + join(parts.after), column: before, carets: Math.max(1, marked) }
  }
  const behind = Math.min(noteCells === 0 ? 0 : noteCells + 1, room >> 1)
  const fits = !parts.isCutLeft && before + Math.max(1, marked) + Math.max(behind, 1) <= room
  const left = fits ? parts.before : last(parts.before, Math.min(room >> 1, Math.max(8, room - marked - behind - 2)))
  const lead = parts.isCutLeft || left.length < parts.before.length ? '…' : ''
  const column = width(left) + lead.length
  const middle = first(parts.marked, room - column - 1)
  const right = first(parts.after, room - column - width(middle) - 1)
  const isWhole = middle.length === parts.marked.length && right.length === parts.after.length && !parts.isCutRight
  return { text: lead + join(left) + join(middle) + join(right) + (isWhole ? '' : '…'), column, carets: Math.max(1, width(middle)) }
}

function underline(column: number, carets: number, note: string, room: number): string[] {
  const marks = ' '.repeat(column) + '^'.repeat(carets)
  if (note === '') return [marks]
  const noteCells = countCells(note)
  if (column + carets + 1 + noteCells <= room) return [`${marks} ${note}`]
  return [marks, ' '.repeat(Math.max(0, Math.min(column, room - noteCells))) + note]
}

function glyphs(text: string, limit: number): Glyph[] {
  const made: Glyph[] = []
  for (const char of text) made.push(ASCII[char.charCodeAt(0) - BLANK] ?? glyphOf(char))
  // The slice can begin or end inside a character of two UTF-16 units.
  if (limit < 0 && isLowSurrogate(text)) made.shift()
  return made
}

const BLANK = 0x20
/** The characters that are displayed as they are. */
const ASCII: readonly Glyph[] = Array.from({ length: 0x7f - BLANK }, (_, i) => ({ text: String.fromCharCode(BLANK + i), cells: 1 }))

function glyphOf(char: string): Glyph {
  return char === '\t' ? { text: '  ', cells: 2 } : { text: printable(char), cells: charCells(printable(char)) }
}

function isLowSurrogate(text: string): boolean {
  const code = text.charCodeAt(0)
  return code >= 0xdc00 && code <= 0xdfff
}

function width(row: readonly Glyph[]): number {
  return row.reduce((sum, glyph) => sum + glyph.cells, 0)
}

function join(row: readonly Glyph[]): string {
  return row.map((glyph) => glyph.text).join('')
}

function first(row: readonly Glyph[], room: number): readonly Glyph[] {
  let used = 0
  const stop = row.findIndex((glyph) => (used += glyph.cells) > room)
  return stop < 0 ? row : row.slice(0, stop)
}

function last(row: readonly Glyph[], room: number): readonly Glyph[] {
  let used = 0
  const stop = row.findLastIndex((glyph) => (used += glyph.cells) > room)
  return row.slice(stop + 1)
}
